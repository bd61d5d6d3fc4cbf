// Pages of a list: a limit, an opaque cursor, and what both become.
import type { Static, TSchema } from 'typebox';
import { Type } from 'typebox';
import { AppError } from '../lib/errors.ts';

const Cursor = Type.Optional(
  Type.String({ maxLength: 200, description: 'The `nextCursor` of the page before' }),
);

export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Cursor,
});
export type PageQuery = Static<typeof PageQuery>;

/** The same for lists that are bare arrays (decisions.md §1). */
export const ArrayQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  cursor: Cursor,
});
export type ArrayQuery = Static<typeof ArrayQuery>;

export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

export const pageOf = (item: TSchema) =>
  Type.Object({ data: Type.Array(item), nextCursor: Type.Union([Type.String(), Type.Null()]) });

/** The page of `limit` rows where one more was asked for, to know whether another page follows. */
export function toPage<R, T>(
  rows: readonly R[],
  limit: number,
  present: (row: R) => T,
  keyOf: (row: R) => string | number,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    data: shown.map(present),
    nextCursor: more ? Buffer.from(String(keyOf(last))).toString('base64url') : null,
  };
}

/** The id that the page before ended with; undefined at the start. */
export function parseIdCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!/^[a-z]+_[0-9a-z]{26}$/.test(id)) throw badCursor();
  return id;
}

/** The number that the page before ended with; 0 at the start. */
export function parseNumberCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!/^\d{1,9}$/.test(text)) throw badCursor();
  return Number(text);
}

function badCursor(): AppError {
  return new AppError('invalid_request', 'cursor is not one that this list gave.');
}
