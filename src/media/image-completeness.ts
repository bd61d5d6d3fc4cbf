// Checks that an image file is not cut off. Decoders stop after the first frame, and the GIF decoder accepts an animation
// that is cut off later.
import { yieldTurn } from '../lib/yield-turn.ts';

type CompletenessCheck = (bytes: Buffer) => boolean | Promise<boolean>;

const CHECKS: Readonly<Record<string, CompletenessCheck>> = {
  'image/gif': isCompleteGif,
  'image/png': isCompletePng,
  'image/avif': isCompleteAvif,
};

/** Returns whether the file has an end marker. Always returns true for types whose decoder detects truncation. */
export async function isCompleteImage(bytes: Uint8Array, contentType: string): Promise<boolean> {
  const check = CHECKS[contentType];
  return check === undefined || check(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}

/** A file may consist of millions of tiny blocks. */
const BLOCKS_PER_PAUSE = 10_000;

const PNG_IEND = 0x49454e44;
const GIF_HEADER_BYTES = 13;
const GIF_TRAILER = 0x3b;
const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;

/**
 * Checks the blocks of a GIF up to the trailer (GIF89a §15). A block is a chain of sub-blocks with a length byte. A length
 * of 0 ends the block.
 */
async function isCompleteGif(bytes: Buffer): Promise<boolean> {
  let blockCount = 0;
  let offset = GIF_HEADER_BYTES + getColorTableBytes(bytes[10]);
  while (offset < bytes.length) {
    const blockType = bytes[offset];
    if (blockType === GIF_TRAILER) return true;
    if (blockType === GIF_EXTENSION) offset += 2;
    // Skips the descriptor, the local color table, and the code size of the data.
    else if (blockType === GIF_IMAGE) offset += 10 + getColorTableBytes(bytes[offset + 9]) + 1;
    else return false;
    while (bytes[offset] !== undefined && bytes[offset] !== 0) {
      offset += 1 + (bytes[offset] ?? 0);
      if (++blockCount % BLOCKS_PER_PAUSE === 0) await yieldTurn();
    }
    offset += 1;
    if (++blockCount % BLOCKS_PER_PAUSE === 0) await yieldTurn();
  }
  return false;
}

/** Returns the size of the color table, with three bytes per color, or 0 if the flags say that there is none. */
function getColorTableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Checks the chunks of a PNG up to IEND: length, type, data and checksum (PNG §5.3). */
async function isCompletePng(bytes: Buffer): Promise<boolean> {
  let chunkCount = 0;
  let offset = 8;
  while (offset + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(offset);
    if (bytes.readUInt32BE(offset + 4) === PNG_IEND) return true;
    offset += 12 + length;
    if (++chunkCount % BLOCKS_PER_PAUSE === 0) await yieldTurn();
  }
  return false;
}

/**
 * Checks the boxes of an AVIF up to the end of the file. A box starts with its size: 0 means the rest of the file, and 1
 * means a 64-bit size after the type (ISO/IEC 14496-12 §4.2).
 */
async function isCompleteAvif(bytes: Buffer): Promise<boolean> {
  let boxCount = 0;
  let offset = 0;
  while (offset + 8 <= bytes.length) {
    const size = bytes.readUInt32BE(offset);
    if (size === 0) return true;
    const isLarge = size === 1;
    if (isLarge && offset + 16 > bytes.length) return false;
    const boxBytes = isLarge ? Number(bytes.readBigUInt64BE(offset + 8)) : size;
    // A smaller size than that of the header is invalid, and could make this loop endless.
    if (boxBytes < (isLarge ? 16 : 8)) return false;
    offset += boxBytes;
    if (++boxCount % BLOCKS_PER_PAUSE === 0) await yieldTurn();
  }
  return offset > 0 && offset <= bytes.length;
}
