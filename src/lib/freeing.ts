// Pieces of large files, given back to the system as soon as they are used.

/**
 * The pieces, each freed once the next is asked for. Left to the garbage collector, which counts them late, 64 MB of
 * what is no longer needed lie about before it begins.
 */
export async function* freeing(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of pieces) {
    yield piece;
    free(piece);
  }
}

/** The same of pieces that are cut from larger blocks: a block is freed once a piece of the next one is there. */
export async function* freeingBlocks(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let block: ArrayBufferLike | undefined;
  for await (const piece of pieces) {
    if (block instanceof ArrayBuffer && block !== piece.buffer) block.transfer(0);
    block = piece.buffer;
    yield piece;
  }
}

/** Gives the memory back of what has it to itself; nobody may be using it any more. */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
