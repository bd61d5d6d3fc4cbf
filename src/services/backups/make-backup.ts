// Backs up the database and media of one point in time to one file, while the service runs.
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, ignoreNotFound } from '../../lib/errors.ts';
import { syncFolder } from '../../lib/files.ts';
import type { MediaStorage } from '../../media/storage.ts';
import { OPERATOR_CALLER, recordAudit } from '../../store/audit/record-audit.ts';
import type { Db } from '../../store/db.ts';
import { type ArchiveWriter, createArchive, writeArchiveFile } from './archive.ts';
import { computeFingerprint, HEADER_NAME, KEY_NAME, writeHeader } from './backup-header.ts';
import {
  type FileTotals,
  findSchemaVersion,
  listSequences,
  listSnapshotFiles,
  listTables,
  lockPartitions,
  quoteIdentifier,
  quoteName,
  recordSnapshotFiles,
  type SchemaVersion,
  type SnapshotFile,
} from './store/backup.ts';
import { saveLastBackup } from './store/backup-record.ts';
import { type Session, withSession } from './store/copy.ts';

export interface BackupDeps {
  readonly db: Db;
  readonly storage: MediaStorage;
  /** Undefined if the key is not available. */
  readonly secretsKey: Buffer | undefined;
  readonly now: () => number;
}

export interface BackupOptions extends StreamOptions {
  /** The file to create. It must not exist. */
  readonly path: string;
}

interface StreamOptions {
  /** The program's version. */
  readonly version: string;
  readonly includesSecretsKey: boolean;
  readonly onProgress: (progress: BackupProgress) => void;
}

export interface BackupProgress {
  readonly part: 'database' | 'media';
  readonly bytes: number;
  /** The total for media, which is known from the start; undefined for the database. */
  readonly totalBytes: number | undefined;
}

export interface BackupResult {
  readonly createdAt: string;
  readonly tables: number;
  readonly databaseBytes: number;
  readonly media: FileTotals;
  /** Media whose file was missing, usually deleted during the backup. A restore leaves them out. */
  readonly missing: number;
}

/** Files up to this size are read in parallel. */
const SMALL_BYTES = 1_048_576;
const MAX_PARALLEL_READS = 8;

/** Writes the backup to the file. If that fails, leaves no file behind. */
export async function makeBackup(
  deps: BackupDeps,
  options: BackupOptions,
  signal: AbortSignal,
): Promise<BackupResult> {
  const unfinishedPath = `${options.path}.unfinished`;
  await rm(unfinishedPath, { force: true });
  const { chunks, fail, done } = startBackup(deps, options, signal);
  const fileWritten = writeArchiveFile(unfinishedPath, chunks, signal);
  // If the file cannot be written, adding the next entry fails.
  fileWritten.catch(fail);
  await Promise.allSettled([done, fileWritten]);
  try {
    await fileWritten;
    const result = await done;
    await rename(unfinishedPath, options.path);
    await syncFolder(dirname(options.path));
    await recordBackup(deps, result, 'command line');
    return result;
  } catch (err) {
    await rm(unfinishedPath, { force: true });
    throw err;
  }
}

/**
 * Returns the bytes of a backup while it is made, and a promise that resolves when the backup is complete. If the
 * backup fails, both fail. A restore refuses the incomplete file, because it lacks the last entry.
 */
export function streamBackup(
  deps: BackupDeps,
  options: StreamOptions,
  signal: AbortSignal,
): { readonly chunks: ReadableStream<Uint8Array>; readonly done: Promise<void> } {
  const { chunks, done } = startBackup(deps, options, signal);
  return { chunks, done: done.then(result => recordBackup(deps, result, 'download')) };
}

function startBackup(deps: BackupDeps, options: StreamOptions, signal: AbortSignal) {
  const { chunks, fail, ...archive } = createArchive();
  const make = async (): Promise<BackupResult> => {
    const result = await withSession(deps.db, session =>
      writeBackup(deps, session, archive, options, signal),
    );
    await archive.finish();
    return result;
  };
  const done = make().catch((err: unknown) => {
    fail(err);
    throw err;
  });
  return { chunks, fail, done };
}

/** Records the backup, because administrators see when the last one was made. */
async function recordBackup(
  { db, now }: BackupDeps,
  { createdAt, databaseBytes, media }: BackupResult,
  madeBy: 'command line' | 'download',
): Promise<void> {
  const finishedAt = new Date(now()).toISOString();
  await db.transaction(async tx => {
    await saveLastBackup(tx, { createdAt, finishedAt, databaseBytes, media, madeBy });
    // A download is recorded when it begins.
    if (madeBy === 'command line')
      recordAudit(tx, OPERATOR_CALLER, {
        action: 'backup.created',
        after: { createdAt, databaseBytes, media },
      });
  });
}

