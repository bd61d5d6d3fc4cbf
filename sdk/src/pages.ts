// Lists, item by item: the next page is asked for when the one before has been read.
import { UnexpectedAnswerError } from './errors.ts';
import { type CallOptions, type Connection, type Query, send } from './send.ts';

export interface ListOptions extends CallOptions {
  readonly query?: Query;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | undefined;
}

/** Every item of a list, over all its pages: of `{ data, nextCursor }`, and of a bare array with its `Link` header. */
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
    if (page.cursor === undefined) return;
    // It would go round for ever.
    if (page.cursor === cursor) throw new UnexpectedAnswerError(`${path} gave the same page twice.`);
    cursor = page.cursor;
  }
}

function readPage<T>(body: unknown, headers: Headers): Page<T> {
  if (Array.isArray(body)) return { items: body as T[], cursor: nextCursor(headers.get('link')) };
  const { data, entries, nextCursor: next } = (body ?? {}) as Record<string, unknown>;
  // The ledger of credits calls its items entries.
  const items = data ?? entries;
  if (!Array.isArray(items)) throw new UnexpectedAnswerError('The answer is no list.');
  return { items: items as T[], cursor: typeof next === 'string' ? next : undefined };
}

// Of the link only the cursor is used: whatever host it names, the key is not sent there.
function nextCursor(link: string | null): string | undefined {
  const address = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')?.[1];
  if (address === undefined) return undefined;
  return new URL(address, 'http://localhost').searchParams.get('cursor') ?? undefined;
}
