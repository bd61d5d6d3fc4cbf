// Runs statements and converts their results: to rows, to the values of the first column, or to whether a row matched.
import type { Tx } from './db.ts';

/** Selects one page of a list. `after` is the key of the previous page's last row; null selects the first page. */
export interface PageRange<K> {
  readonly after: K | null;
  readonly limit: number;
}

/** A row of a page that `limitPageBytes` limits. */
export interface PageRow {
  /** Whether the rows before fill the page, so that this row only tells that another page follows. */
  readonly is_beyond?: boolean;
}

/** The maximum size of a page, unless it has only one row. */
export const MAX_PAGE_BYTES = 4_000_000;

/**
 * Limits a statement that selects a page to the rows whose long texts fit into a page, and one more row. PostgreSQL does not
 * read the texts to add up their sizes.
 */
export function limitPageBytes(statement: string, longColumns: readonly string[]): string {
  const bytes = longColumns.map(column => `coalesce(octet_length(p.${column}), 0)`).join(' + ');
  const sumTo = (distance: number): string =>
    `coalesce(sum(${bytes}) over (rows between unbounded preceding and ${distance} preceding), 0)`;
  return `select * from (
    select p.*, ${sumTo(1)} > ${MAX_PAGE_BYTES} as is_beyond, ${sumTo(2)} <= ${MAX_PAGE_BYTES} as is_needed
    from (${statement}) p) page where is_needed`;
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

const getFirstValue = <T>(row: object): T => Object.values(row)[0];

/** Returns the first column of the first row, or undefined if there is no row or the value is null. */
export async function firstValue<T>(tx: Tx, ...statement: Statement): Promise<T | undefined> {
  const row = await first<object>(tx, ...statement);
  return (row && getFirstValue<T | null>(row)) ?? undefined;
}

/** Returns the first column of the first row, a number, or 0 if there is no row. */
export async function firstNumber(tx: Tx, ...statement: Statement): Promise<number> {
  return (await firstValue<number>(tx, ...statement)) ?? 0;
}

/** Returns the first column of all rows. */
export async function allValues<T>(tx: Tx, ...statement: Statement): Promise<readonly T[]> {
  return (await all<object>(tx, ...statement)).map(row => getFirstValue<T>(row));
}

/** Returns the distinct values of the first column. */
export async function valueSet<T>(tx: Tx, ...statement: Statement): Promise<ReadonlySet<T>> {
  return new Set(await allValues<T>(tx, ...statement));
}

/** Returns whether the statement found or changed a row. */
export async function matches(tx: Tx, ...statement: Statement): Promise<boolean> {
  return (await tx.query(...statement)).rowCount > 0;
}

/**
 * Inserts a row. The property names are the columns; they must not come from users, because they are not escaped.
 * `onConflict` is the clause for a row that exists.
 */
export async function insertRow(tx: Tx, table: string, row: object, onConflict?: string): Promise<void> {
  await tx.query(...buildInsert(table, row, onConflict));
}

/** Inserts a row unless it would violate a unique constraint. Returns whether it was inserted. */
export function insertMissingRow(tx: Tx, table: string, row: object): Promise<boolean> {
  return matches(tx, ...buildInsert(table, row, 'on conflict do nothing'));
}

function buildInsert(table: string, row: object, onConflict = ''): Statement {
  const columns = Object.keys(row);
  const parameters = columns.map((_, index) => `$${index + 1}`);
  return [
    `insert into ${table} (${columns.join(', ')}) values (${parameters.join(', ')}) ${onConflict}`,
    Object.values(row),
  ];
}

/**
 * Inserts rows with the same properties, which are passed as JSON. PostgreSQL takes their types from the table. Columns
 * without a property get their default, as do those that a later version adds.
 */
export async function insertRows(tx: Tx, table: string, rows: readonly object[]): Promise<void> {
  const [row] = rows;
  if (row === undefined) return;
  const columns = Object.keys(row).join(', ');
  await tx.query(
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1::json)`,
    [JSON.stringify(rows)],
  );
}

/** Builds the assignments of an `on conflict do update` that replace the values of these columns. */
export const setExcluded = (columns: string): string => columns.replaceAll(/\w+/g, '$& = excluded.$&');

/** Sets the columns in `change`, and runs the SQL assignments in `assignments`. */
export async function updateRow(
  tx: Tx,
  table: string,
  id: string,
  change: object,
  assignments: readonly string[] = [],
): Promise<void> {
  const columns = Object.keys(change).map((column, index) => `${column} = $${index + 2}`);
  const changes = [...columns, ...assignments];
  if (changes.length === 0) return;
  await tx.query(`update ${table} set ${changes.join(', ')} where id = $1`, [id, ...Object.values(change)]);
}

/** Waits for the advisory lock of that name and holds it until the transaction ends. */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}
