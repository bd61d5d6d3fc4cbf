// Reads files in chunks, and makes the names in a folder durable.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Opens the file with the first chunk, and rejects in the consumer if it cannot be read: a stream that is opened earlier
 * would end the process with an unhandled error if the file is removed before anyone reads it.
 */
export async function* fileChunks(path: string): AsyncGenerator<Buffer, void> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}

/** fsync of a file persists its bytes, not its name, which is in the folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
