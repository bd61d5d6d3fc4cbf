// Checks that an image file is complete. Decoders stop after the first frame, and the GIF decoder accepts an animation
// that is cut off anywhere after it.

type CompletenessCheck = (bytes: Buffer) => boolean;

const CHECKS: Readonly<Record<string, CompletenessCheck>> = {
  'image/gif': isCompleteGif,
  'image/png': isCompletePng,
  'image/avif': isCompleteAvif,
};

/** Returns true also for types whose decoder checks it. Does not check the content of frames. */
export function isCompleteFile(bytes: Uint8Array, contentType: string): boolean {
  const check = CHECKS[contentType];
  return check === undefined || check(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}

const GIF_HEADER_BYTES = 13;
const GIF_TRAILER = 0x3b;
const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;

/**
 * Checks the blocks of a GIF up to the trailer (GIF89a §15). Each is a chain of sub-blocks with a length byte, ended by
 * a 0.
 */
function isCompleteGif(bytes: Buffer): boolean {
  let at = GIF_HEADER_BYTES + getColorTableBytes(bytes[10]);
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === GIF_TRAILER) return true;
    if (kind === GIF_EXTENSION) at += 2;
    // The descriptor, the local color table, and the code size of the data that follows.
    else if (kind === GIF_IMAGE) at += 10 + getColorTableBytes(bytes[at + 9]) + 1;
    else return false;
    while (bytes[at] !== undefined && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
    at += 1;
  }
  return false;
}

/** Returns the size of the color table, three bytes per color, if the flags say that there is one. */
function getColorTableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Checks the chunks of a PNG up to IEND: length, type, data and checksum (PNG §5.3). */
function isCompletePng(bytes: Buffer): boolean {
  let at = 8;
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return true;
    at += 12 + length;
  }
  return false;
}

/** Checks the boxes up to the end of the file. Each starts with its size (ISO/IEC 14496-12 §4.2). */
function isCompleteAvif(bytes: Buffer): boolean {
  let at = 0;
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32BE(at);
    // 0: the rest of the file; 1: an eight-byte size follows, which no accepted file needs.
    if (size === 0) return true;
    if (size === 1) {
      if (at + 16 > bytes.length) return false;
      at += Number(bytes.readBigUInt64BE(at + 8));
    } else if (size < 8) return false;
    else at += size;
  }
  return at > 0 && at <= bytes.length;
}
