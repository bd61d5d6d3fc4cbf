// Reads the free space of a disk, and decides when it is full.
import { statfs } from 'node:fs/promises';

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Returns undefined if the disk cannot be read. */
export async function readDiskSpace(folder: string): Promise<DiskSpace | undefined> {
  const stats = await statfs(folder).catch(() => undefined);
  if (stats === undefined) return undefined;
  return { freeBytes: stats.bavail * stats.bsize, totalBytes: stats.blocks * stats.bsize };
}

const MB = 1_048_576;
const FULL_BYTES = 64 * MB;
/** More than FULL_BYTES, so that small changes near the limit do not take a process in and out of service. */
const FREE_AGAIN_BYTES = 128 * MB;

/** Returns a function that says whether the disk is full. */
export function createDiskCheck(
  folder: string,
  read: typeof readDiskSpace = readDiskSpace,
): () => Promise<boolean> {
  let isFull = false;
  return async () => {
    const space = await read(folder);
    // A small disk, such as one in memory, counts as full when a tenth is left.
    const scale = space === undefined ? 0 : Math.min(1, space.totalBytes / (10 * FULL_BYTES));
    if (space !== undefined) isFull = space.freeBytes < scale * (isFull ? FREE_AGAIN_BYTES : FULL_BYTES);
    return isFull;
  };
}
