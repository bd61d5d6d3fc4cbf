// Calls the API of the service with the session cookie. If the service asks for a sign-in or a password, asks the person
// and repeats the request.
import { ApiError } from '../../sdk/src/errors.ts';
import { followRun } from '../../sdk/src/follow.ts';
import { type ApiResponse, type Call, type Connection, type Query, send } from '../../sdk/src/send.ts';
import type { Media } from '../../sdk/src/types.ts';
import { uploadFile } from '../../sdk/src/upload.ts';
import { askToSignIn } from './expired-session.ts';
import { askForProof, type ProofMethod } from './reauthentication.ts';

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

/** Per request: a sign-in, a confirmation, and one more of either. */
const MAX_QUESTIONS = 3;

export type CallOptions = Omit<Call, 'method' | 'path'>;

/**
 * Returns the response with status and headers. Throws an ApiError if the service refuses, a ConnectionError if it is
 * unreachable. If the session expired or must be confirmed, asks the person and repeats the request.
 */
export async function request<T>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ApiResponse<T>> {
  const call: Call = { ...options, method, path };
  for (let asked = 0; ; asked++) {
    try {
      return await send<T>(connection, call);
    } catch (thrown) {
      if (asked === MAX_QUESTIONS || !(await canSendAgain(thrown, options.signal))) throw thrown;
    }
  }
}

/** Asks the person to do what the refusal requires. Returns whether they did. */
async function canSendAgain(thrown: unknown, signal: AbortSignal | undefined): Promise<boolean> {
  if (isSignedOut(thrown)) return askToSignIn(signal);
  if (!(thrown instanceof ApiError) || thrown.code !== 'reauthentication_required') return false;
  const { methods } = thrown.body;
  return askForProof(Array.isArray(methods) ? (methods as ProofMethod[]) : ['password'], signal);
}

const bodyOf = async <T>(answer: Promise<ApiResponse<T>>): Promise<T> => (await answer).body;

/** Paths start after `/api/v1`. Each method resolves to the response body. */
export const api = {
  get: <T>(path: string, options?: CallOptions): Promise<T> => bodyOf(request<T>('GET', path, options)),
  post: <T = unknown>(path: string, body?: unknown, options?: CallOptions): Promise<T> =>
    bodyOf(request<T>('POST', path, { body, ...options })),
  put: <T = unknown>(path: string, body?: unknown, options?: CallOptions): Promise<T> =>
    bodyOf(request<T>('PUT', path, { body, ...options })),
  patch: <T = unknown>(path: string, body?: unknown, options?: CallOptions): Promise<T> =>
    bodyOf(request<T>('PATCH', path, { body, ...options })),
  delete: <T = unknown>(path: string, options?: CallOptions): Promise<T> =>
    bodyOf(request<T>('DELETE', path, options)),
};

/** Whether the error means that there is no session, as opposed to a wrong password. */
export function isSignedOut(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.status === 401 && thrown.code === 'unauthorized';
}

/** A page of a list, in either of the API's two forms. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Reads one page of a list. */
export async function getPage<T>(path: string, query: Query, signal?: AbortSignal): Promise<ListPage<T>> {
  const { body, headers } = await request<unknown>('GET', path, { query, signal });
  if (Array.isArray(body)) return { items: body as T[], nextCursor: cursorOf(headers.get('link')) };
  const { data, entries, nextCursor } = body as {
    data?: T[];
    entries?: T[];
    nextCursor?: string | null;
  };
  return { items: data ?? entries ?? [], nextCursor: nextCursor ?? null };
}

function cursorOf(link: string | null): string | null {
  const address = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')?.[1];
  return address === undefined ? null : new URL(address, location.origin).searchParams.get('cursor');
}

/** Follows the events of a run to its end, across reconnects. */
export function follow(executionId: string, signal: AbortSignal): ReturnType<typeof followRun> {
  return followRun(connection, executionId, { signal });
}

/** Uploads a local file. */
export function upload(file: File): Promise<Media> {
  return uploadFile(connection, file, {});
}
