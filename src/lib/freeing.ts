// Frees the memory of large files as soon as their chunks are used.

/**
 * Yields the chunks, and frees each chunk when the next chunk is requested. Otherwise 64 MB would accumulate, because the
 * garbage collector counts buffers late.
 */
export async function* freeAfterUse(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    yield chunk;
    freeBuffer(chunk);
  }
}

/** Yields chunks that are parts of larger blocks, and frees a block when a chunk of the next block arrives. */
export async function* freeBlocksAfterUse(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let block: ArrayBufferLike | undefined;
  for await (const chunk of chunks) {
    if (block instanceof ArrayBuffer && block !== chunk.buffer) block.transfer(0);
    block = chunk.buffer;
    yield chunk;
  }
}

/** Frees the memory of a buffer that owns it. Nothing may use the buffer afterwards. */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
