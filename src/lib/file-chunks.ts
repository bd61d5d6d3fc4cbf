// Reads a file in chunks, opening it with the first one: a stream that is opened earlier would end the process with an
// unhandled error if the file is removed before anyone reads it.
import { createReadStream } from 'node:fs';

/** Rejects in the consumer if the file cannot be read. */
export async function* fileChunks(path: string): AsyncGenerator<Buffer, void> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}