async function writeBackup(
  deps: BackupDeps,
  session: Session,
  archive: Pick<ArchiveWriter, 'add'>,
  options: StreamOptions,
  signal: AbortSignal,
): Promise<BackupResult> {
  // Checked before the transaction, because its first query must lock the partitions: that query takes the snapshot.
  await requireSchema(session);
  // The snapshot is the point in time of the backup. Files never change, so they are read afterwards.
  const database = await session.transaction('repeatable read', async () => {
    await lockPartitions(session);
    return addDatabase(deps, session, archive, options, signal);
  });
  const media = await addMedia(deps.storage, session, archive, signal, bytes =>
    options.onProgress({ part: 'media', bytes, totalBytes: database.totals.bytes }),
  );
  const { totals, ...rest } = database;
  return { ...rest, media, missing: totals.files - media.files };
}

async function requireSchema(session: Session): Promise<SchemaVersion> {
  const schema = await findSchemaVersion(session);
  if (schema !== undefined) return schema;
  throw new AppError('not_found', 'The database has no Graphwright tables, so there is nothing to back up.');
}

async function addDatabase(
  { secretsKey, now }: BackupDeps,
  session: Session,
  archive: Pick<ArchiveWriter, 'add'>,
  { version, includesSecretsKey, onProgress }: StreamOptions,
  signal: AbortSignal,
) {
  const schema = await requireSchema(session);
  const tables = await listTables(session);
  const sequences = await listSequences(session);
  const totals = await recordSnapshotFiles(session);
  const createdAt = new Date(now()).toISOString();
  const includedKey = includesSecretsKey ? secretsKey : undefined;
  const header = writeHeader({
    graphwright: version,
    createdAt,
    schema,
    tables,
    sequences,
    media: totals,
    secretsKey: {
      fingerprint: secretsKey ? computeFingerprint(secretsKey) : null,
      isIncluded: includedKey !== undefined,
    },
  });
  await addBytes(archive, HEADER_NAME, header);
  if (includedKey) await addBytes(archive, KEY_NAME, Buffer.from(`${includedKey.toString('hex')}\n`));
  let databaseBytes = 0;
  for (const { name, columns } of tables) {
    let part = 0;
    const source = { table: quoteName(name), columns: columns.map(quoteIdentifier) };
    for await (const rows of session.copyOut(source)) {
      signal.throwIfAborted();
      databaseBytes += rows.length;
      await addBytes(archive, `database/${name}/${part++}`, rows);
      onProgress({ part: 'database', bytes: databaseBytes, totalBytes: undefined });
    }
  }
  return { createdAt, tables: tables.length, databaseBytes, totals };
}

const addBytes = (archive: Pick<ArchiveWriter, 'add'>, name: string, bytes: Uint8Array): Promise<void> =>
  archive.add(name, bytes.length, [bytes]);

async function addMedia(
  storage: MediaStorage,
  session: Session,
  archive: Pick<ArchiveWriter, 'add'>,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<FileTotals> {
  let [files, bytes] = [0, 0];
  for await (const file of readAhead(storage, listSnapshotFiles(session))) {
    signal.throwIfAborted();
    const content = await file.read;
    if (content === undefined) continue;
    await archive.add(`media/${file.id}`, content.bytes, content.stream);
    files++;
    bytes += content.bytes;
    onBytes(bytes);
  }
  return { files, bytes };
}

interface OpenFile {
  readonly bytes: number;
  readonly stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Yields the files in order. Small ones are read in parallel, since each request to a bucket takes time. */
async function* readAhead(
  storage: MediaStorage,
  files: AsyncIterable<SnapshotFile>,
): AsyncGenerator<{ readonly id: string; readonly read: Promise<OpenFile | undefined> }> {
  const pending: { id: string; read: Promise<OpenFile | undefined> }[] = [];
  for await (const { id, bytes } of files) {
    if (bytes > SMALL_BYTES) {
      yield* pending.splice(0);
      yield { id, read: storage.read(id).catch(ignoreNotFound) };
      continue;
    }
    const read = storage.read(id).then(readIntoMemory, ignoreNotFound);
    // Awaited later; until then a rejection must not count as unhandled.
    read.catch(() => undefined);
    pending.push({ id, read });
    if (pending.length === MAX_PARALLEL_READS) yield* pending.splice(0, 1);
  }
  yield* pending;
}

async function readIntoMemory(file: OpenFile): Promise<OpenFile> {
  return { bytes: file.bytes, stream: await Array.fromAsync(file.stream) };
}
