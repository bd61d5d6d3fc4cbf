// Creates an API client that sends a request again after a transient failure, as docs/api.md advises.
import { setTimeout as sleep } from 'node:timers/promises';

export interface CallerResponse<B> {
  readonly status: number;
  readonly body: B;
  /** Whether this is the stored response of an earlier request. */
  readonly isReplayed: boolean;
}

export interface Caller {
  /** Resolves to the first response that is not a transient failure. Rejects if there is none in time. */
  request<B = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    idempotencyKey?: string,
  ): Promise<CallerResponse<B>>;
}

const RESPONSE_TIMEOUT_MS = 10_000;
const RETRY_DELAY_MS = { min: 100, max: 900 } as const;
const RETRY_FOR_MS = 180_000;

/** Creates a client that counts its retries by reason in `retries`. */
export function createCaller(url: string, key: string, retries: Map<string, number>): Caller {
  return {
    request: async <B>(method: string, path: string, body?: unknown, idempotencyKey?: string) => {
      const endMs = performance.now() + RETRY_FOR_MS;
      for (;;) {
        const outcome = await sendOnce<B & { readonly code?: string }>(
          url,
          key,
          method,
          path,
          body,
          idempotencyKey,
        );
        if (typeof outcome !== 'string' && !isTransient(outcome.status, outcome.body?.code)) return outcome;
        const reason =
          typeof outcome === 'string' ? outcome : `${outcome.status} ${outcome.body?.code ?? ''}`;
        retries.set(reason, (retries.get(reason) ?? 0) + 1);
        if (performance.now() > endMs) throw new Error(`${method} ${path} had no answer: ${reason}`);
        await sleep(RETRY_DELAY_MS.min + Math.random() * (RETRY_DELAY_MS.max - RETRY_DELAY_MS.min));
      }
    },
  };
}

function isTransient(status: number, code: string | undefined): boolean {
  return status >= 500 || status === 429 || code === 'idempotency_in_progress';
}

/** Returns the response, or the reason why there is no response. */
async function sendOnce<B>(
  url: string,
  key: string,
  method: string,
  path: string,
  body: unknown,
  idempotencyKey: string | undefined,
): Promise<CallerResponse<B> | string> {
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    const text = await response.text();
    const isReplayed = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, body: JSON.parse(text) as B, isReplayed };
  } catch (err) {
    const { name, cause } = err as Error & { readonly cause?: { readonly code?: string } };
    return name === 'TimeoutError' ? 'no answer in time' : (cause?.code ?? name);
  }
}
