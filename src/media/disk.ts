// Stores media on the local disk: temporary file, fsync, rename, fsync of the folder; keys are spread over 1,024
// folders.
import { randomUUID } from 'node:crypto';
import { constants, copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../lib/errors.ts';
import { syncFolder } from '../lib/sync-folder.ts';
import { FileStream } from './file-stream.ts';
import { openSpool, writeMeasured } from './spool.ts';
import { type ByteRange, checkKey, type MediaStorage, type ReadFile } from './storage.ts';

/** Opens the folder, creating it if needed, and removes incomplete files of an earlier process. */
export async function openDiskStorage(folder: string): Promise<MediaStorage> {
  const temporary = join(folder, 'tmp');
  await openSpool(temporary);
  const pathOf = (key: string): string => join(folder, shardOf(key), key);
  const settle = createSettler(folder);
  /** Written under a separate name, so that the key never refers to a partial file. */
  const make = async <T>(key: string, write: (path: string) => Promise<T>): Promise<T> => {
    checkKey(key);
    const path = join(temporary, randomUUID());
    try {
      const made = await write(path);
      await settle(path, key);
      return made;
    } catch (err) {
      await rm(path, { force: true });
      throw isFull(err) ? noRoom(err) : err;
    }
  };

  return {
    put: (key, source, options) => make(key, path => writeMeasured(path, source, options)),
    async read(key, range) {
      return await readFile(pathOf(key), range);
    },
    async stat(key) {
      const { size } = (await stat(pathOf(key)).catch(ignoreAbsent)) ?? {};
      return size === undefined ? undefined : { bytes: size };
    },
    async move(from, to) {
      checkKey(to);
      await settle(pathOf(from), to).catch(refuseAbsent);
    },
    copy: (from, to, signal) =>
      make(to, async path => {
        await copySynced(pathOf(from), path);
        signal?.throwIfAborted();
      }),
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
  };
}

const isFull = (err: unknown): boolean =>
  err instanceof Error && 'code' in err && (err.code === 'ENOSPC' || err.code === 'EDQUOT');

function noRoom(cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'This service has no room left for media: its operator has to make some in DATA_DIR.',
    { cause },
  );
}

/** Returns a function that renames into the key's folder, so that both name and folder survive a loss of power. */
function createSettler(folder: string): (from: string, key: string) => Promise<void> {
  const shards = new Set<string>();
  return async (from, key) => {
    const shard = join(folder, shardOf(key));
    if (!shards.has(shard)) {
      await mkdir(shard, { recursive: true, mode: 0o700 });
      await syncFolder(folder);
      shards.add(shard);
    }
    await rename(from, join(shard, key));
    await syncFolder(shard);
  };
}

/** Uses the random end of the id: its beginning is the time, and files of one hour must not share a folder. */
function shardOf(key: string): string {
  return checkKey(key).slice(-2);
}

async function readFile(path: string, range: ByteRange | undefined): Promise<ReadFile> {
  const file = await open(path).catch(refuseAbsent);
  try {
    const { start, end } = range ?? { start: 0, end: (await file.stat()).size - 1 };
    return { bytes: end - start + 1, stream: new FileStream(file, { start, end }) };
  } catch (err) {
    await file.close();
    throw err;
  }
}

/** Shares blocks if the file system supports it. */
async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE).catch(refuseAbsent);
  await using file = await open(to, 'r+');
  await file.sync();
}

function ignoreAbsent(err: NodeJS.ErrnoException): undefined {
  if (err.code !== 'ENOENT') throw err;
}

function refuseAbsent(err: NodeJS.ErrnoException): never {
  throw err.code === 'ENOENT'
    ? new AppError('not_found', 'The file of this media is gone.', { cause: err })
    : err;
}
