// Returns the memory of large files to the system as soon as their chunks are used.

/**
 * Yields the chunks, freeing each once the next is requested. Left to the garbage collector, which counts buffers late,
 * 64 MB would accumulate.
 */
export async function* freeAfterUse(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of pieces) {
    yield piece;
    freeBuffer(piece);
  }
}

/** Does the same for chunks cut from larger blocks: frees a block once a chunk of the next one arrives. */
export async function* freeBlocksAfterUse(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let block: ArrayBufferLike | undefined;
  for await (const piece of pieces) {
    if (block instanceof ArrayBuffer && block !== piece.buffer) block.transfer(0);
    block = piece.buffer;
    yield piece;
  }
}

/** Frees the memory of a buffer that owns it. Nothing may use the buffer afterwards. */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
