// Sends requests to the service and retries them where that is safe.
import {
  ApiError,
  ConnectionError,
  createApiError,
  GraphwrightError,
  TimeoutError,
  UnexpectedResponseError,
} from './errors.ts';
import { backoffMs, limitTime, sleep } from './waiting.ts';

/** Timeouts and delays in milliseconds. */
export interface Timing {
  /** The timeout of a request, including the body of the response. */
  readonly timeoutMs: number;
  /** The delay before the first retry. It doubles with each retry. */
  readonly baseMs: number;
  /** The maximum delay between retries. */
  readonly capMs: number;
  /** The maximum `Retry-After` to wait for. If it is longer, the error is thrown. */
  readonly maxRetryAfterMs: number;
  /** The timeout of a silent event stream. The service sends a comment every 15 s. */
  readonly silenceMs: number;
  /** How long `wait` and `events` try to reach an unavailable service. */
  readonly outageMs: number;
}

export interface Connection {
  /** Without a trailing slash. */
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
  /** The path after `/api/v1` with a leading slash, or a path that starts with `/api/` or `/app/`. */
  readonly path: string;
  readonly query?: Query | undefined;
  /** Sent as JSON, unless it is a FormData. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request can be retried. Default: true for GET, HEAD, PUT and DELETE without If-Match. */
  readonly repeatable?: boolean;
}

export interface ApiResponse<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** Sends a request and returns the response. Throws an ApiError or a ConnectionError. */
export async function send<T>(connection: Connection, call: Call): Promise<ApiResponse<T>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendOnce<T>(connection, call);
    } catch (thrown) {
      const delayMs =
        attempt > connection.retries ? undefined : getRetryDelayMs(thrown, attempt, call, connection.timing);
      if (delayMs === undefined) throw thrown;
      await sleep(delayMs, call.signal);
    }
  }
}

/** Sends a request and returns the body of its response. */
export const request = async <T>(connection: Connection, call: Call): Promise<T> =>
  (await send<T>(connection, call)).body;

/** Returns the delay before the next retry, or undefined if the call must not be retried. */
function getRetryDelayMs(thrown: unknown, attempt: number, call: Call, timing: Timing): number | undefined {
  if (!(isNotProcessed(thrown) || (isTemporary(thrown) && isRepeatable(call)))) return undefined;
  const requestedDelayMs = thrown instanceof ApiError ? thrown.retryAfterMs : undefined;
  if (requestedDelayMs === undefined) return backoffMs(attempt, timing);
  return requestedDelayMs <= timing.maxRetryAfterMs ? requestedDelayMs : undefined;
}

/** Returns whether the service did not process the request and may accept it later. */
function isNotProcessed(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.status === 429 || thrown.code === 'idempotency_in_progress');
}

const TEMPORARY: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Returns whether the failure may be temporary. A 500 with a specific code is permanent. */
export function isTemporary(thrown: unknown): boolean {
  if (thrown instanceof ConnectionError) return true;
  if (!(thrown instanceof ApiError)) return false;
  return (
    TEMPORARY.has(thrown.status) ||
    (thrown.status === 500 && ['internal_error', 'unknown'].includes(thrown.code))
  );
}

const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

// After a successful write with If-Match, a retry would be refused as stale.
function isRepeatable({ method, headers, repeatable }: Call): boolean {
  return repeatable ?? (REPEATABLE.has(method) && headers?.['if-match'] === undefined);
}

async function sendOnce<T>(connection: Connection, call: Call): Promise<ApiResponse<T>> {
  const limit = limitTime(connection.timing.timeoutMs, call.signal);
  try {
    const response = await sendUnchecked(connection, { ...call, signal: limit.signal });
    return await readResponse<T>(connection, response);
  } catch (thrown) {
    if (thrown instanceof GraphwrightError) throw thrown;
    call.signal?.throwIfAborted();
    if (limit.isOver())
      throw new TimeoutError(
        `${connection.url} did not respond within ${connection.timing.timeoutMs / 1000} s.`,
      );
    throw toConnectionError(connection, thrown);
  } finally {
    limit.end();
  }
}

/** Sends a request without checking the status of the response. */
export function sendUnchecked(connection: Connection, call: Call): Promise<Response> {
  const { body } = call;
  const isJson = body !== undefined && !(body instanceof FormData);
  return connection.fetch(toUrl(connection, call), {
    method: call.method,
    headers: {
      ...connection.headers,
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...call.headers,
    },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as FormData) }),
    signal: call.signal ?? null,
    // The API key must not be sent to another host.
    redirect: 'error',
  });
}

function toUrl({ url }: Connection, { path, query = {} }: Call): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  const search = new URLSearchParams(Object.fromEntries(parameters)).toString();
  return `${url}${/^\/(?:api|app)\//.test(path) ? '' : '/api/v1'}${path}${search === '' ? '' : `?${search}`}`;
}

/** Converts an error of fetch. The message contains the code of the cause, because fetch itself says only "fetch failed". */
export function toConnectionError({ url }: Connection, cause: unknown): ConnectionError {
  const rootCause = cause instanceof Error ? cause.cause : undefined;
  const code = rootCause instanceof Error && 'code' in rootCause ? ` (${String(rootCause.code)})` : '';
  return new ConnectionError(`The connection to ${url} failed${code}.`, { cause });
}

async function readResponse<T>({ parseJson }: Connection, response: Response): Promise<ApiResponse<T>> {
  const { status, headers } = response;
  const text = await response.text();
  if (!response.ok) throw createApiError({ status, headers, body: parseErrorBody(text) });
  if (text === '') return { status, headers, body: undefined as T };
  if (!/\bjson\b/.test(headers.get('content-type') ?? ''))
    throw new UnexpectedResponseError(
      `Expected JSON but received ${headers.get('content-type') ?? 'no Content-Type'}. Check the url of the client.`,
    );
  try {
    return { status, headers, body: parseJson(text) as T };
  } catch (cause) {
    throw new ConnectionError('The response ended early: its JSON is incomplete.', { cause });
  }
}

/** Parses the body of an error. Returns an empty object if a proxy sent it. */
export function parseErrorBody(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
