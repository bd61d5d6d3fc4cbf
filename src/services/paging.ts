// Pages of a list: what callers may ask of every list, and the one way from their query to a page.
import type { Static, TSchema } from 'typebox';
import { Type } from 'typebox';
import { type AppError, invalidField } from '../lib/errors.ts';
import { type IdKind, isId } from '../lib/ids.ts';
import { parseIsoTime } from './iso-time.ts';

const Cursor = Type.Optional(
  Type.String({ maxLength: 200, description: 'The `nextCursor` of the page before' }),
);

const DEFAULT_LIMIT = 50;
export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: DEFAULT_LIMIT })),
  cursor: Cursor,
});
export type PageQuery = Static<typeof PageQuery>;

/** Of lists that are bare arrays. */
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

const titleOf = (item: TSchema): string => String((item as { readonly title?: string }).title);

/** A page of named items, under a name of its own. */
export const pageOf = (item: TSchema) =>
  Type.Object(
    {
      data: Type.Array(item),
      nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'null: this is the last page' }),
    },
    { title: `${titleOf(item).replace(/ListItem$/, '')}Page`, description: 'One page of a list' },
  );

/** How the key of a row is written into a cursor, and read from what a caller sends as one. */
export interface CursorForm<K> {
  readonly write: (key: K) => string;
  /** undefined for what `write` never gave. */
  readonly read: (text: string) => K | undefined;
}

export const idCursor = (kind: IdKind): CursorForm<string> => ({
  write: id => id,
  read: text => (isId(kind, text) ? text : undefined),
});

/** Whole numbers from 0, as serial columns count. */
export const numberCursor = (max = 2_147_483_647): CursorForm<number> => ({
  write: String,
  read: text => (/^\d{1,16}$/.test(text) && Number(text) <= max ? Number(text) : undefined),
});

/** A list: where its rows come from and how they are shown. */
export interface List<R, K, T> {
  readonly cursor: CursorForm<K>;
  /** The rows that follow the key, or the first ones after null. */
  readonly fetch: (after: K | null, limit: number) => Promise<readonly R[]>;
  readonly keyOf: (row: R) => K;
  readonly present: (row: R) => T;
  readonly defaultLimit?: number;
}

/** The page that the query asks for. Throws 400 for a cursor that the list never gave. */
export async function readPage<R, K, T>(query: PageQuery, list: List<R, K, T>): Promise<Page<T>> {
  const limit = query.limit ?? list.defaultLimit ?? DEFAULT_LIMIT;
  const after = query.cursor === undefined ? null : parseCursor(query.cursor, list.cursor);
  // One row more than is shown says whether another page follows.
  const rows = await list.fetch(after, limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextKey = rows.length > limit && last !== undefined ? list.keyOf(last) : undefined;
  return {
    data: shown.map(list.present),
    nextCursor: nextKey === undefined ? null : encode(list.cursor.write(nextKey)),
  };
}

const encode = (text: string): string => Buffer.from(text, 'latin1').toString('base64url');

function parseCursor<K>(cursor: string, form: CursorForm<K>): K {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const key = encode(text) === cursor ? form.read(text) : undefined;
  if (key === undefined) throw invalidQuery('cursor', 'is not one that this list gave');
  return key;
}

/** The time that a filter names; null where it is absent. Throws 400. */
export function parseTimeFilter(name: string, text: string | undefined): Date | null {
  const time = text === undefined ? null : parseIsoTime(text);
  if (time === undefined)
    throw invalidQuery(name, 'must be a time in ISO 8601, such as 2026-11-21T12:00:00Z');
  return time;
}

function invalidQuery(name: string, message: string): AppError {
  return invalidField(`/${name}`, message, `The query at /${name}`);
}
