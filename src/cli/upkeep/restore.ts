// `graphwright restore`: restores a backup into an empty service, or with --force over existing data.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { migrateAll, openDatabases } from '../../databases.ts';
import { createLogger } from '../../lib/log.ts';
import { findSecretsKey, loadSecretsKey, storeSecretsKey } from '../../lib/secrets-key.ts';
import { readSettings, type Settings } from '../../lib/settings.ts';
import { getConfiguredBucket } from '../../media/open-storage.ts';
import { type BackupHeader, computeFingerprint } from '../../services/backups/backup-header.ts';
import { type RestoreResult, restoreBackup } from '../../services/backups/restore-backup.ts';
import { resetSecretsKey } from '../../services/instance/secrets-key.ts';
import { type Command, UsageError } from '../command.ts';
import { formatBytes, formatMs, startProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { openMediaStorage, toKeySource } from './backup.ts';

export const restore: Command = async ({ args, options, terminal, signal }) => {
  const [path = ''] = args;
  const { size: bytes } = await stat(path).catch(() => {
    throw new UsageError(`There is no file ${path}.`);
  });
  const settings = readSettings();
  const force = options.force === true;
  if (!force) await requireNoMedia(settings);
  const start = performance.now();
  const log = createLogger('silent');
  await using stack = new AsyncDisposableStack();
  const { db, direct } = await openDatabases(settings, log, {}, stack);
  const storage = await openMediaStorage(settings, stack);
  const show = startProgress(terminal);
  const result = await restoreBackup(
    {
      db,
      storage,
      migrate: version => migrateAll(direct, log, version),
      requireKey: key => (options.withoutSecrets === true ? Promise.resolve() : requireKey(settings, key)),
      storeKey: key => storeMissingKey(settings, key),
      acceptKey: async () => {
        if (options.withoutSecrets !== true) return;
        const key = await loadSecretsKey(toKeySource(settings));
        await db.transaction(tx => resetSecretsKey(tx, key));
      },
    },
    {
      path,
      force,
      onProgress: done =>
        options.json !== true &&
        show({ done, total: bytes, text: `${formatBytes(done)} of ${formatBytes(bytes)}` }),
    },
    signal,
  ).finally(() => terminal.erase());
  const report = { file: path, bytes, ...result, durationMs: Math.round(performance.now() - start) };
  if (options.json === true) terminal.print(JSON.stringify(report, null, 2));
  else printReport(report, terminal);
};

function printReport(
  report: RestoreResult & { readonly bytes: number; readonly durationMs: number },
  terminal: Terminal,
): void {
  const { tables, files, createdAt, bytes, durationMs, missing, damaged } = report;
  terminal.print(
    `Restored ${tables} tables and ${files} media of ${createdAt} in ${formatMs(durationMs)}, ${formatBytes((1000 * bytes) / durationMs)} a second.`,
  );
  if (missing > 0) terminal.note(`${missing} media without a file in the backup were left out.`);
  for (const id of damaged) terminal.note(`${id} was damaged when the backup was made.`);
}

/** Throws if the media folder has files. A bucket may have objects, because a restore only adds objects with new ids. */
async function requireNoMedia(settings: Settings): Promise<void> {
  if (getConfiguredBucket(settings) !== undefined) return;
  const folder = join(settings.DATA_DIR, 'media');
  const folders = (await readdir(folder).catch(() => [])).filter(name => name !== 'tmp');
  const files = await Promise.all(folders.map(name => readdir(join(folder, name))));
  if (files.some(names => names.length > 0))
    throw new UsageError(
      `${folder} is not empty. Choose an empty DATA_DIR, or replace its media with --force.`,
    );
}

async function requireKey(
  settings: Settings,
  { fingerprint, isIncluded }: BackupHeader['secretsKey'],
): Promise<void> {
  const key = await findSecretsKey(toKeySource(settings));
  if (fingerprint === null || (key === undefined ? isIncluded : computeFingerprint(key) === fingerprint))
    return;
  const problem = key === undefined ? 'There is no secrets key' : 'The secrets key differs';
  throw new UsageError(
    `${problem}, but the stored secrets require the key of the backup. Copy its secrets.key to ${settings.DATA_DIR}, set SECRETS_KEY, or discard those secrets with --without-secrets.`,
  );
}

/** Stores the key of the backup if there is no key yet. */
async function storeMissingKey(settings: Settings, key: Buffer): Promise<void> {
  if ((await findSecretsKey(toKeySource(settings))) === undefined)
    await storeSecretsKey(settings.DATA_DIR, key);
}
