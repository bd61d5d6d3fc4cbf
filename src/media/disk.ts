// Media on the local disk: a temporary file, fsync, rename, fsync of the folder; keys spread over 1,024 folders.
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../lib/errors.ts';
import { syncFolder } from '../lib/sync-folder.ts';
import { FileStream } from './file-stream.ts';
import { openSpool, writeMeasured } from './spool.ts';
import { type ByteRange, checkKey, type MediaStorage, type ReadFile } from './storage.ts';

/** Opens the folder, made where it is not there, and sweeps what an earlier process left half written. */
export async function openDiskStorage(folder: string): Promise<MediaStorage> {
  const temporary = join(folder, 'tmp');
  await openSpool(temporary);
  const shards = new Set<string>();
  const pathOf = (key: string): string => join(folder, shardOf(key), key);

  /** Renames into the key's folder, so that neither the name nor the folder is lost with the power. */
  const settle = async (from: string, key: string): Promise<void> => {
    const shard = join(folder, shardOf(key));
    if (!shards.has(shard)) {
      await mkdir(shard, { recursive: true, mode: 0o700 });
      await syncFolder(folder);
      shards.add(shard);
    }
    await rename(from, join(shard, key));
    await syncFolder(shard);
  };

  return {
    async put(key, source, options) {
      checkKey(key);
      const path = join(temporary, randomUUID());
      try {
        const stored = await writeMeasured(path, source, options);
        await settle(path, key);
        return stored;
      } catch (err) {
        await rm(path, { force: true });
        throw err;
      }
    },
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
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
  };
}

/** The random end of the id, since its beginning is the time: files of one hour must not share a folder. */
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

function ignoreAbsent(err: NodeJS.ErrnoException): undefined {
  if (err.code !== 'ENOENT') throw err;
}

function refuseAbsent(err: NodeJS.ErrnoException): never {
  throw err.code === 'ENOENT'
    ? new AppError('not_found', 'The file of this media is gone.', { cause: err })
    : err;
}
