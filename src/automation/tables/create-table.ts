// Stores an uploaded table.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../lib/errors.ts';
import { readFileChunks, withTempFolder } from '../../lib/files.ts';
import { freeAfterUse } from '../../lib/freeing.ts';
import { newId } from '../../lib/ids.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { requirePace } from '../../lib/min-pace.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import { claimStorage, requireFreeStorage } from '../../services/media/storage-quota.ts';
import type { Tx } from '../../store/db.ts';
import { MAX_ROWS } from '../batches/batch.schema.ts';
import { createEncodingDetector, type DeclaredEncoding, type EncodingDetector } from './encoding.ts';
import { parseTable } from './parse-table.ts';
import { presentTable } from './read-table.ts';
import {
  type Delimiter,
  insertChunks,
  insertTable,
  lockTables,
  sumTables,
  type TableFormat,
} from './store.ts';

export const MAX_TABLE_BYTES = 50_000_000;
/** The maximum number of tables of a user over which no batch runs. */
const MAX_TABLES = 20;
/** The maximum size of these tables. */
const MAX_STORED_BYTES = 200_000_000;

// Each file takes space on the disk until it is parsed. Parsing has a separate limit, so that slow uploads do not block it.
// A slow upload ends when accounts with fewer uploads wait for its place.
const limitReceiving = createLimiter({ concurrency: 8, maxWaiting: 20, maxPerAccount: 4 });
const limitParsing = createLimiter({ concurrency: 2, isCostly: true });

export type { TableFormat };

export interface TableFile {
  readonly source: AsyncIterable<Uint8Array>;
  readonly delimiter: Delimiter | undefined;
  /** Returns the format that the sender has named, once the file has been received. */
  readonly findFormat: () => TableFormat | undefined;
  /** The same for the encoding. */
  readonly findEncoding: () => DeclaredEncoding | undefined;
}

/**
 * Throws 400 `invalid_request` for an unknown encoding, `file_too_large`, `storage_quota_exceeded`, 415 for a binary file, 408
 * for a slow upload while others wait, and 409 `conflict` if the user has too many tables. The response lists problems of
 * rows.
 */
export async function createTable(deps: Deps, actor: Actor, file: TableFile, signal: AbortSignal) {
  const user = requireScope(actor, 'workflows:execute');
  await requireSpace(deps.db, user.userId, 0);
  await requireFreeStorage(deps, user.userId);
  const work = (folder: string) => receiveAndParse(deps, user.userId, { ...file, folder, signal });
  return presentTable(await limitReceiving(() => withTempFolder(work), signal));
}

interface ReceivedFile extends TableFile {
  readonly folder: string;
  readonly signal: AbortSignal;
}

async function receiveAndParse(
  deps: Deps,
  userId: number,
  { source, folder, delimiter, findFormat, findEncoding, signal }: ReceivedFile,
) {
  const pace = { windowMs: deps.timing.senderPaceMs, mustYield: limitReceiving.mustYield };
  const path = join(folder, 'table');
  const detector = await receiveFile(requirePace(source, pace), path);
  return limitParsing(async () => {
    const found = await detector.find(findEncoding());
    const file = { ...found, chunks: freeAfterUse(readFileChunks(path)) };
    const id = newId('table', deps.now());
    await using rows = await createRowFile(join(folder, 'rows'));
    const parsed = await parseTable(file, {
      format: findFormat(),
      delimiter,
      maxRows: MAX_ROWS,
      onRows: async chunk => {
        signal.throwIfAborted();
        await rows.add(JSON.stringify(chunk));
      },
    });
    const columns = JSON.stringify(parsed.columns);
    const sample = JSON.stringify(parsed.sample.map(({ cells }) => cells));
    const problems = JSON.stringify(parsed.problems);
    const bytes = rows.bytes + Buffer.byteLength(columns + sample + problems);
    const { format, delimiter: foundDelimiter, encoding, total } = parsed;
    const form = { format, delimiter: foundDelimiter, encoding };
    const table = { id, user_id: userId, ...form, columns, sample, problems, total, bytes };
    await deps.db.transaction(async tx => {
      await insertChunks(tx, id, rows.read());
      await lockTables(tx, userId);
      await requireSpace(tx, userId, bytes);
      await claimStorage(tx, deps.settings, { userId, bytes });
      await insertTable(tx, table);
    });
    return table;
  }, signal);
}

/** A file of texts. Rows wait on the disk until all are parsed, so that no transaction is open meanwhile. */
async function createRowFile(path: string) {
  const file = await open(path, 'wx+', 0o600);
  const sizes: number[] = [];
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    async add(text: string): Promise<void> {
      const buffer = Buffer.from(text);
      await file.write(buffer, 0, buffer.length, bytes);
      sizes.push(buffer.length);
      bytes += buffer.length;
    },
    async *read(): AsyncGenerator<string> {
      let position = 0;
      for (const size of sizes) {
        const { buffer } = await file.read(Buffer.alloc(size), 0, size, position);
        yield buffer.toString();
        position += size;
      }
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

const WHAT_TO_DO =
  'Start their batches, or delete tables with DELETE /api/v1/tables/{id}. GET /api/v1/tables lists them. Each is deleted 24 hours after its upload.';

/** Throws 409 `conflict` if another table of this size would exceed the user's limits. */
async function requireSpace(tx: Tx, userId: number, bytes: number): Promise<void> {
  const usage = await sumTables(tx, userId);
  if (usage.count >= MAX_TABLES)
    throw new AppError(
      'conflict',
      `You have ${MAX_TABLES} tables without a batch, which is the limit. ${WHAT_TO_DO}`,
    );
  if (usage.bytes + bytes > MAX_STORED_BYTES)
    throw new AppError(
      'conflict',
      `Your tables would take more than ${MAX_STORED_BYTES / 1e6} MB together. ${WHAT_TO_DO}`,
    );
}

/** Writes the file to disk, because its encoding is known only after its last byte. */
async function receiveFile(source: AsyncIterable<Uint8Array>, path: string): Promise<EncodingDetector> {
  const detector = createEncodingDetector();
  let bytes = 0;
  await using file = await open(path, 'wx', 0o600);
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > MAX_TABLE_BYTES)
      throw new AppError('file_too_large', `The table is larger than ${MAX_TABLE_BYTES / 1e6} MB. Split it.`);
    detector.add(chunk);
    // Written before the next chunk is requested, because the source may then free this chunk.
    await file.writeFile(chunk);
  }
  return detector;
}
