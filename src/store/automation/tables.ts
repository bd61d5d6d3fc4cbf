// Stores uploaded tables and their rows for a day.
import type { Tx } from '../db.ts';
import { all, first } from '../rows.ts';

export const TABLE_FORMATS = ['csv', 'jsonl'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];
export const DELIMITERS = ['comma', 'semicolon', 'tab'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export interface TableRow {
  readonly id: string;
  readonly user_id: number;
  readonly format: TableFormat;
  /** null for JSON lines. */
  readonly delimiter: Delimiter | null;
  readonly encoding: string;
  /** JSON texts. */
  readonly columns: string;
  readonly sample: string;
  readonly problems: string;
  readonly total: number;
}

const COLUMNS = 'id, user_id, format, delimiter, encoding, columns, sample, problems, total';
const NOT_EXPIRED = "created_at > now() - interval '24 hours'";

/** Stores a table with its rows, each chunk as JSON text. */
export async function insertTable(tx: Tx, table: TableRow, chunks: readonly string[]): Promise<void> {
  await tx.query(
    `insert into tables (${COLUMNS}) select ${COLUMNS} from json_populate_record(null::tables, $1::json)`,
    [JSON.stringify(table)],
  );
  for (const [chunk, rows] of chunks.entries())
    await tx.query('insert into table_chunks (table_id, chunk, rows) values ($1, $2, $3)', [
      table.id,
      chunk,
      rows,
    ]);
}

/** Returns the user's table, if it is not older than a day. */
export function findTable(tx: Tx, id: string, userId: number): Promise<TableRow | undefined> {
  return first(tx, `select ${COLUMNS} from tables where id = $1 and user_id = $2 and ${NOT_EXPIRED}`, [
    id,
    userId,
  ]);
}

/** Counts the user's tables of the last day. */
export async function countTables(tx: Tx, userId: number): Promise<number> {
  const row = await first<{ count: number }>(
    tx,
    `select count(*) as count from tables where user_id = $1 and ${NOT_EXPIRED}`,
    [userId],
  );
  return row?.count ?? 0;
}

/** Returns the rows of a table in order, as JSON texts. */
export async function listChunks(tx: Tx, tableId: string): Promise<readonly string[]> {
  const rows = await all<{ rows: string }>(
    tx,
    'select rows from table_chunks where table_id = $1 order by chunk',
    [tableId],
  );
  return rows.map(row => row.rows);
}
