// Writes RGBA as PNG by zlib alone, so that a frame of a video needs no image library.

import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

const compress = promisify(deflate);
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

export async function encodePng(rgba: Uint8Array, width: number, height: number): Promise<Buffer> {
  // Every row begins with its filter: 1, each byte less the one of the pixel before.
  const rows = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0, at = 0, from = 0; y < height; y++) {
    rows[at++] = 1;
    for (let x = 0; x < width * 4; x++, from++) {
      rows[at++] = (rgba[from] as number) - (x < 4 ? 0 : (rgba[from - 4] as number));
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits, with colours and transparency.
  head.set([8, 6], 8);
  const data = await compress(rows, { level: 6 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
