// Sends one signed webhook request through the guarded client, and returns a summary of the response.
import { toError } from '../../lib/errors.ts';
import { FetchError } from '../../lib/fetch/error.ts';
import type { Deps } from '../deps.ts';
import { signWebhook } from './webhook-signature.ts';
import { allowsLoopback } from './webhook-target.ts';

// The guarded client's limit for the response, of which only the first bytes are read and stored.
const MAX_RESPONSE_BYTES = 1_048_576;
const STORED_RESPONSE_BYTES = 1024;

export interface WebhookMessage {
  readonly url: string;
  readonly deliveryId: string;
  readonly event: string;
  readonly eventId: string;
  /** The exact bytes that are signed and sent. */
  readonly body: string;
  readonly secret: string | null;
}

export interface WebhookResult {
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** Why there is no response. */
  readonly error: string | null;
  /** The first KB of the response. */
  readonly response: string | null;
}

/** Sends the webhook. Returns undefined if the signal was aborted; then it is unknown whether the request arrived. */
export async function sendWebhook(
  deps: Deps,
  { url, deliveryId, event, eventId, body, secret }: WebhookMessage,
  signal: AbortSignal,
): Promise<WebhookResult | undefined> {
  const startedMs = deps.now();
  const timestampSeconds = Math.floor(startedMs / 1000);
  const finish = (response: Omit<WebhookResult, 'durationMs'>): WebhookResult => ({
    ...response,
    durationMs: Math.max(0, deps.now() - startedMs),
  });
  try {
    const response = await deps.fetch.stream(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service-Webhook/1.0',
        'X-Service-Event': event,
        'X-Service-Delivery': deliveryId,
        ...(secret === null ? {} : signWebhook({ secret, body, eventId, timestampSeconds })),
      },
      body,
      signal,
      timeoutMs: deps.settings.WEBHOOK_TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
      maxRedirects: 0,
      propagateTraceContext: true,
      allowLoopback: allowsLoopback(deps.settings),
    });
    return finish({ statusCode: response.status, error: null, response: await readStart(response.body) });
  } catch (err) {
    return signal.aborted
      ? undefined
      : finish({ statusCode: null, error: toError(err).message, response: null });
  }
}

/** Returns whether the receiver accepted the webhook with a 2xx status. Redirects count as failures. */
export function isDelivered({ statusCode }: WebhookResult): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}

/** Reads the start of the response: up to 1 KB, or less if the connection fails. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= STORED_RESPONSE_BYTES) break;
    }
  } catch (err) {
    if (!(err instanceof FetchError)) throw err;
  }
  // NUL is the one character that PostgreSQL's text cannot store.
  return Buffer.concat(chunks).subarray(0, STORED_RESPONSE_BYTES).toString('utf8').replaceAll('\0', '');
}
