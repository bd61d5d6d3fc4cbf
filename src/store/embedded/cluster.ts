// Creates the database cluster on the first start and gives its files to the account that PostgreSQL runs as.
import { access, chown, lchown, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, toError } from '../../lib/errors.ts';
import { type Runner, runToCompletion } from './run-as.ts';

const INITDB_TIMEOUT_MS = 120_000;
/** File names of PostgreSQL's socket, which contain the port. */
export const SOCKET = '.s.PGSQL.5432';
export const SOCKET_PID_FILE = `${SOCKET}.lock`;
const SOCKET_PREFIX = 'graphwright-';
// A socket path may have 107 bytes on Linux and 103 on macOS; our part takes 36.
const MAX_TEMPORARY_FOLDER_BYTES = 64;

/** Creates the cluster if there is none. Starts over if an earlier call was interrupted. */
export async function ensureCluster(
  clusterDir: string,
  initdb: string,
  user: string,
  runner: Runner,
): Promise<void> {
  if (await exists(join(clusterDir, 'PG_VERSION'))) return;
  const unfinishedCluster = `${clusterDir}.new`;
  await rm(unfinishedCluster, { recursive: true, force: true });
  const args = [
    ...['-D', unfinishedCluster, '-U', user, '--auth-local=trust', '--auth-host=reject', '-E', 'UTF8'],
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--no-instructions'],
  ];
  await runToCompletion(runner, initdb, args, INITDB_TIMEOUT_MS).catch((err: unknown) => {
    const { message } = toError(err);
    throw new AppError(
      'unavailable',
      `The embedded PostgreSQL cannot create its files in ${clusterDir} (${extractReason(message)}). Free some disk space there, or set DATABASE_URL to a PostgreSQL 15 or later.`,
      { cause: err },
    );
  });
  await rename(unfinishedCluster, clusterDir);
}

/** Makes PostgreSQL's account the owner of the folder, and of the folder's contents if the cluster had another owner. */
export async function chownFolder(folder: string, clusterDir: string, { owner }: Runner): Promise<void> {
  if (owner === undefined) return;
  await chown(folder, owner.uid, owner.gid);
  // Includes files such as the lock, so that the service itself can run under that account later.
  for (const name of await readdir(folder)) {
    if (join(folder, name) !== clusterDir) await lchown(join(folder, name), owner.uid, owner.gid);
  }
  const stats = await stat(clusterDir).catch(() => undefined);
  if (stats === undefined || stats.uid === owner.uid) return;
  for (const name of await readdir(clusterDir, { recursive: true })) {
    await lchown(join(clusterDir, name), owner.uid, owner.gid);
  }
  // Changes the folder itself last, so that the next start repeats an interrupted change.
  await chown(clusterDir, owner.uid, owner.gid);
}

/** Creates a folder for the socket, which only the owner can enter, and whose path is short enough for a socket. */
export async function makeSocketDir({ owner }: Runner): Promise<string> {
  // Another account may not have access to our temporary folder.
  const canUseTmpdir = owner === undefined && Buffer.byteLength(tmpdir()) <= MAX_TEMPORARY_FOLDER_BYTES;
  const socketDir = await mkdtemp(join(canUseTmpdir ? tmpdir() : '/tmp', SOCKET_PREFIX));
  if (owner !== undefined) await chown(socketDir, owner.uid, owner.gid);
  return socketDir;
}

/** Removes a folder if `makeSocketDir` created it. */
export async function removeSocketDir(socketDir: string): Promise<void> {
  if (/\/graphwright-\w{6}$/.test(socketDir)) await rm(socketDir, { recursive: true, force: true });
}

/** Returns the error message in the output of initdb or the server. */
function extractReason(message: string): string {
  return /(?:FATAL|PANIC|ERROR|initdb: error): +(.+)/.exec(message)?.[1] ?? message;
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
