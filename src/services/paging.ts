// Pages lists: parses the query, fetches one page, and encodes the cursor of the next one.
import { type Static, type TSchema, Type } from 'typebox';
import { measureAtLeast } from '../engine/output-size.ts';
import { type AppError, createFieldError } from '../lib/errors.ts';
import { type IdKind, isId } from '../lib/ids.ts';
import { MAX_PAGE_BYTES, type PageRange, type PageRow } from '../store/rows.ts';
import { parseIsoTime } from './schema.ts';

const Cursor = Type.Optional(
  Type.String({ maxLength: 200, description: 'The `nextCursor` of the previous page' }),
);

const DEFAULT_LIMIT = 50;
export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: DEFAULT_LIMIT })),
  cursor: Cursor,
});
export type PageQuery = Static<typeof PageQuery>;

/** The default limit of lists that are returned as bare arrays. */
export const ARRAY_LIMIT = 100;
export const ArrayQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: ARRAY_LIMIT })),
  cursor: Cursor,
});
export type ArrayQuery = Static<typeof ArrayQuery>;

export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

const getTitle = (item: TSchema): string => String((item as { readonly title?: string }).title);

/** Defines a page of items with its own schema name. */
export const PageSchema = (item: TSchema) =>
  Type.Object(
    {
      data: Type.Array(item),
      nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'Null on the last page' }),
    },
    { title: `${getTitle(item).replace(/ListItem$/, '')}Page`, description: 'One page of a list' },
  );

/** The order of a list: the key of its rows, and how a cursor encodes it. */
export interface Order<R, K> {
  readonly keyOf: (row: R) => K;
  readonly encode: (key: K) => string;
  /** Parses the key from a cursor; undefined for anything that `encode` did not produce. */
  readonly decode: (text: string) => K | undefined;
}

export const byId = (kind: IdKind): Order<{ readonly id: string }, string> => ({
  keyOf: row => row.id,
  encode: id => id,
  decode: text => (isId(kind, text) ? text : undefined),
});

/** Orders by an integer column starting at 0, such as serial columns. */
export const byNumber = <C extends string>(
  column: C,
  max = 2_147_483_647,
): Order<Readonly<Record<C, number>>, number> => ({
  keyOf: row => row[column],
  encode: String,
  decode: text => (/^\d{1,16}$/.test(text) && Number(text) <= max ? Number(text) : undefined),
});

/** Fetches and presents the requested page. Throws 400 for an invalid cursor. */
export function readPage<R extends object, K, T>(
  query: PageQuery,
  order: Order<R, K>,
  fetch: (page: PageRange<K>) => Promise<readonly R[]>,
  present: (row: R) => T,
): Promise<Page<T>> {
  return readSizedPage(
    query,
    order,
    async ({ after, limit }) => {
      // Whether there is an extra row tells whether another page follows.
      const rows = await fetch({ after, limit: limit + 1 });
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
    },
    present,
  );
}

/**
 * Works like `readPage`, for a `fetch` that may return fewer rows than the limit although more follow. A page has fewer items
 * than its limit if they are larger than a page may be.
 */
export async function readSizedPage<R extends object, K, T>(
  { limit = DEFAULT_LIMIT, cursor }: PageQuery,
  order: Order<R, K>,
  fetch: (page: PageRange<K>) => Promise<{ readonly rows: readonly R[]; readonly hasMore: boolean }>,
  present: (row: R) => T,
): Promise<Page<T>> {
  const { rows, hasMore } = await fetch({
    after: cursor === undefined ? null : parseCursor(cursor, order),
    limit,
  });
  const data = presentWithinBytes(rows, present);
  const lastRow = hasMore || data.length < rows.length ? rows[data.length - 1] : undefined;
  return {
    data,
    nextCursor: lastRow === undefined ? null : encodeCursor(order.encode(order.keyOf(lastRow))),
  };
}

/** Presents the rows that fit into a page, at least one. */
function presentWithinBytes<R extends PageRow, T>(rows: readonly R[], present: (row: R) => T): readonly T[] {
  const items: T[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (items.length > 0 && row.is_beyond === true) break;
    const item = present(row);
    bytes += measureAtLeast(item, MAX_PAGE_BYTES).bytes;
    if (items.length > 0 && bytes > MAX_PAGE_BYTES) break;
    items.push(item);
  }
  return items;
}

/** Continues a page that is not full before this id, if older rows may match. */
export const resumeAfter = <T>(page: Page<T>, resumeBeforeId: string | undefined): Page<T> =>
  page.nextCursor !== null || resumeBeforeId === undefined
    ? page
    : { ...page, nextCursor: encodeCursor(resumeBeforeId) };

/** Returns the cursor of the page after the encoded key. */
export const encodeCursor = (key: string): string => Buffer.from(key, 'latin1').toString('base64url');

function parseCursor<K>(cursor: string, order: Pick<Order<never, K>, 'decode'>): K {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const key = encodeCursor(text) === cursor ? order.decode(text) : undefined;
  if (key === undefined) throw createInvalidQueryError('cursor', 'does not belong to this list');
  return key;
}

/** Parses the time of a filter; null if absent. Throws 400. */
export function parseTimeFilter(name: string, text: string | undefined): Date | null {
  const time = text === undefined ? null : parseIsoTime(text);
  if (time === undefined)
    throw createInvalidQueryError(name, 'must be a time in ISO 8601, such as 2026-11-21T12:00:00Z');
  return time;
}

function createInvalidQueryError(name: string, message: string): AppError {
  return createFieldError(`/${name}`, message, `The query at /${name}`);
}
