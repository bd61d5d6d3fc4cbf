// Stores an uploaded table.
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import {
  countTables,
  type Delimiter,
  insertChunk,
  insertTable,
  type TableFormat,
} from '../../store/automation/tables.ts';
import { MAX_ROWS } from '../batches/batch.schema.ts';
import { parseTable } from './parse-table.ts';
import { presentTable } from './read-table.ts';

export const MAX_TABLE_BYTES = 50_000_000;
/** Tables that a user may have at a time. */
const MAX_TABLES = 20;

// Each file takes its size in memory until it is parsed.
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
    throw new AppError(
      'conflict',
      `You have ${MAX_TABLES} tables, the most allowed. Each is deleted 24 hours after its upload.`,
    );
  const { format, delimiter } = file;
  const id = newId('table', deps.now());
  const table = await parsing(async () => {
    const chunks = await collect(file.source);
    return deps.db.transaction(async tx => {
      let stored = 0;
      const parsed = await parseTable(chunks, {
        format,
        delimiter,
        maxRows: MAX_ROWS,
        onLines: lines => insertChunk(tx, id, stored++, JSON.stringify(lines)),
      });
      const row = {
        id,
        user_id: user.userId,
        format: parsed.format,
        delimiter: parsed.delimiter,
        encoding: parsed.encoding,
        columns: JSON.stringify(parsed.columns),
        sample: JSON.stringify(parsed.sample.map(({ cells }) => cells)),
        problems: JSON.stringify(parsed.problems),
        total: parsed.total,
      };
      await insertTable(tx, row);
      return row;
    });
  }, signal);
  return presentTable(table);
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > MAX_TABLE_BYTES)
      throw new AppError('file_too_large', `The table is larger than ${MAX_TABLE_BYTES / 1e6} MB. Split it.`);
    chunks.push(Buffer.copyBytesFrom(chunk));
  }
  return chunks;
}
