// Writes RGBA as PNG by zlib alone, so that a frame of a video needs no image library.

import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

const compress = promisify(deflate);
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** `level` is zlib's, 1 to 9. A picture without transparency is written without alpha. */
export async function encodePng(rgba: Uint8Array, width: number, height: number, level = 6): Promise<Buffer> {
  const isOpaque = hasNoHoles(rgba);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits, with colours and, where there is any, transparency.
  head.set([8, isOpaque ? 2 : 6], 8);
  const data = await compress(isOpaque ? filterRgb(rgba, width, height) : filterRgba(rgba, width, height), {
    level,
  });
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function hasNoHoles(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return false;
  return true;
}

// Every row begins with its filter: 1, each byte less the one of the pixel before.
function filterRgba(rgba: Uint8Array, width: number, height: number): Buffer {
  const rows = Buffer.allocUnsafe(height * (1 + width * 4));
  for (let y = 0, at = 0, from = 0; y < height; y++) {
    rows[at++] = 1;
    for (let x = 0; x < width * 4; x++, from++)
      rows[at++] = (rgba[from] as number) - (x < 4 ? 0 : (rgba[from - 4] as number));
  }
  return rows;
}

function filterRgb(rgba: Uint8Array, width: number, height: number): Buffer {
  const rows = Buffer.allocUnsafe(height * (1 + width * 3));
  for (let y = 0, at = 0, from = 0; y < height; y++) {
    rows[at++] = 1;
    let [red, green, blue] = [0, 0, 0];
    for (let x = 0; x < width; x++, from += 4) {
      const [r, g, b] = [rgba[from] as number, rgba[from + 1] as number, rgba[from + 2] as number];
      rows[at++] = r - red;
      rows[at++] = g - green;
      rows[at++] = b - blue;
      red = r;
      green = g;
      blue = b;
    }
  }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
