// Reads lists item by item, and loads each page when the caller has consumed the page before.
import { UnexpectedResponseError } from './errors.ts';
import { type CallOptions, type Connection, type Query, send } from './send.ts';

export interface ListOptions extends CallOptions {
  readonly query?: Query;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

/** Yields the items of all pages of a list. A page is `{ data, nextCursor }`, or an array with a `Link` header. */
export async function* listItems<T>(
  connection: Connection,
  path: string,
  { query, signal }: ListOptions,
): AsyncGenerator<T, void, undefined> {
  let cursor = query?.cursor;
  for (;;) {
    const { body, headers } = await send(connection, {
      method: 'GET',
      path,
      query: { ...query, cursor },
      signal,
    });
    const page = readPage<T>(body, headers);
    yield* page.items;
    if (page.nextCursor === undefined) return;
    // Prevents an endless loop.
    if (page.nextCursor === cursor)
      throw new UnexpectedResponseError(`${path} returned the same page twice.`);
    cursor = page.nextCursor;
  }
}

function readPage<T>(body: unknown, headers: Headers): Page<T> {
  if (Array.isArray(body)) return { items: body as T[], nextCursor: parseNextCursor(headers.get('link')) };
  const { data, entries, nextCursor } = (body ?? {}) as Record<string, unknown>;
  // The ledger of credits has `entries` instead of `data`.
  const items = data ?? entries;
  if (!Array.isArray(items)) throw new UnexpectedResponseError('The response is not a list.');
  return { items: items as T[], nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined };
}

// Uses only the cursor of the link, so that the API key is never sent to another host.
function parseNextCursor(link: string | null): string | undefined {
  const nextUrl = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')?.[1];
  if (nextUrl === undefined) return undefined;
  return new URL(nextUrl, 'http://localhost').searchParams.get('cursor') ?? undefined;
}
