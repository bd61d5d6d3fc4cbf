// Stores uploaded tables and their rows for a day.
import type { Tx } from '../../store/db.ts';
import { all, first, firstValue, insertRow, lockName, type PageRange } from '../../store/rows.ts';

export const TABLE_FORMATS = ['csv', 'jsonl'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];
export const DELIMITERS = ['comma', 'semicolon', 'tab'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export interface UploadedTable {
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
  /** The size of the stored rows, columns, sample and problems, which counts toward the storage of the user. */
  readonly bytes: number;
}

const COLUMNS = 'id, user_id, format, delimiter, encoding, columns, sample, problems, total, bytes';
const NOT_EXPIRED = "created_at > now() - interval '24 hours'";

/** Stores a table. The same transaction has stored its rows before. */
export function insertTable(tx: Tx, table: UploadedTable): Promise<void> {
  return insertRow(tx, 'tables', table);
}

/** Pending chunks are inserted once they have this many characters in total. */
const MAX_INSERTED_CHARACTERS = 1_000_000;

/** Stores the rows of a table, in chunks of JSON text that are numbered from 0. */
export async function insertChunks(tx: Tx, tableId: string, chunks: AsyncIterable<string>): Promise<void> {
  let pending: string[] = [];
  let characters = 0;
  let inserted = 0;
  const flush = async (): Promise<void> => {
    await tx.query(
      `insert into table_chunks (table_id, chunk, rows)
       select $1, $2 + ordinality - 1, rows from unnest($3::text[]) with ordinality as c (rows, ordinality)`,
      [tableId, inserted, pending],
    );
    inserted += pending.length;
    pending = [];
    characters = 0;
  };
  for await (const rows of chunks) {
    pending.push(rows);
    characters += rows.length;
    if (characters >= MAX_INSERTED_CHARACTERS) await flush();
  }
  if (pending.length > 0) await flush();
}

/** Returns the table if it is not older than a day. */
export function findTable(tx: Tx, id: string): Promise<UploadedTable | undefined> {
  return first(tx, `select ${COLUMNS} from tables where id = $1 and ${NOT_EXPIRED}`, [id]);
}

/** Prevents other transactions from storing a table for the user until this one ends. */
export function lockTables(tx: Tx, userId: number): Promise<void> {
  return lockName(tx, `tables ${userId}`);
}

export interface ListedTable
  extends Pick<UploadedTable, 'id' | 'format' | 'delimiter' | 'encoding' | 'total' | 'bytes'> {
  readonly is_used: boolean;
  readonly created_at: Date;
}

/** Lists the user's tables that have not expired, newest first. */
export function listTables(
  tx: Tx,
  userId: number,
  { after, limit }: PageRange<string>,
): Promise<readonly ListedTable[]> {
  return all(
    tx,
    `select id, format, delimiter, encoding, total, bytes, used_at is not null as is_used, created_at
     from tables where user_id = $1 and ${NOT_EXPIRED} and ($2::text is null or id < $2)
     order by id desc limit $3`,
    [userId, after, limit],
  );
}

/** Notes that a batch over the table was accepted. */
export async function markTableUsed(tx: Tx, id: string): Promise<void> {
  await tx.query('update tables set used_at = now() where id = $1 and used_at is null', [id]);
}

export async function deleteTable(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from tables where id = $1', [id]);
}

/** Returns the number and total size of the user's tables that have not expired and over which no batch runs. */
export async function sumTables(
  tx: Tx,
  userId: number,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const row = await first<{ count: number; bytes: number }>(
    tx,
    `select count(*) as count, coalesce(sum(bytes), 0)::bigint as bytes
     from tables where user_id = $1 and used_at is null and ${NOT_EXPIRED}`,
    [userId],
  );
  return row ?? { count: 0, bytes: 0 };
}

/** Returns a chunk of rows as JSON text, or undefined after the last chunk. */
export function findChunk(tx: Tx, tableId: string, chunk: number): Promise<string | undefined> {
  return firstValue(tx, 'select rows from table_chunks where table_id = $1 and chunk = $2', [tableId, chunk]);
}
