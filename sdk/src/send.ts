// One request to the service: sent, answered or refused, and sent again where that is safe.
import {
  ApiError,
  ConnectionError,
  GraphwrightError,
  TimeoutError,
  toApiError,
  UnexpectedAnswerError,
} from './errors.ts';
import { backoffMs, limitTime, sleep } from './waiting.ts';

/** How long to wait for what. */
export interface Timing {
  /** For an answer, its body included. */
  readonly timeoutMs: number;
  /** The first pause before a request is sent again; the pauses double. */
  readonly baseMs: number;
  readonly capMs: number;
  /** A `Retry-After` beyond this is not waited for: the refusal is thrown. */
  readonly maxRetryAfterMs: number;
  /** The service sends a comment every 15 s; an event stream silent for longer than this is dead. */
  readonly silenceMs: number;
  /** How long `wait` and `events` try to reach a service that is gone. */
  readonly outageMs: number;
}

export interface Connection {
  /** Ends without a slash. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly retries: number;
  readonly parseJson: (text: string) => unknown;
  readonly timing: Timing;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Call extends CallOptions {
  readonly method: string;
  /** After `/api/v1`, with its leading slash; or a path that begins with `/api/`. */
  readonly path: string;
  readonly query?: Query | undefined;
  /** Sent as JSON; a FormData as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sending it twice does what sending it once does. By default so of GET, HEAD, PUT and DELETE without If-Match. */
  readonly repeatable?: boolean;
}

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** The answer of the service. Throws an ApiError where it refuses, a ConnectionError where it cannot be reached. */
export async function send<T>(connection: Connection, call: Call): Promise<Answer<T>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendOnce<T>(connection, call);
    } catch (thrown) {
      const delayMs =
        attempt > connection.retries ? undefined : retryDelay(thrown, attempt, call, connection.timing);
      if (delayMs === undefined) throw thrown;
      await sleep(delayMs, call.signal);
    }
  }
}

/** When to send the call again, undefined for never. */
function retryDelay(thrown: unknown, attempt: number, call: Call, timing: Timing): number | undefined {
  if (!(isRefusedUndone(thrown) || (isPassing(thrown) && isRepeatable(call)))) return undefined;
  const asked = thrown instanceof ApiError ? thrown.retryAfterMs : undefined;
  if (asked === undefined) return backoffMs(attempt, timing);
  return asked <= timing.maxRetryAfterMs ? asked : undefined;
}

/** The service said that it did nothing, and that later it may. */
function isRefusedUndone(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.status === 429 || thrown.code === 'idempotency_in_progress');
}

const PASSING: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Whether the failure may be gone at the next attempt. A 500 with a code of its own stays what it is. */
export function isPassing(thrown: unknown): boolean {
  if (thrown instanceof ConnectionError) return true;
  if (!(thrown instanceof ApiError)) return false;
  return (
    PASSING.has(thrown.status) ||
    (thrown.status === 500 && ['internal_error', 'unknown'].includes(thrown.code))
  );
}

const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

// A write under If-Match that was done, its answer lost, would be refused as stale when sent again.
function isRepeatable({ method, headers, repeatable }: Call): boolean {
  return repeatable ?? (REPEATABLE.has(method) && headers?.['if-match'] === undefined);
}

async function sendOnce<T>(connection: Connection, call: Call): Promise<Answer<T>> {
  const limit = limitTime(connection.timing.timeoutMs, call.signal);
  try {
    const response = await request(connection, { ...call, signal: limit.signal });
    return await readAnswer<T>(connection, response);
  } catch (thrown) {
    if (thrown instanceof GraphwrightError) throw thrown;
    call.signal?.throwIfAborted();
    if (limit.isOver())
      throw new TimeoutError(
        `${connection.url} did not answer within ${connection.timing.timeoutMs / 1000} s.`,
      );
    throw toConnectionError(connection, thrown);
  } finally {
    limit.end();
  }
}

/** The response as it arrives; a refusal is not thrown yet. */
export function request(connection: Connection, call: Call): Promise<Response> {
  const { body } = call;
  const isJson = body !== undefined && !(body instanceof FormData);
  return connection.fetch(addressOf(connection, call), {
    method: call.method,
    headers: {
      ...connection.headers,
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...call.headers,
    },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as FormData) }),
    signal: call.signal ?? null,
    // The key goes to this service and to no other.
    redirect: 'error',
  });
}

function addressOf({ url }: Connection, { path, query = {} }: Call): string {
  const sent = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  const search = new URLSearchParams(Object.fromEntries(sent)).toString();
  return `${url}${path.startsWith('/api/') ? '' : '/api/v1'}${path}${search === '' ? '' : `?${search}`}`;
}

/** fetch says "fetch failed" of everything; the reason is its cause. */
export function toConnectionError({ url }: Connection, cause: unknown): ConnectionError {
  const inner = cause instanceof Error ? cause.cause : undefined;
  const code = inner instanceof Error && 'code' in inner ? ` (${String(inner.code)})` : '';
  return new ConnectionError(`The connection to ${url} failed${code}.`, { cause });
}

async function readAnswer<T>({ parseJson }: Connection, response: Response): Promise<Answer<T>> {
  const { status, headers } = response;
  const text = await response.text();
  if (!response.ok) throw toApiError({ status, headers, body: parseRefusal(text) });
  if (text === '') return { status, headers, body: undefined as T };
  if (!/\bjson\b/.test(headers.get('content-type') ?? ''))
    throw new UnexpectedAnswerError(
      `The answer is no JSON but ${headers.get('content-type') ?? 'of no type'}: is this the address of the service?`,
    );
  try {
    return { status, headers, body: parseJson(text) as T };
  } catch (cause) {
    throw new ConnectionError('The answer broke off.', { cause });
  }
}

/** The body of a refusal; empty where a proxy refused. */
export function parseRefusal(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
