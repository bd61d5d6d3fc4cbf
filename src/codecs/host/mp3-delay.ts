// Reads from an MP3's Xing or Info tag how many samples of silence the encoder and decoder add at the start.
import { closeSync, openSync, readSync } from 'node:fs';

/** The samples that every decoder adds, because of the format's filter bank. */
const DECODER_DELAY = 529;
const HEAD_BYTES = 4096;

/** Returns the number of samples to drop at the start, or 0 if the file has no such tag. */
export function readStartDelay(path: string): number {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(10);
    readSync(file, head, 0, 10, 0);
    const isId3 = head.toString('latin1', 0, 3) === 'ID3';
    // The size of an ID3 tag has seven bits per byte.
    const tagBytes = isId3
      ? 10 + [6, 7, 8, 9].reduce((size, offset) => size * 128 + ((head[offset] ?? 0) & 127), 0)
      : 0;
    const frame = Buffer.alloc(HEAD_BYTES);
    const count = readSync(file, frame, 0, HEAD_BYTES, tagBytes);
    return parseStartDelay(frame.subarray(0, count));
  } finally {
    closeSync(file);
  }
}

/** Parses the first frame, in which the tag follows the side information. The encoder's part (LAME) ends the tag. */
export function parseStartDelay(frame: Uint8Array): number {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (bytes.length < 200 || bytes[0] !== 0xff || ((bytes[1] ?? 0) & 0xe0) !== 0xe0) return 0;
  const isVersion1 = ((bytes[1] ?? 0) & 0x18) === 0x18;
  const isMono = ((bytes[3] ?? 0) & 0xc0) === 0xc0;
  const offset = 4 + (isVersion1 ? (isMono ? 17 : 32) : isMono ? 9 : 17);
  if (!['Xing', 'Info'].includes(bytes.toString('latin1', offset, offset + 4))) return 0;
  const flags = bytes.readUInt32BE(offset + 4);
  // The frame count, file size, table of contents and quality are each present if their bit is set.
  const lame =
    offset + 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0);
  if (!/^(LAME|Lavc|Lavf)/.test(bytes.toString('latin1', lame, lame + 4))) return 0;
  const encoderDelay = bytes.readUIntBE(lame + 21, 3) >> 12;
  return encoderDelay + DECODER_DELAY;
}
