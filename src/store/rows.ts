// Runs a statement and returns one row, all rows, a count, or whether a row was affected.
import type { Tx } from './db.ts';

/** A page of a list: the rows after the key, or the first ones if it is null. */
export interface After<K> {
  readonly after: K | null;
  readonly limit: number;
}

type Statement = readonly [statement: string, values?: readonly unknown[]];

/** Returns the first row, or undefined if there is none. */
export async function first<R>(tx: Tx, ...statement: Statement): Promise<R | undefined> {
  return (await tx.query<R>(...statement)).rows[0];
}

/** Returns all rows. */
export async function all<R>(tx: Tx, ...statement: Statement): Promise<readonly R[]> {
  return (await tx.query<R>(...statement)).rows;
}

/** Returns the selected `count`. */
export async function countRows(tx: Tx, ...statement: Statement): Promise<number> {
  return (await first<{ readonly count: number }>(tx, ...statement))?.count ?? 0;
}

/** Returns whether the statement found or changed a row. */
export async function matches(tx: Tx, ...statement: Statement): Promise<boolean> {
  return (await tx.query(...statement)).rowCount === 1;
}
