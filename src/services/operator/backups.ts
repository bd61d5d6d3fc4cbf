// Backups for administrators: when the last one was made, and a download of a new one.
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import { readVersion } from '../../lib/version.ts';
import { findLastBackup } from '../../store/backup-record.ts';
import type { Db } from '../../store/db.ts';
import { findSizes } from '../../store/overview.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { streamBackup } from '../backups/make-backup.ts';
import type { Deps } from '../deps.ts';
import { Named, Nullable, Timestamp } from '../schema.ts';

const Bytes = Type.Integer({ minimum: 0 });

export const LastBackup = Type.Object({
  createdAt: Type.String({ format: 'date-time', description: 'The moment that the backup shows' }),
  finishedAt: Timestamp,
  databaseBytes: Bytes,
  media: Type.Object({ files: Type.Integer({ minimum: 0 }), bytes: Bytes }),
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
    mediaBytes: Bytes,
  },
);

export const PreparedBackup = Named('PreparedBackup', 'Where to download a backup', {
  url: Type.String({ description: 'Path of the download' }),
});

/** Throws 401 without the scope `instance:admin`. */
export async function readBackups({ db }: Pick<Deps, 'db'>, actor: Actor) {
  requireScope(actor, 'instance:admin');
  const [last, sizes] = await Promise.all([findLastBackup(db), findSizes(db)]);
  return { last: last ?? null, databaseBytes: sizes.database_bytes, mediaBytes: sizes.media_bytes };
}

type DownloadDeps = Pick<Deps, 'runDb' | 'storage' | 'secretsKey' | 'now' | 'log'>;

/** Services whose backup is being downloaded. A process makes one at a time, because each reads all data. */
const busy = new WeakSet<Db>();

/** Throws 409 while a backup is made. A download that follows needs no new confirmation. */
export function prepareBackup({ runDb }: Pick<Deps, 'runDb'>, actor: Actor): void {
  requireScope(actor, 'instance:admin');
  if (busy.has(runDb))
    throw new AppError('conflict', 'Another backup is being downloaded. Try again when it has finished.');
}

/** Makes a backup without the secrets key and returns its bytes. Throws 409 while another one is made. */
export function downloadBackup(
  deps: DownloadDeps,
  actor: Actor,
  signal: AbortSignal,
): { readonly pieces: ReadableStream<Uint8Array>; readonly fileName: string } {
  prepareBackup(deps, actor);
  busy.add(deps.runDb);
  const { pieces, done } = streamBackup(
    { db: deps.runDb, storage: deps.storage, secretsKey: deps.secretsKey, now: deps.now },
    { version: readVersion(), includesSecretsKey: false, onProgress: () => undefined },
    signal,
  );
  done
    .catch((err: unknown) => {
      if (!signal.aborted) deps.log.error({ err }, 'a backup could not be downloaded');
    })
    .finally(() => busy.delete(deps.runDb));
  const time = new Date(deps.now()).toISOString().slice(0, 16).replaceAll(/[-:]/g, '');
  return { pieces, fileName: `graphwright-${time}.tar` };
}
