// One request of a protocol, sent and repeated by the rules of money: what may be billed twice is not repeated.
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../lib/backoff.ts';
import { FetchError, type FetchErrorCode } from '../lib/fetch/error.ts';
import { concealKey, type ProviderAnswer, readRetryAfter } from './answer.ts';
import type { Protocol, Provider, ProviderRequest } from './provider.ts';
import { ProviderError } from './provider-error.ts';

export interface SendInit {
  readonly method: ProviderRequest['method'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The guarded client. Throws FetchError. */
export type Send = (url: string, init: SendInit) => Promise<ProviderAnswer>;

/** What a request needs to know of its provider. */
export type Sender = Pick<Provider<never>, 'name' | 'pace' | 'classify'> & {
  /** Called for each submission that the provider turns away by its rate limit. */
  readonly onLimited?: () => void;
  /** Called where a submission that may have arrived is given up on, because its run ends. */
  readonly onAbandoned?: () => void;
};

/** What ends an exchange: a submission under way, and everything else, pauses between its repeats included. */
export interface Signals {
  readonly submissions: AbortSignal;
  readonly others: AbortSignal;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 8_388_608;
// 500 may be the work's own failure, where the request fetches its result.
const BUSY: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
// A result that is answered so again and again is the failure that it says.
const MAX_FETCHES = 5;
// Asking again would end the same way.
const FINAL: ReadonlySet<FetchErrorCode> = new Set(['bad_url', 'bad_header', 'blocked_address', 'too_large']);

/** Runs a protocol to its end. Throws ProviderError, or the reason of the signal that has fired. */
export async function converse<T>(
  sender: Sender,
  protocol: Protocol<T>,
  send: Send,
  signals: Signals,
): Promise<T> {
  let step = protocol.next();
  while (step.done !== true) step = protocol.next(await sendRepeatedly(sender, step.value, send, signals));
  return step.value;
}

/**
 * The answer, once the request has one that stands. A request that submits fails as `outcome_unknown` where it may have
 * arrived and its answer is not known or not clear.
 */
async function sendRepeatedly(
  sender: Sender,
  request: ProviderRequest,
  send: Send,
  { submissions, others }: Signals,
): Promise<ProviderAnswer> {
  const signal = request.role === 'submits' ? submissions : others;
  const beganMs = performance.now();
  for (let tries = 0; ; tries++) {
    others.throwIfAborted();
    const { answer, failure } = await sendOnce(sender, request, send, signal);
    const stands = failure === undefined || (request.role === 'fetches' && tries === MAX_FETCHES);
    if (answer !== undefined && stands) return answer;
    // "Retry-After: 0" is no leave to ask without a pause.
    const askedMs = failure?.retryAfterMs ?? backoffMs(sender.pace, tries);
    const delayMs = Math.max(askedMs, sender.pace.firstMs);
    const isTurnedAway = request.role === 'submits' && failure?.kind === 'rate_limited';
    if (isTurnedAway) sender.onLimited?.();
    // Room is waited for as long as the work itself would be.
    const retryForMs = isTurnedAway ? sender.pace.deadlineMs : sender.pace.retryForMs;
    if (failure !== undefined && performance.now() + delayMs > beganMs + retryForMs) throw failure;
    await sleep(delayMs, undefined, { signal: others }).catch(() => others.throwIfAborted());
  }
}

/** With a failure, the request may be sent again. */
interface Attempt {
  readonly answer?: ProviderAnswer;
  readonly failure?: ProviderError;
}

/** Sends the request once. Throws where it may not be sent again. */
export async function sendOnce(
  sender: Sender,
  request: ProviderRequest,
  send: Send,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const answer = await send(request.url, toInit(request, signal));
    return judge(sender, request, concealKey(answer, request.headers));
  } catch (err) {
    if (signal.aborted) {
      if (request.role === 'submits' && err instanceof FetchError && err.maybeSent) sender.onAbandoned?.();
      throw signal.reason;
    }
    if (!(err instanceof FetchError)) throw err;
    return { failure: explainFetchError(sender, request, err) };
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

function judge(sender: Sender, { role }: ProviderRequest, answer: ProviderAnswer): Attempt {
  const { status } = answer;
  if (role === 'submits' && (status >= 500 || status === 408)) {
    throw unknownOutcome(sender, `it answered with status ${status}`);
  }
  if (!BUSY.has(status) || (role === 'fetches' && status === 500)) return { answer };
  const failure = sender.classify(answer);
  // A 429 may also say that the money is gone.
  if (status === 429 && failure.kind !== 'rate_limited') throw failure;
  return { answer, failure: withDelay(failure, answer) };
}

function withDelay(failure: ProviderError, answer: ProviderAnswer): ProviderError {
  const retryAfterMs = failure.retryAfterMs ?? readRetryAfter(answer);
  if (retryAfterMs === failure.retryAfterMs) return failure;
  return new ProviderError(failure.provider, failure.kind, { retryAfterMs, cause: failure });
}

/** The failure as one after which the request may be sent again; throws where it may not. */
function explainFetchError(sender: Sender, { role }: ProviderRequest, err: FetchError): ProviderError {
  if (role === 'submits' && err.maybeSent) throw unknownOutcome(sender, err.message, err);
  const kind = err.code === 'too_large' ? 'bad_output' : err.code === 'timeout' ? 'timeout' : 'unavailable';
  const failure = new ProviderError(sender.name, kind, { detail: err.message, cause: err });
  if (FINAL.has(err.code)) throw failure;
  return failure;
}

function unknownOutcome(sender: Sender, detail: string, cause?: unknown): ProviderError {
  return new ProviderError(sender.name, 'outcome_unknown', { detail, cause });
}
