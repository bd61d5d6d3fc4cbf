// Stores an uploaded table.
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import { countTables, type Delimiter, insertTable, type TableFormat } from '../../store/automation/tables.ts';
import { MAX_ROWS } from '../batches/batch.schema.ts';
import { parseTable } from './parse-table.ts';
import { presentTable } from './read-table.ts';

export const MAX_TABLE_BYTES = 50_000_000;
/** Tables that a user may have at a time. */
const MAX_TABLES = 100;
const SAMPLE_ROWS = 20;
const ROWS_PER_CHUNK = 500;

// Each table takes its size in memory.
const parsing = createLimiter({ concurrency: 2, maxWaiting: 20 });

export interface TableFile {
  readonly source: AsyncIterable<Uint8Array>;
  readonly format: TableFormat | undefined;
  readonly delimiter: Delimiter | undefined;
}

/** Throws `file_too_large`, and 409 `conflict` if the user has too many tables. Problems of rows are in the response. */
export async function createTable(deps: Deps, actor: Actor, file: TableFile, signal: AbortSignal) {
  const user = requireScope(actor, 'workflows:execute');
  if ((await countTables(deps.db, user.userId)) >= MAX_TABLES)
    throw new AppError('conflict', `You have ${MAX_TABLES} tables. They are deleted after 24 hours.`);
  const { format, delimiter } = file;
  const parsed = await parsing(
    async () => parseTable(await collect(file.source), { format, delimiter, maxRows: MAX_ROWS }),
    signal,
  );
  const { rows, total } = parsed;
  const table = {
    id: newId('table', deps.now()),
    user_id: user.userId,
    format: parsed.format,
    delimiter: parsed.delimiter,
    encoding: parsed.encoding,
    columns: JSON.stringify(parsed.columns),
    sample: JSON.stringify(rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells)),
    problems: JSON.stringify(parsed.problems),
    total,
  };
  const chunks = Array.from({ length: Math.ceil(rows.length / ROWS_PER_CHUNK) }, (_, index) =>
    JSON.stringify(rows.slice(index * ROWS_PER_CHUNK, (index + 1) * ROWS_PER_CHUNK)),
  );
  await deps.db.transaction(tx => insertTable(tx, table, chunks));
  return presentTable(table);
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > MAX_TABLE_BYTES)
      throw new AppError('file_too_large', `The table is larger than ${MAX_TABLE_BYTES / 1e6} MB. Split it.`);
    chunks.push(Buffer.copyBytesFrom(chunk));
  }
  return Buffer.concat(chunks, bytes);
}
