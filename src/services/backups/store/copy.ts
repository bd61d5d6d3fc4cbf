// Opens a separate connection for long tasks, which can use temporary tables and PostgreSQL's COPY.
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from, to } from 'pg-copy-streams';
import type { Db, Rows, Tx } from '../../../store/db.ts';

/** A table to copy. The names must be quoted for SQL. */
export interface CopiedTable {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface Session extends Tx {
  /** Commits when `work` resolves. If `work` throws, the caller must end the session, which rolls back. */
  transaction<T>(isolation: 'read committed' | 'repeatable read', work: () => Promise<T>): Promise<T>;
  /** Reads the table's rows in COPY text format, in chunks of complete rows. */
  copyOut(table: CopiedTable): AsyncGenerator<Uint8Array>;
  /** Appends rows in the format of `copyOut`. Throws PostgreSQL's error for a row that it rejects. */
  copyIn(table: CopiedTable, chunks: AsyncIterable<Uint8Array>): Promise<void>;
}

const CHUNK_BYTES = 8 * 1024 * 1024;
const NEWLINE = 10;

/** Opens a session and closes its connection after the work, so that nothing uncommitted remains. */
export function withSession<T>(db: Db, work: (session: Session) => Promise<T>): Promise<T> {
  return db.withOwnConnection(client => work(createSession(client)));
}

function createSession(client: Client): Session {
  return {
    async query<R>(statement: string, values: readonly unknown[] = []): Promise<Rows<R>> {
      const { rows, rowCount } = await client.query(statement, values as unknown[]);
      return { rows: rows as R[], rowCount: rowCount ?? 0 };
    },
    async transaction(isolation, work) {
      await client.query(`begin isolation level ${isolation}`);
      const result = await work();
      await client.query('commit');
      return result;
    },
    copyOut: ({ table, columns }) =>
      // Uses a select, because `copy` of a partitioned table copies no rows.
      joinRows(client.query(to(`copy (select ${columns.join(', ')} from ${table}) to stdout`))),
    copyIn: ({ table, columns }, chunks) =>
      pipeline(chunks, client.query(from(`copy ${table} (${columns.join(', ')}) from stdin`))),
  };
}

/** Yields chunks of complete rows. A newline inside a value is written as \n, so the byte itself ends a row. */
async function* joinRows(pieces: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let pendingPieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    pendingPieces.push(piece);
    bytes += piece.length;
    // Collects the pieces of a long row, because concatenating each piece to the previous pieces would copy these again.
    if (bytes < CHUNK_BYTES || !piece.includes(NEWLINE)) continue;
    const buffered = Buffer.concat(pendingPieces);
    const end = buffered.lastIndexOf(NEWLINE) + 1;
    // Copies the bytes, because the consumer may free a chunk's memory.
    const remainder = Buffer.from(buffered.subarray(end));
    if (end > 0) yield buffered.subarray(0, end);
    pendingPieces = [remainder];
    bytes = remainder.length;
  }
  if (bytes > 0) yield Buffer.concat(pendingPieces);
}
