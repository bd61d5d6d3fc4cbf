// Calls the API with the session cookie. If the session has expired or must be confirmed, prompts the user and repeats the
// request.
import { ApiError } from '../../sdk/src/errors.ts';
import type { ConfirmationOptions } from '../../sdk/src/schemas.ts';
import { type ApiResponse, type Call, type Connection, type Query, send } from '../../sdk/src/send.ts';
import { requestSignIn } from './expired-session.ts';
import type { FailedRequest } from './prompt.ts';
import { type ReauthenticationMethod, requestReauthentication } from './reauthentication.ts';
import type { Responses } from './responses.ts';

export const connection: Connection = {
  url: location.origin,
  headers: { 'x-client': 'editor' },
  fetch: (input, init) => fetch(input, init),
  parseJson: text => JSON.parse(text) as unknown,
  retries: 2,
  timing: {
    timeoutMs: 30_000,
    baseMs: 300,
    capMs: 2000,
    maxRetryAfterMs: 5000,
    silenceMs: 45_000,
    outageMs: 300_000,
  },
};

/** Prompts per request: a sign-in, a confirmation, and a third prompt, in case the sign-in or confirmation expires. */
const MAX_PROMPTS = 3;

export type CallOptions = Omit<Call, 'method' | 'path'>;

/**
 * Returns the response with status and headers. Throws an ApiError for an error response, and a ConnectionError if the
 * service is unreachable.
 */
export async function request<T>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ApiResponse<T>> {
  const call: Call = { ...options, method, path };
  for (let prompts = 0; ; prompts++) {
    const failedRequest = { sentMs: performance.now(), signal: options.signal };
    try {
      return await send<T>(connection, call);
    } catch (thrown) {
      if (prompts === MAX_PROMPTS || !(await promptToRetry(thrown, failedRequest))) throw thrown;
    }
  }
}

/** Prompts the user for the sign-in or confirmation that the error requires. Returns whether to repeat the request. */
async function promptToRetry(thrown: unknown, request: FailedRequest): Promise<boolean> {
  if (isSignedOut(thrown)) return requestSignIn(request);
  if (!(thrown instanceof ApiError)) return false;
  if (thrown.code === 'second_factor_required') return promptForFactor(request);
  if (thrown.code !== 'reauthentication_required') return false;
  const { methods } = thrown.body;
  return requestReauthentication(
    Array.isArray(methods) ? (methods as ReauthenticationMethod[]) : ['password'],
    request,
  );
}

/** Replaces what is not a literal in a segment of a path, as `Responses` does. */
type Segment<Text extends string> = string extends Text ? '{}' : Text extends `${number}` ? '{}' : Text;
type Template<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? `${Segment<First>}/${Template<Rest>}`
  : Segment<Path>;
type Lookup<Key extends string> = Key extends keyof Responses ? Responses[Key] : unknown;

/** The response to a request: `T` if it is given, or else what the API document says of the path. */
export type ResponseTo<T, Method extends string, Path extends string> = [T] extends [never]
  ? Lookup<`${Method} ${Template<Path>}`>
  : NoInfer<T>;

/** An item of the list at the path: `T` if it is given, or else what the API document says. */
export type ItemOf<T, Path extends string> = [T] extends [never]
  ? ResponseTo<never, 'GET', Path> extends
      | readonly (infer Item)[]
      | { readonly data: readonly (infer Item)[] }
      | { readonly entries: readonly (infer Item)[] }
    ? Item
    : unknown
  : NoInfer<T>;

/** Prompts for the second factor that the session lacks. Returns false if the user has none. */
async function promptForFactor(request: FailedRequest): Promise<boolean> {
  const { body } = await send<ConfirmationOptions>(connection, {
    method: 'POST',
    path: '/auth/reauthenticate/options',
  });
  const methods = body.methods.filter(method => method !== 'password' && method !== 'openid');
  return methods.length > 0 && requestReauthentication(methods, request);
}

const toBody = async <T>(response: Promise<ApiResponse<T>>): Promise<T> => (await response).body;

const createMethod =
  <Method extends string>(method: Method) =>
  <T = never, const Path extends string = string>(
    path: Path,
    body?: unknown,
    options?: CallOptions,
  ): Promise<ResponseTo<T, Method, Path>> =>
    toBody(request(method, path, { body, ...options }));

/** Calls the API by method. Paths start after `/api/v1`. Each method resolves to the response body. */
export const api = {
  get: <T = never, const Path extends string = string>(
    path: Path,
    options?: CallOptions,
  ): Promise<ResponseTo<T, 'GET', Path>> => toBody(request('GET', path, options)),
  post: createMethod('POST'),
  put: createMethod('PUT'),
  patch: createMethod('PATCH'),
  delete: <T = never, const Path extends string = string>(
    path: Path,
    options?: CallOptions,
  ): Promise<ResponseTo<T, 'DELETE', Path>> => toBody(request('DELETE', path, options)),
};

/** Returns whether the error means that there is no session. A wrong password has another code. */
export function isSignedOut(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.status === 401 && thrown.code === 'unauthorized';
}

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Reads one page of a list. Some lists return `nextCursor` in the body, others in a Link header. */
export async function getPage<T>(path: string, query: Query, signal?: AbortSignal): Promise<ListPage<T>> {
  const { body, headers } = await request<unknown>('GET', path, { query, signal });
  if (Array.isArray(body)) return { items: body as T[], nextCursor: parseNextCursor(headers.get('link')) };
  const { data, entries, nextCursor } = body as {
    data?: T[];
    entries?: T[];
    nextCursor?: string | null;
  };
  return { items: data ?? entries ?? [], nextCursor: nextCursor ?? null };
}

function parseNextCursor(link: string | null): string | null {
  const url = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')?.[1];
  return url === undefined ? null : new URL(url, location.origin).searchParams.get('cursor');
}
