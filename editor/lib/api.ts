// The service's API as the application calls it: by session cookie, and again after a sign-in where the session had ended.
import { ApiError } from '../../sdk/src/errors.ts';
import { followRun } from '../../sdk/src/follow.ts';
import { type Answer, type Call, type Connection, type Query, send } from '../../sdk/src/send.ts';
import type { Media } from '../../sdk/src/types.ts';
import { uploadFile } from '../../sdk/src/upload.ts';
import { askToSignIn } from './expired-session.ts';

export const connection: Connection = {
  url: location.origin,
  headers: { 'x-client': 'editor' },
  fetch: (input, init) => fetch(input, init),
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

export type CallOptions = Omit<Call, 'method' | 'path'>;

/**
 * The answer with its status and headers. Throws an ApiError where the service refuses, a ConnectionError where it cannot
 * be reached. Where the session has ended it asks to sign in and then sends the same again.
 */
export async function request<T>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<T>> {
  const call: Call = { ...options, method, path };
  try {
    return await send<T>(connection, call);
  } catch (thrown) {
    if (!isSignedOut(thrown) || !(await askToSignIn(options.signal))) throw thrown;
    return send<T>(connection, call);
  }
}

const bodyOf = async <T>(answer: Promise<Answer<T>>): Promise<T> => (await answer).body;

/** Paths begin after `/api/v1`. Each resolves to the body of the answer. */
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

/** Whether the service knows of no session; a wrong password is something else. */
export function isSignedOut(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.status === 401 && thrown.code === 'unauthorized';
}

/** A page of a list, whichever of the two forms the list has. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** One page of a list. */
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

/** The events of a run up to its end, across cuts of the connection. */
export function follow(executionId: string, signal: AbortSignal): ReturnType<typeof followRun> {
  return followRun(connection, executionId, { signal });
}

/** Uploads a file of this computer. */
export function upload(file: File): Promise<Media> {
  return uploadFile(connection, file, {});
}
