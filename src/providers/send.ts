// Sends the requests of a protocol with retries. A request that could be billed twice is not retried.
import { setTimeout as sleep } from 'node:timers/promises';
import { computeBackoff } from '../lib/backoff.ts';
import { FetchError, type FetchErrorCode } from '../lib/fetch/error.ts';
import { createRedactor } from '../lib/redact.ts';
import type { Endpoint, Protocol, Provider, ProviderRequest } from './provider.ts';
import { ProviderError } from './provider-error.ts';
import { type ProviderResponse, parseRetryAfter } from './response.ts';

export interface SendInit {
  readonly method: ProviderRequest['method'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The guarded HTTP client. Throws FetchError. */
export type Send = (url: string, init: SendInit) => Promise<ProviderResponse>;

/** Returns a client whose responses do not contain the keys, because errors of providers are shown to users. */
export function redactKeys(send: Send, { key, partnerKey = '' }: Endpoint): Send {
  // ComfyUI's key may be a complete header, and `Basic` or `Bearer` may precede it.
  const bareKey = key.replace(/^[\w-]+:\s*/, '').replace(/^\w+ /, '');
  const redact = createRedactor([key, bareKey, partnerKey]);
  return async (url, init) => {
    const response = await send(url, init);
    return { ...response, body: redact(response.body) };
  };
}

/** The parts of a provider that are needed to send requests. */
export type Sender = Pick<Provider<never>, 'name' | 'pace' | 'classify'> & {
  /** Called when the provider rejects a submission by its rate limit. */
  readonly onRateLimited?: () => void;
  /** Called when a submission that may have arrived is abandoned because its run ended. */
  readonly onAbandoned?: () => void;
};

/** `submissions` aborts submissions; `otherRequests` aborts all other requests and the pauses between retries. */
export interface Signals {
  readonly submissions: AbortSignal;
  readonly otherRequests: AbortSignal;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 8_388_608;
// For requests that fetch a result, a 500 is not retried, because it may be the failure of the work itself.
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
// After this many attempts to fetch a result, its error response counts as the result.
const MAX_FETCHES = 5;
// Errors that a retry cannot fix.
const FINAL_ERRORS: ReadonlySet<FetchErrorCode> = new Set([
  'bad_url',
  'bad_header',
  'blocked_address',
  'too_large',
]);

/** Runs a protocol to its end. Throws ProviderError, or the reason of the signal that fired. */
export async function runProtocol<T>(
  sender: Sender,
  protocol: Protocol<T>,
  send: Send,
  signals: Signals,
): Promise<T> {
  let step = protocol.next();
  while (step.done !== true) step = protocol.next(await sendWithRetries(sender, step.value, send, signals));
  return step.value;
}

/**
 * Sends the request until it has a final response. A submission fails with `outcome_unknown` if it may have arrived,
 * but its response is missing or unclear.
 */
async function sendWithRetries(
  sender: Sender,
  request: ProviderRequest,
  send: Send,
  { submissions, otherRequests }: Signals,
): Promise<ProviderResponse> {
  const signal = request.role === 'submits' ? submissions : otherRequests;
  const startedAtMs = performance.now();
  for (let tries = 0; ; tries++) {
    otherRequests.throwIfAborted();
    const { response, failure } = await sendOnce(sender, request, send, signal);
    const isFinal = failure === undefined || (request.role === 'fetches' && tries === MAX_FETCHES);
    if (response !== undefined && isFinal) return response;
    // "Retry-After: 0" must not cause retries without a pause.
    const requestedMs = failure?.retryAfterMs ?? computeBackoff(sender.pace, tries);
    const delayMs = Math.max(requestedMs, sender.pace.firstMs);
    const isRateLimited = request.role === 'submits' && failure?.kind === 'rate_limited';
    if (isRateLimited) sender.onRateLimited?.();
    // A rate-limited submission is retried for as long as the work itself may take.
    const retryForMs = isRateLimited ? sender.pace.deadlineMs : sender.pace.retryForMs;
    if (failure !== undefined && performance.now() + delayMs > startedAtMs + retryForMs) throw failure;
    await sleep(delayMs, undefined, { signal: otherRequests }).catch(() => otherRequests.throwIfAborted());
  }
}

/** The result of sending a request once. If `failure` is set, the request may be sent again. */
interface Attempt {
  readonly response?: ProviderResponse;
  readonly failure?: ProviderError;
}

/** Sends the request once. Throws if the request failed and must not be sent again. */
export async function sendOnce(
  sender: Sender,
  request: ProviderRequest,
  send: Send,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const response = await send(request.url, toInit(request, signal));
    return classifyResponse(sender, request, response);
  } catch (err) {
    if (signal.aborted) {
      if (request.role === 'submits' && err instanceof FetchError && err.maybeSent) sender.onAbandoned?.();
      throw signal.reason;
    }
    if (!(err instanceof FetchError)) throw err;
    return { failure: getRepeatableFailure(sender, request, err) };
  }
}

function toInit(
  { method, headers, body, timeoutMs, maxBytes }: ProviderRequest,
  signal: AbortSignal,
): SendInit {
  return {
    method,
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
    timeoutMs: timeoutMs ?? TIMEOUT_MS,
    maxBytes: maxBytes ?? MAX_BYTES,
    signal,
  };
}

function classifyResponse(
  sender: Sender,
  { role, hasClearErrors = false }: ProviderRequest,
  response: ProviderResponse,
): Attempt {
  const { status } = response;
  if (role === 'submits' && (status >= 500 || status === 408)) {
    if (hasClearErrors) return { response };
    throw createUnknownOutcomeError(sender, `status ${status}`);
  }
  if (!RETRIED_STATUSES.has(status) || (role === 'fetches' && status === 500)) return { response };
  const failure = sender.classify(response);
  // A 429 may also mean that the account has no funds.
  if (status === 429 && failure.kind !== 'rate_limited') throw failure;
  return { response, failure: addRetryDelay(failure, response) };
}

function addRetryDelay(failure: ProviderError, response: ProviderResponse): ProviderError {
  const retryAfterMs = failure.retryAfterMs ?? parseRetryAfter(response);
  if (retryAfterMs === failure.retryAfterMs) return failure;
  return new ProviderError(failure.provider, failure.kind, { retryAfterMs, cause: failure });
}

/** Returns the failure of a request that may be sent again. Throws for any other request. */
function getRepeatableFailure(sender: Sender, { role }: ProviderRequest, err: FetchError): ProviderError {
  if (role === 'submits' && err.maybeSent) throw createUnknownOutcomeError(sender, err.message, err);
  const isSlow = err.code === 'timeout' && err.maybeSent;
  const kind = err.code === 'too_large' ? 'bad_output' : isSlow ? 'timeout' : 'unavailable';
  const failure = new ProviderError(sender.name, kind, { detail: err.message, cause: err });
  if (FINAL_ERRORS.has(err.code)) throw failure;
  return failure;
}

function createUnknownOutcomeError(sender: Sender, detail: string, cause?: unknown): ProviderError {
  return new ProviderError(sender.name, 'outcome_unknown', { detail, cause });
}
