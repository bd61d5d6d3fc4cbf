// Reads and writes raw data on the pipes of the codec host: fixed-size blocks in, blocks of any size out.
import { once } from 'node:events';

/** Yields blocks of exactly `size` bytes, each in a separate buffer. The last block may be shorter. */
export async function* readBlocks(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  let block = Buffer.allocUnsafe(size);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const count = Math.min(size - filled, chunk.length - from);
      block.set(chunk.subarray(from, from + count), filled);
      from += count;
      filled += count;
      if (filled < size) continue;
      yield block;
      block = Buffer.allocUnsafe(size);
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

/** Writes the bytes. Resolves when more can be written. */
export async function writeOut(bytes: Uint8Array): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
}

/** Resolves when everything is written. Exiting earlier would cut off pending writes. */
export function flushOutput(): Promise<void> {
  return new Promise(resolve => process.stdout.end(resolve));
}
