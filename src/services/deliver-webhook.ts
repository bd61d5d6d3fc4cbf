// One attempt of a webhook delivery: prepare and sign, send through the guarded client, keep what came of it.

import { toError } from '../lib/errors.ts';
import { FetchError } from '../lib/fetch-error.ts';
import { signWebhook } from '../lib/webhook-signature.ts';
import type { Attempt, DeliveryRow } from '../store/deliveries.ts';
import { findDelivery, keepAttempt } from '../store/deliveries.ts';
import type { Deps } from './deps.ts';
import { allowsLoopback, openSecret } from './webhook-target.ts';

const MAX_ATTEMPTS = 12;
const MAX_BACKOFF_MS = 6 * 3_600_000;
const JITTER = 0.1;
// The guarded client's bound; reading stops far below it, once there is enough to keep.
const MAX_ANSWER_BYTES = 1_048_576;
const KEPT_ANSWER_BYTES = 1024;

/** Sends the delivery once and keeps the attempt, with the job of the next one where it failed. */
export async function deliverWebhook(deps: Deps, id: string, signal: AbortSignal): Promise<void> {
  const delivery = await findDelivery(deps.db, id);
  if (delivery === undefined || delivery.state === 'delivered' || delivery.state === 'exhausted') return;
  const startedAt = new Date(deps.now());
  const answer = await send(deps, delivery, signal);
  // Shutting down: the job stays, and the attempt is made again.
  if (answer === undefined) throw new Error('The delivery was interrupted.');
  const attempt = judge(deps, delivery, startedAt, answer);
  await deps.db.transaction(tx => keepAttempt(tx, attempt));
}

interface Answer {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

async function send(deps: Deps, delivery: DeliveryRow, signal: AbortSignal): Promise<Answer | undefined> {
  const { body, event_id: eventId } = delivery;
  const timestampSeconds = Math.floor(deps.now() / 1000);
  const signature =
    delivery.secret === null
      ? {}
      : signWebhook({ secret: openSecret(deps, delivery.secret), body, eventId, timestampSeconds });
  try {
    const { status, body: answer } = await deps.fetch.stream(delivery.url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service-Webhook/1.0',
        'X-Service-Event': delivery.event,
        'X-Service-Delivery': delivery.id,
        ...signature,
      },
      body,
      signal,
      timeoutMs: deps.settings.WEBHOOK_TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      maxRedirects: 0,
      allowLoopback: allowsLoopback(deps.settings),
    });
    return { statusCode: status, error: null, response: await readStart(answer) };
  } catch (err) {
    if (signal.aborted) return undefined;
    return {
      statusCode: null,
      error: err instanceof FetchError ? err.message : toError(err).message,
      response: null,
    };
  }
}

/** The first KB of the answer; how the rest of it fares no longer matters. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= KEPT_ANSWER_BYTES) break;
    }
  } catch (err) {
    if (!(err instanceof FetchError)) throw err;
  }
  // NUL is the one character that PostgreSQL's text cannot hold.
  return Buffer.concat(chunks).subarray(0, KEPT_ANSWER_BYTES).toString('utf8').replaceAll('\0', '');
}

/** Any 2xx is delivered; anything else is tried again later, twelve times in all. */
function judge(deps: Deps, delivery: DeliveryRow, startedAt: Date, answer: Answer): Attempt {
  const attempt = delivery.attempts + 1;
  const isDelivered = answer.statusCode !== null && answer.statusCode >= 200 && answer.statusCode < 300;
  const isLast = attempt >= MAX_ATTEMPTS;
  const nowMs = deps.now();
  return {
    deliveryId: delivery.id,
    attempt,
    startedAt,
    durationMs: Math.max(0, nowMs - startedAt.getTime()),
    ...answer,
    state: isDelivered ? 'delivered' : isLast ? 'exhausted' : 'attempting',
    nextAttemptAt:
      isDelivered || isLast
        ? null
        : new Date(nowMs + backoffMs(deps.settings.WEBHOOK_BACKOFF_BASE_MS, attempt, Math.random())),
  };
}

/** The delay after the attempt: doubled each time from the base to six hours, with up to 10 % of jitter on top. */
export function backoffMs(baseMs: number, attempt: number, random: number): number {
  return Math.min(baseMs * 2 ** (attempt - 1), MAX_BACKOFF_MS) * (1 + JITTER * random);
}
