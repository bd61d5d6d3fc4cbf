// `graphwright backup`: writes database and media to one file, whether or not the service is running.
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabases } from '../../databases.ts';
import { createGuardedFetch } from '../../lib/fetch.ts';
import { createLogger } from '../../lib/log.ts';
import { findSecretsKey } from '../../lib/secrets-key.ts';
import { readSettings, type Settings } from '../../lib/settings.ts';
import { readVersion } from '../../lib/version.ts';
import { getConfiguredBucket, openStorage } from '../../media/open-storage.ts';
import { getBucketOrigin } from '../../media/s3.ts';
import type { MediaStorage } from '../../media/storage.ts';
import { type BackupProgress, type BackupResult, makeBackup } from '../../services/backups/make-backup.ts';
import { type Db, openDb } from '../../store/db.ts';
import { findRunning } from '../../store/embedded/embedded.ts';
import { type Command, UsageError } from '../command.ts';
import { formatBytes, formatMs, startProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

export const backup: Command = async ({ args, options, terminal, signal }) => {
  const [path = ''] = args;
  if (existsSync(path)) throw new UsageError(`${path} exists. Choose another file name.`);
  const settings = readSettings();
  const isJson = options.json === true;
  const includesSecretsKey = options.withSecretsKey === true;
  const secretsKey = await findSecretsKey(toKeySource(settings));
  if (includesSecretsKey && secretsKey === undefined)
    throw new UsageError(
      'No secrets key found. Set SECRETS_KEY, or DATA_DIR to the folder that contains one.',
    );
  const start = performance.now();
  await using stack = new AsyncDisposableStack();
  const db = await openServiceDatabase(settings, stack);
  const storage = await openMediaStorage(settings, stack);
  const show = startProgress(terminal);
  const onProgress = (progress: BackupProgress): void => {
    if (!isJson) show(describeProgress(progress));
  };
  const result = await makeBackup(
    { db, storage, secretsKey, now: Date.now },
    { path, version: readVersion(), includesSecretsKey, onProgress },
    signal,
  ).finally(() => terminal.erase());
  const { size: bytes } = await stat(path);
  const durationMs = Math.round(performance.now() - start);
  const report = { file: path, bytes, ...result, includesSecretsKey, durationMs };
  if (isJson) terminal.print(JSON.stringify(report, null, 2));
  else printReport(report, terminal);
};

interface BackupReport extends BackupResult {
  readonly file: string;
  readonly bytes: number;
  readonly includesSecretsKey: boolean;
  readonly durationMs: number;
}

function printReport(report: BackupReport, terminal: Terminal): void {
  const { file, bytes, durationMs, tables, databaseBytes, media, missing, createdAt } = report;
  const speed = `${formatBytes((1000 * bytes) / durationMs)} a second`;
  terminal.print(`${file}: ${formatBytes(bytes)} in ${formatMs(durationMs)}, ${speed}.`);
  terminal.print(
    `It has ${tables} tables (${formatBytes(databaseBytes)}) and ${media.files} media (${formatBytes(media.bytes)}), as of ${createdAt}.`,
  );
  if (missing > 0)
    terminal.note(`${missing} media were deleted meanwhile or had no file; a restore leaves them out.`);
  terminal.note(
    report.includesSecretsKey
      ? 'The secrets key is in the file: keep it as safe as the secrets themselves.'
      : 'The secrets key is not in the file. Keep secrets.key of DATA_DIR, or SECRETS_KEY, in another place: without it the stored secrets cannot be read.',
  );
}

function describeProgress({ part, bytes, totalBytes = 0 }: BackupProgress) {
  if (part === 'database') return { done: 0, total: 1, text: `database, ${formatBytes(bytes)}` };
  return {
    done: bytes,
    total: totalBytes,
    text: `media, ${formatBytes(bytes)} of ${formatBytes(totalBytes)}`,
  };
}

/** Opens the service's database. Starts the embedded PostgreSQL for the backup if it is not running. */
async function openServiceDatabase(settings: Settings, stack: AsyncDisposableStack): Promise<Db> {
  const log = createLogger('silent');
  const isEmbedded = settings.DATABASE_URL === undefined;
  if (isEmbedded && !existsSync(join(settings.DATA_DIR, 'postgres', 'cluster')))
    throw new UsageError(`There is no database in ${settings.DATA_DIR}. Set DATA_DIR or DATABASE_URL.`);
  const connection = isEmbedded ? await findRunning(settings.DATA_DIR) : undefined;
  if (connection === undefined) return (await openDatabases(settings, log, {}, stack)).db;
  const db = openDb({ connection, maxConnections: 2, onError: err => log.warn({ err }) });
  stack.defer(() => db.close());
  return db;
}

/** Opens the service's media storage. The service may be running. */
export async function openMediaStorage(
  settings: Settings,
  stack: AsyncDisposableStack,
): Promise<MediaStorage> {
  const bucket = getConfiguredBucket(settings);
  const client = createGuardedFetch({
    allowPrivate: settings.ALLOW_PRIVATE_NETWORK,
    trustedUrls: bucket === undefined ? [] : [getBucketOrigin(bucket)],
  });
  stack.defer(() => client.close());
  return openStorage(settings, client);
}

/** Returns where to find the secrets key. */
export const toKeySource = ({ SECRETS_KEY, DATA_DIR }: Settings) => ({
  SECRETS_KEY,
  dataDir: DATA_DIR,
});
