// Encodes RGBA as PNG with zlib only, so that video frames need no image library.

import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

const compress = promisify(deflateRaw);
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Number of row bands. Each is compressed while the next is filtered. */
const BANDS = 4;
/** CMF and FLG of RFC 1950: deflate with a window of 32 KB. */
const ZLIB_HEAD = Buffer.from('7801', 'hex');
const ADLER_BASE = 65_521;
/** Bytes that can be summed before 32 bits overflow (zlib's NMAX). */
const ADLER_BLOCK = 5552;

/** Encodes an image as PNG. `level` is the zlib level, 1 to 9. An opaque image is written without alpha. */
export async function encodePng(rgba: Uint8Array, width: number, height: number, level = 6): Promise<Buffer> {
  const isOpaque = isFullyOpaque(rgba);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, RGB or RGBA.
  header.set([8, isOpaque ? 2 : 6], 8);
  const filter = isOpaque ? filterRgb : filterRgba;
  const parts: Promise<Buffer>[] = [];
  let sums: Sums = [1, 0];
  for (let band = 0; band < BANDS; band++) {
    const [from, to] = [band, band + 1].map(edge => Math.round((edge * height) / BANDS));
    const rows = filter(
      rgba.subarray((from as number) * width * 4),
      width,
      (to as number) - (from as number),
    );
    // Only the last band ends the stream. The others end on a byte boundary.
    const finishFlush = band === BANDS - 1 ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    parts.push(compress(rows, { level, finishFlush }));
    sums = updateAdler(rows, sums);
  }
  const check = Buffer.alloc(4);
  check.writeUInt32BE(((sums[1] << 16) | sums[0]) >>> 0);
  const data = Buffer.concat([ZLIB_HEAD, ...(await Promise.all(parts)), check]);
  return Buffer.concat([
    SIGNATURE,
    encodeChunk('IHDR', header),
    encodeChunk('IDAT', data),
    encodeChunk('IEND', Buffer.alloc(0)),
  ]);
}

type Sums = readonly [a: number, b: number];

/** Continues an Adler-32 checksum (RFC 1950). */
function updateAdler(bytes: Uint8Array, [first, second]: Sums): Sums {
  let [a, b] = [first, second];
  for (let from = 0; from < bytes.length; from += ADLER_BLOCK) {
    const to = Math.min(bytes.length, from + ADLER_BLOCK);
    for (let offset = from; offset < to; offset++) {
      a += bytes[offset] as number;
      b += a;
    }
    a %= ADLER_BASE;
    b %= ADLER_BASE;
  }
  return [a, b];
}

function isFullyOpaque(rgba: Uint8Array): boolean {
  for (let offset = 3; offset < rgba.length; offset += 4) if (rgba[offset] !== 255) return false;
  return true;
}

// Each row starts with filter type 1: bytes are differences from the pixel on the left.
function filterRgba(rgba: Uint8Array, width: number, height: number): Buffer {
  const rows = Buffer.allocUnsafe(height * (1 + width * 4));
  for (let y = 0, offset = 0, from = 0; y < height; y++) {
    rows[offset++] = 1;
    for (let x = 0; x < width * 4; x++, from++)
      rows[offset++] = (rgba[from] as number) - (x < 4 ? 0 : (rgba[from - 4] as number));
  }
  return rows;
}

function filterRgb(rgba: Uint8Array, width: number, height: number): Buffer {
  const rows = Buffer.allocUnsafe(height * (1 + width * 3));
  for (let y = 0, offset = 0, from = 0; y < height; y++) {
    rows[offset++] = 1;
    let [red, green, blue] = [0, 0, 0];
    for (let x = 0; x < width; x++, from += 4) {
      const [r, g, b] = [rgba[from] as number, rgba[from + 1] as number, rgba[from + 2] as number];
      rows[offset++] = r - red;
      rows[offset++] = g - green;
      rows[offset++] = b - blue;
      red = r;
      green = g;
      blue = b;
    }
  }
  return rows;
}

function encodeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
