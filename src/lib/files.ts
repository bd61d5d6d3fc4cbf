// Reads files in chunks, and makes the names in a folder durable.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

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
