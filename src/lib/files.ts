// Reads files in chunks, makes the names in a folder durable, and creates temporary folders.
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Yields the chunks of a file, which is opened with the first chunk. A stream that is opened earlier would end the
 * process with an unhandled error if the file is deleted before anyone reads it.
 */
export async function* readFileChunks(path: string): AsyncGenerator<Buffer, void> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}

/** Syncs a folder to disk. Syncing a file persists its bytes, but not its name, which is in the folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a temporary folder that only its owner can read, and removes it after `work`. */
export async function withTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-codec-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
