// Lets administrators see when the last backup was made, and download a new one.
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import { readVersion } from '../../lib/version.ts';
import { recordAuditAlone } from '../../store/audit/record-audit.ts';
import type { Db } from '../../store/db.ts';
import { findSizes } from '../../store/overview.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { streamBackup } from '../backups/make-backup.ts';
import { findLastBackup } from '../backups/store/backup-record.ts';
import type { Deps } from '../deps.ts';
import { Named, Nullable, Timestamp } from '../schema.ts';

const Count = Type.Integer({ minimum: 0 });

export const LastBackup = Type.Object({
  createdAt: Type.String({ format: 'date-time', description: 'Time of the snapshot' }),
  finishedAt: Timestamp,
  databaseBytes: Count,
  media: Type.Object({ files: Count, bytes: Count }),
  madeBy: Type.Enum(['command line', 'download']),
});

export const BackupsResponse = Named(
  'Backups',
  'When the last backup was made, and what a new one would contain',
  {
    last: Nullable(LastBackup),
    databaseBytes: Type.Integer({
      minimum: 0,
      description: 'Size of the database. A backup is usually smaller',
    }),
    mediaBytes: Count,
  },
);

export const BackupDownload = Named('PreparedBackup', 'Where to download a backup', {
  url: Type.String({ description: 'Path of the download' }),
});

/** Returns when the last backup was made. Throws 401 without the scope `instance:admin`. */
export async function readBackupStatus({ db }: Pick<Deps, 'db'>, actor: Actor) {
  requireScope(actor, 'instance:admin');
  const [last, sizes] = await Promise.all([findLastBackup(db), findSizes(db)]);
  return { last: last ?? null, databaseBytes: sizes.database_bytes, mediaBytes: sizes.media_bytes };
}

type DownloadDeps = Pick<Deps, 'runDb' | 'storage' | 'secretsKey' | 'now' | 'log'>;

/** The databases that are being backed up. A process makes one backup at a time, because a backup reads all data. */
const downloading = new WeakSet<Db>();

/** Throws 409 if a backup is being downloaded. */
export function requireNoDownload({ runDb }: Pick<Deps, 'runDb'>, actor: Actor): void {
  requireScope(actor, 'instance:admin');
  if (downloading.has(runDb))
    throw new AppError('conflict', 'Another backup is being downloaded. Try again when it has finished.');
}

/** Makes a backup without the secrets key and returns its bytes. Throws 409 during another download. */
export async function downloadBackup(
  deps: DownloadDeps,
  actor: Actor,
  signal: AbortSignal,
): Promise<{ readonly chunks: ReadableStream<Uint8Array>; readonly fileName: string }> {
  const admin = requireScope(actor, 'instance:admin');
  requireNoDownload(deps, actor);
  downloading.add(deps.runDb);
  await recordAuditAlone(deps.runDb, admin, { action: 'backup.downloaded' }).catch((err: unknown) => {
    downloading.delete(deps.runDb);
    throw err;
  });
  const { chunks, done } = streamBackup(
    { db: deps.runDb, storage: deps.storage, secretsKey: deps.secretsKey, now: deps.now },
    { version: readVersion(), includesSecretsKey: false, onProgress: () => undefined },
    signal,
  );
  done
    .catch((err: unknown) => {
      if (!signal.aborted) deps.log.error({ err }, 'a backup could not be downloaded');
    })
    .finally(() => downloading.delete(deps.runDb));
  const time = new Date(deps.now()).toISOString().slice(0, 16).replaceAll(/[-:]/g, '');
  return { chunks, fileName: `graphwright-${time}.tar` };
}
