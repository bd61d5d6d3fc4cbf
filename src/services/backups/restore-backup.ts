// Restores a backup, all or nothing. Replaces existing data only if the operator requests that.
import { AppError } from '../../lib/errors.ts';
import type { MediaStorage } from '../../media/storage.ts';
import { OPERATOR_CALLER, recordAuditAlone } from '../../store/audit/record-audit.ts';
import type { Db } from '../../store/db.ts';
import { hasUsers } from '../../store/users.ts';
import { requireServiceStopped } from '../instance/require-service-stopped.ts';
import { type ArchiveEntry, readArchive } from './archive.ts';
import {
  type BackupHeader,
  createNotABackupError,
  HEADER_NAME,
  KEY_NAME,
  readHeader,
} from './backup-header.ts';
import { createFileRestorer, type FileRestorer } from './restore-files.ts';
import {
  APPEND_ONLY_TABLE,
  createStoredFileTable,
  deleteMediaWithoutFile,
  emptyTables,
  findContentType,
  findSchemaVersion,
  listTables,
  quoteIdentifier,
  quoteName,
  recordStoredFile,
  restoreRows,
  type SchemaVersion,
  setSequences,
  type TableColumns,
} from './store/backup.ts';
import { type Session, withSession } from './store/copy.ts';

export interface RestoreDeps {
  readonly db: Db;
  readonly storage: MediaStorage;
  /** Migrates the tables to that version, or to the latest version if undefined. */
  readonly migrate: (version: number | undefined) => Promise<void>;
  /** Throws if the available key, or the one in the backup, cannot decrypt the stored secrets. */
  readonly requireKey: (key: BackupHeader['secretsKey']) => Promise<void>;
  /** Stores the key that comes with the backup. */
  readonly storeKey: (key: Buffer) => Promise<void>;
  /** Called after the last migration. Accepts the available key if the secrets may be lost. */
  readonly acceptKey: () => Promise<void>;
}

export interface RestoreOptions {
  readonly path: string;
  /** Whether existing accounts, workflows and media may be replaced. */
  readonly force: boolean;
  /** Receives the number of bytes of the file that have been read. */
  readonly onProgress: (bytes: number) => void;
}

export interface RestoreResult {
  /** When the backup was made, and by which version. */
  readonly createdAt: string;
  readonly graphwright: string;
  readonly tables: number;
  readonly files: number;
  /** Media left out because the backup has no file for them. */
  readonly missing: number;
  /** Media whose file did not match its record when the backup was made. */
  readonly damaged: readonly string[];
}

/** Restores the backup. If it throws, nothing has changed. If the process is killed, media files may be left over. */
export async function restoreBackup(
  deps: RestoreDeps,
  options: RestoreOptions,
  signal: AbortSignal,
): Promise<RestoreResult> {
  const entries = readArchive(options.path, signal, options.onProgress);
  const header = await openHeader(entries);
  await prepareDatabase(deps, header, options.force);
  const files = createFileRestorer(deps.storage, signal);
  let isCommitting = false;
  const result = await withSession(deps.db, session =>
    session.transaction('read committed', async () => {
      const restored = await replaceAll(deps, session, header, entries, files);
      isCommitting = true;
      return restored;
    }),
  ).catch(async (err: unknown) => {
    // If the outcome of the commit is unknown, the restored rows may need the files.
    if (!isCommitting) await files.undo();
    throw err;
  });
  await files.deleteReplaced();
  // Adds the columns and tables of newer versions of the program.
  await deps.migrate(undefined);
  await deps.acceptKey();
  return result;
}

async function openHeader(entries: AsyncGenerator<ArchiveEntry>): Promise<BackupHeader> {
  const first = await entries.next().catch((err: unknown) => {
    // The decoder's message about a file that is not a tar would not help.
    if (err instanceof Error && 'code' in err && err.code === 'ENOENT') throw err;
    throw createNotABackupError();
  });
  if (first.done === true || first.value.name !== HEADER_NAME) throw createNotABackupError();
  return readHeader(first.value.body, first.value.bytes);
}

/** Refuses to overwrite existing data, and creates the tables of the backup's version. */
async function prepareDatabase(
  { db, migrate, requireKey }: RestoreDeps,
  { schema, secretsKey }: BackupHeader,
  force: boolean,
): Promise<void> {
  await requireKey(secretsKey);
  await requireServiceStopped(db);
  const databaseVersion = await findSchemaVersion(db);
  if (databaseVersion === undefined) await migrate(schema.migrations.at(-1)?.version ?? 0);
  else if (!force && (await hasUsers(db)))
    throw new AppError(
      'conflict',
      'The database is not empty. Choose an empty one, or replace all data with --force.',
    );
  requireSameSchema(schema, (await findSchemaVersion(db)) ?? { migrations: [], queue: 0 });
}

function requireSameSchema(backupVersion: SchemaVersion, databaseVersion: SchemaVersion): void {
  if (
    backupVersion.queue === databaseVersion.queue &&
    describeMigrations(backupVersion) === describeMigrations(databaseVersion)
  )
    return;
  throw new AppError(
    'conflict',
    'The tables of this database have a different version than the backup. Restore into an empty database with the version of Graphwright that wrote the backup, or a newer one.',
  );
}

const describeMigrations = ({ migrations }: SchemaVersion): string =>
  migrations.map(({ version, checksum }) => `${version} ${checksum}`).join();

async function replaceAll(
  deps: RestoreDeps,
  session: Session,
  header: BackupHeader,
  entries: AsyncGenerator<ArchiveEntry>,
  files: FileRestorer,
): Promise<RestoreResult> {
  const tables = await listTables(session);
  await files.recordReplaced(session);
  const restoreConstraints = await emptyTables(session);
  await createStoredFileTable(session);
  let key: Buffer | undefined;
  for await (const entry of entries) {
    const [folder, name = ''] = entry.name.split('/');
    if (folder === 'database') await restoreRows(session, getTable(name, header, tables), entry.body);
    else if (folder === 'media') await files.store(entry, name, await findContentType(session, name));
    else if (entry.name === KEY_NAME) key = await readKey(entry);
    else throw createNotABackupError();
    for (const stored of files.drainStored()) await recordStoredFile(session, stored);
  }
  await files.settle();
  for (const stored of files.drainStored()) await recordStoredFile(session, stored);
  await setSequences(session, header.sequences);
  const mismatches = await deleteMediaWithoutFile(session);
  await restoreConstraints();
  if (key !== undefined) await deps.storeKey(key);
  const { createdAt, graphwright } = header;
  if (tables.some(({ name }) => name === APPEND_ONLY_TABLE))
    await recordAuditAlone(session, OPERATOR_CALLER, {
      action: 'backup.restored',
      after: { createdAt, graphwright, tables: header.tables.length },
    });
  return { createdAt, graphwright, tables: header.tables.length, files: files.count(), ...mismatches };
}

const KEY_BYTES = 65;

async function readKey({ body, bytes }: ArchiveEntry): Promise<Buffer> {
  if (bytes !== KEY_BYTES) throw createNotABackupError();
  return Buffer.from(
    Buffer.concat(await Array.fromAsync(body))
      .toString()
      .trim(),
    'hex',
  );
}

/** Returns the table of that name. Throws unless both the backup and the database have it. */
function getTable(name: string, { tables }: BackupHeader, databaseTables: readonly TableColumns[]) {
  const columns = tables.find(table => table.name === name)?.columns;
  if (columns === undefined || !databaseTables.some(table => table.name === name))
    throw createNotABackupError();
  return { table: quoteName(name), columns: columns.map(quoteIdentifier) };
}
