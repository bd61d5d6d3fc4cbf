// Reads, lists and deletes uploaded tables.
import type { Json } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { parseExactJson } from '../../lib/exact-numbers.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import { byId, type PageQuery, readPage } from '../../services/paging.ts';
import { presentColumns } from '../../services/present-columns.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { MAX_ROWS } from '../batches/batch.schema.ts';
import {
  deleteTable,
  findChunk,
  findTable,
  type ListedTable,
  listTables,
  type UploadedTable,
} from './store.ts';

/** A row of the file. */
export interface TableRow {
  /** The line on which the row begins. A quoted cell may continue on the next lines. */
  readonly line: number;
  readonly cells: readonly Json[];
}

export interface RowProblem {
  /** The line on which the row begins. */
  readonly line: number;
  readonly message: string;
}

export interface ReadableTable {
  readonly columns: readonly string[];
  readonly total: number;
  readonly problems: readonly RowProblem[];
  /** Yields the rows in order. Reads the table in chunks, so that a large one is never in memory as a whole. */
  readonly readRows: (tx: Tx) => AsyncGenerator<TableRow>;
}

/** Throws 404 if the table does not exist or has expired, and 403 if it belongs to another user. */
export async function getReadableTable(deps: Deps, user: UserActor, id: string): Promise<ReadableTable> {
  const table = await getUploadedTable(deps, user, id);
  return {
    columns: JSON.parse(table.columns) as string[],
    total: table.total,
    problems: JSON.parse(table.problems) as RowProblem[],
    readRows: tx => readRows(tx, table),
  };
}

/** Throws 404 if the table is deleted meanwhile. */
async function* readRows(tx: Tx, { id, total }: UploadedTable): AsyncGenerator<TableRow> {
  let rows = 0;
  for (let chunk = 0; ; chunk++) {
    const text = await findChunk(tx, id, chunk);
    if (text === undefined) break;
    const chunkRows = parseExactJson(text) as TableRow[];
    rows += chunkRows.length;
    yield* chunkRows;
  }
  if (rows < Math.min(total, MAX_ROWS)) throw createMissingError();
}

const createMissingError = (): AppError =>
  new AppError('not_found', 'Table not found. Tables are deleted after 24 hours.');

async function getUploadedTable(
  { db }: Pick<Deps, 'db'>,
  user: UserActor,
  id: string,
): Promise<UploadedTable> {
  const table = await findTable(db, id);
  if (table === undefined) throw createMissingError();
  if (table.user_id !== user.userId)
    throw new AppError('forbidden', 'This table belongs to another user. Upload your own copy.');
  return table;
}

export async function readTable(deps: Deps, actor: Actor, id: string) {
  return presentTable(await getUploadedTable(deps, requireScope(actor, 'workflows:execute'), id));
}

export function listTablePage(deps: Deps, actor: Actor, query: PageQuery) {
  const { userId } = requireScope(actor, 'workflows:execute');
  return readPage(query, byId('table'), page => listTables(deps.db, userId, page), presentListedTable);
}

const KEPT_MS = 24 * 3_600_000;

function presentListedTable(table: ListedTable) {
  return {
    tableId: table.id,
    ...presentColumns(table, 'format delimiter encoding total bytes is_used created_at'),
    expiresAt: new Date(table.created_at.getTime() + KEPT_MS).toISOString(),
  };
}

/** Deletes a table. Throws 404 and 403 like `getReadableTable`. */
export async function removeTable(deps: Deps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'workflows:execute');
  await getUploadedTable(deps, user, id);
  await deps.db.transaction(async tx => {
    await deleteTable(tx, id);
    recordAudit(tx, user, { action: 'table.deleted', target: id });
  });
}

export function presentTable(table: UploadedTable) {
  return {
    tableId: table.id,
    format: table.format,
    delimiter: table.delimiter,
    encoding: table.encoding,
    columns: JSON.parse(table.columns) as string[],
    total: table.total,
    // With the digits of all numbers.
    sample: parseExactJson(table.sample) as readonly Json[][],
    problems: JSON.parse(table.problems) as RowProblem[],
  };
}
