// Creates the database cluster on the first start and gives its files to the account that PostgreSQL runs as.
import { access, chown, lchown, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, toError } from '../../lib/errors.ts';
import { type Runner, runProgram } from './run-as.ts';

const INITDB_TIMEOUT_MS = 120_000;
/** File names of PostgreSQL's socket, which contain the port. */
export const SOCKET = '.s.PGSQL.5432';
export const SOCKET_PID_FILE = `${SOCKET}.lock`;
const SOCKET_PREFIX = 'graphwright-';
// A socket path may have 107 bytes on Linux and 103 on macOS; our part takes 36.
const MAX_TEMPORARY_FOLDER_BYTES = 64;

/** Creates the cluster if needed; one whose creation was interrupted is recreated. */
export async function ensureCluster(
  cluster: string,
  initdb: string,
  user: string,
  runner: Runner,
): Promise<void> {
  if (await exists(join(cluster, 'PG_VERSION'))) return;
  const unfinished = `${cluster}.new`;
  await rm(unfinished, { recursive: true, force: true });
  const args = [
    ...['-D', unfinished, '-U', user, '--auth-local=trust', '--auth-host=reject', '-E', 'UTF8'],
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--no-instructions'],
  ];
  await runProgram(runner, initdb, args, INITDB_TIMEOUT_MS).catch((err: unknown) => {
    const { message } = toError(err);
    throw new AppError(
      'unavailable',
      `The embedded PostgreSQL cannot create its files in ${cluster} (${extractReason(message)}). Free some disk space there, or set DATABASE_URL to a PostgreSQL 15 or later.`,
      { cause: err },
    );
  });
  await rename(unfinished, cluster);
}

/**
 * Makes the account that PostgreSQL runs as the owner of the folder, and of its contents if the cluster had another
 * owner.
 */
export async function chownFolder(folder: string, cluster: string, { owner }: Runner): Promise<void> {
  if (owner === undefined) return;
  await chown(folder, owner.uid, owner.gid);
  // The lock file and others too, so that the service itself can run as that account later.
  for (const name of await readdir(folder)) {
    if (join(folder, name) !== cluster) await lchown(join(folder, name), owner.uid, owner.gid);
  }
  const stats = await stat(cluster).catch(() => undefined);
  if (stats === undefined || stats.uid === owner.uid) return;
  for (const name of await readdir(cluster, { recursive: true })) {
    await lchown(join(cluster, name), owner.uid, owner.gid);
  }
  // Last, so that an interrupted run is repeated.
  await chown(cluster, owner.uid, owner.gid);
}

/** Creates a folder for the socket that only its owner can enter, with a path that is short enough. */
export async function makeSocketDir({ owner }: Runner): Promise<string> {
  // Another account may be unable to reach our temporary folder.
  const fits = owner === undefined && Buffer.byteLength(tmpdir()) <= MAX_TEMPORARY_FOLDER_BYTES;
  const socketDir = await mkdtemp(join(fits ? tmpdir() : '/tmp', SOCKET_PREFIX));
  if (owner !== undefined) await chown(socketDir, owner.uid, owner.gid);
  return socketDir;
}

/** Removes a folder that `makeSocketDir` created; leaves any other alone. */
export async function removeSocketDir(socketDir: string): Promise<void> {
  if (/\/graphwright-\w{6}$/.test(socketDir)) await rm(socketDir, { recursive: true, force: true });
}

/** Finds the line of initdb's or the server's output that says why it failed. */
function extractReason(message: string): string {
  return /(?:FATAL|PANIC|ERROR|initdb: error): +(.+)/.exec(message)?.[1] ?? message;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
