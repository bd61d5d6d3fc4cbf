// Stores media on the local disk. Writes a temporary file, syncs it, renames it and syncs the folder. Keys are distributed
// over 1,024 folders.
import { randomUUID } from 'node:crypto';
import { constants, copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../lib/errors.ts';
import { syncFolder } from '../lib/files.ts';
import { FileStream } from './file-stream.ts';
import { openSpool, writeSpoolFile } from './spool.ts';
import { type ByteRange, type MediaStorage, type OpenedFile, requireValidKey } from './storage.ts';

/** Creates the folder if needed, and removes incomplete files of earlier processes. */
export async function openDiskStorage(folder: string): Promise<MediaStorage> {
  const spoolFolder = join(folder, 'tmp');
  await openSpool(spoolFolder);
  const toPath = (key: string): string => join(folder, getShard(key), key);
  const moveIntoPlace = createMover(folder);
  /** Writes under a temporary name, so that the key never refers to a partial file. */
  const writeFile = async <T>(key: string, write: (path: string) => Promise<T>): Promise<T> => {
    requireValidKey(key);
    const path = join(spoolFolder, randomUUID());
    try {
      const result = await write(path);
      await moveIntoPlace(path, key);
      return result;
    } catch (err) {
      await rm(path, { force: true });
      throw isFull(err) ? createDiskFullError(err) : err;
    }
  };

  return {
    put: (key, source, options) => writeFile(key, path => writeSpoolFile(path, source, options)),
    async read(key, range) {
      return await readFile(toPath(key), range);
    },
    async stat(key) {
      const { size } = (await stat(toPath(key)).catch(ignoreAbsent)) ?? {};
      return size === undefined ? undefined : { bytes: size };
    },
    async move(from, to) {
      requireValidKey(to);
      await moveIntoPlace(toPath(from), to).catch(throwNotFound);
    },
    copy: (from, to, signal) =>
      writeFile(to, async path => {
        await copySynced(toPath(from), path);
        signal?.throwIfAborted();
      }),
    async remove(key) {
      await rm(toPath(key), { force: true });
    },
  };
}

const isFull = (err: unknown): boolean =>
  err instanceof Error && 'code' in err && (err.code === 'ENOSPC' || err.code === 'EDQUOT');

function createDiskFullError(cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'The disk of this service is full. Its operator must free space in DATA_DIR.',
    { cause },
  );
}

/**
 * Returns a function that renames a file into the key's folder and syncs the folders, so that the file survives a loss of
 * power.
 */
function createMover(folder: string): (from: string, key: string) => Promise<void> {
  const shards = new Set<string>();
  return async (from, key) => {
    const shard = join(folder, getShard(key));
    if (!shards.has(shard)) {
      await mkdir(shard, { recursive: true, mode: 0o700 });
      await syncFolder(folder);
      shards.add(shard);
    }
    await rename(from, join(shard, key));
    await syncFolder(shard);
  };
}

/** Returns the random end of the id, because ids start with their time and files of one hour must not share a folder. */
function getShard(key: string): string {
  return requireValidKey(key).slice(-2);
}

async function readFile(path: string, range: ByteRange | undefined): Promise<OpenedFile> {
  const file = await open(path).catch(throwNotFound);
  try {
    const { start, end } = range ?? { start: 0, end: (await file.stat()).size - 1 };
    return { bytes: end - start + 1, stream: new FileStream(file, { start, end }) };
  } catch (err) {
    await file.close();
    throw err;
  }
}

/** Copies and fsyncs a file. The copy shares blocks if the file system supports that. */
async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE).catch(throwNotFound);
  await using file = await open(to, 'r+');
  await file.sync();
}

function ignoreAbsent(err: NodeJS.ErrnoException): undefined {
  if (err.code !== 'ENOENT') throw err;
}

function throwNotFound(err: NodeJS.ErrnoException): never {
  throw err.code === 'ENOENT'
    ? new AppError('not_found', 'The file of this media no longer exists.', { cause: err })
    : err;
}
