// Builds images with metadata for tests.
import { crc32, deflateSync } from 'node:zlib';

/** Returns a PNG of one pixel with these chunks before its data. */
export function makePng(chunks: readonly (readonly [type: string, data: Buffer])[]): Buffer {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const all = [
    ['IHDR', header] as const,
    ...chunks,
    ['IDAT', deflateSync(Buffer.from([0, 128]))] as const,
    ['IEND', Buffer.alloc(0)] as const,
  ];
  const parts = all.map(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  });
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...parts]);
}

/** Returns the container of a WebP with EXIF texts, without an image. */
export function makeWebp(texts: readonly string[], isLittle: boolean): Buffer {
  const u16 = (value: number): Buffer => {
    const bytes = Buffer.alloc(2);
    if (isLittle) bytes.writeUInt16LE(value);
    else bytes.writeUInt16BE(value);
    return bytes;
  };
  const u32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    if (isLittle) bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  };
  const values = texts.map(text => Buffer.from(`${text}\0`));
  let offset = 8 + 2 + texts.length * 12 + 4;
  const entries = values.map((value, index) => {
    const entry = Buffer.concat([u16(0x0110 - index), u16(2), u32(value.length), u32(offset)]);
    offset += value.length;
    return entry;
  });
  const exif = Buffer.concat([
    Buffer.from(isLittle ? 'II' : 'MM'),
    u16(42),
    u32(8),
    u16(texts.length),
    ...entries,
    u32(0),
    ...values,
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(exif.length);
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.from('EXIF'), size, exif]);
}
