// Locks a data folder so that a second service cannot use it. The lock ends when the process ends.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { AppError, toError } from '../../lib/errors.ts';

/** The process that holds a lock, as written in the lock file. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  readonly address?: string;
  /** The folder of the socket on which its PostgreSQL listens. */
  readonly socketDir?: string;
  /** Start time of the process as `ps` prints it; only if `flock` is missing. */
  readonly started?: string;
}

export interface ServiceLock {
  /** The previous holder, if it was killed before it released the lock. */
  readonly previous: Holder | undefined;
  /** Adds the socket's folder to the lock file once it is known. */
  describe(details: Pick<Holder, 'socketDir'>): Promise<void>;
  release(): Promise<void>;
}

const MAX_FILE_BYTES = 4096;
const COMMAND_TIMEOUT_MS = 5_000;

/** Acquires the lock, or throws `unavailable` with its holder. `address` is shown to the next process that tries. */
export async function acquireLock(file: string, dataDir: string, address?: string): Promise<ServiceLock> {
  const handle = await open(file, 'a+', 0o600).catch((err: unknown) => {
    throw new AppError(
      'unavailable',
      `The data folder ${dataDir} cannot be locked (${toError(err).message}). Start the service under the account it ran under before.`,
      { cause: err },
    );
  });
  try {
    const outcome = await flock(handle);
    const previous = await readHolder(handle);
    if (outcome === 'busy' || (outcome === 'unsupported' && (await isRunning(previous)))) {
      throw new AppError('unavailable', describeHolder(dataDir, previous));
    }
    const startTime = outcome === 'unsupported' ? await readStartTime(process.pid) : undefined;
    const holder: Holder = {
      pid: process.pid,
      host: hostname(),
      since: new Date().toISOString(),
      ...(address !== undefined && { address }),
      ...(startTime !== undefined && { started: startTime }),
    };
    await writeHolder(handle, holder);
    return {
      previous,
      describe: details => writeHolder(handle, { ...holder, ...details }),
      release: async () => {
        await handle.truncate();
        await handle.close();
      },
    };
  } catch (err) {
    await handle.close();
    throw err;
  }
}

/** Returns the process that holds the lock or was killed while holding it, or undefined if there is none. */
export async function findHolder(file: string): Promise<Holder | undefined> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    return await readHolder(handle);
  } finally {
    await handle.close();
  }
}

/**
 * Locks the open file with the program `flock`, which shares the open file with us. The kernel keeps the lock until
 * this process ends, and other containers that mount the folder see it.
 */
async function flock(handle: FileHandle): Promise<'acquired' | 'busy' | 'unsupported'> {
  const child = spawn('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', handle.fd],
    signal: AbortSignal.timeout(COMMAND_TIMEOUT_MS),
  });
  const code = await once(child, 'exit').then(
    ([exitCode]) => exitCode as number | null,
    () => null,
  );
  if (code === 0) return 'acquired';
  return code === 1 ? 'busy' : 'unsupported';
}

async function readHolder(handle: FileHandle): Promise<Holder | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0);
  try {
    return JSON.parse(buffer.toString('utf8', 0, bytesRead)) as Holder;
  } catch {
    return undefined; // The file is empty: the lock was released, or its holder is about to write.
  }
}

async function writeHolder(handle: FileHandle, holder: Holder): Promise<void> {
  await handle.truncate();
  await handle.write(`${JSON.stringify(holder)}\n`);
}

async function isRunning(holder: Holder | undefined): Promise<boolean> {
  if (holder?.host !== hostname()) return false;
  return holder.started !== undefined && holder.started === (await readStartTime(holder.pid));
}

/** Returns the start time of the process, or undefined if there is no such process. */
async function readStartTime(pid: number): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
    timeout: COMMAND_TIMEOUT_MS,
  }).catch(() => ({ stdout: '' }));
  return stdout.trim() || undefined;
}

function describeHolder(dataDir: string, holder: Holder | undefined): string {
  const remedy = 'Stop it, or set another DATA_DIR for this one.';
  if (holder === undefined) return `The data folder ${dataDir} is in use by another service. ${remedy}`;
  const location = holder.address === undefined ? '' : ` at ${holder.address}`;
  return `The data folder ${dataDir} is in use by the service${location} (process ${holder.pid} on ${holder.host}, since ${holder.since}). ${remedy}`;
}
