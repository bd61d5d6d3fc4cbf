// Tests that all frames of an animation are decoded, so that a file with a damaged or missing frame is refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { readLaterFrames } from '../../src/media/animation.ts';
import { inspectImage } from '../../src/media/images.ts';
import { plainImage } from '../support/media/pixels.ts';

const { signal } = new AbortController();
const SIDE = 16;
const unreadable = { code: 'unreadable_image' };

const u32 = (...values: readonly number[]): Buffer => {
  const out = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) out.writeUInt32BE(value, i * 4);
  return out;
};
function chunk(type: string, data: Buffer): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([u32(data.length), typeAndData, u32(crc32(typeAndData))]);
}
/** Returns the data of the only IDAT chunk of a small PNG. */
function readImageData(png: Buffer): Buffer {
  const offset = png.indexOf('IDAT');
  return png.subarray(offset + 4, offset + 4 + png.readUInt32BE(offset - 4));
}

interface ApngOptions {
  readonly declaredFrames?: number;
  readonly x?: number;
  readonly secondData?: Buffer;
}

/** Creates an animation of two frames, each of one color. The second frame has half the width and height. */
async function createApng({ declaredFrames = 2, x = 8, secondData }: ApngOptions = {}): Promise<Buffer> {
  const image = await plainImage(SIDE, SIDE, '#ff0000');
  const data = secondData ?? readImageData(await plainImage(SIDE / 2, SIDE / 2, '#00ff00'));
  const control = (sequence: number, side: number, left: number): Buffer =>
    chunk('fcTL', Buffer.concat([u32(sequence, side, side, left, 0), Buffer.from([0, 1, 0, 10, 0, 0])]));
  const start = image.indexOf('IDAT') - 4;
  return Buffer.concat([
    image.subarray(0, start),
    chunk('acTL', u32(declaredFrames, 0)),
    control(0, SIDE, 0),
    chunk('IDAT', readImageData(image)),
    control(1, SIDE / 2, x),
    chunk('fdAT', Buffer.concat([u32(2), data])),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('inspectImage with an animated PNG', () => {
  it('accepts an animation if all frames are intact', async () => {
    const { contentType, width, height } = await inspectImage(await createApng(), signal);
    assert.deepEqual([contentType, width, height], ['image/png', SIDE, SIDE]);
  });

  it('refuses a frame that is damaged, missing, too small or out of place', async () => {
    const intact = await createApng();
    const damaged = Buffer.from(intact);
    damaged.writeUInt8(intact.readUInt8(intact.indexOf('fdAT') + 12) ^ 1, intact.indexOf('fdAT') + 12);
    const data = readImageData(await plainImage(SIDE / 2, SIDE / 2, '#00ff00'));
    for (const bytes of [
      damaged,
      await createApng({ declaredFrames: 3 }),
      await createApng({ x: 9 }),
      await createApng({ secondData: Buffer.alloc(0) }),
      await createApng({ secondData: data.subarray(0, -8) }),
      await createApng({ secondData: Buffer.alloc(60, 1) }),
    ]) {
      await assert.rejects(inspectImage(bytes, signal), unreadable);
    }
  });
});

describe('inspectImage with an animated WebP', () => {
  /** Creates an animation whose frames cover only a corner of this width and height. */
  const createWebp = async (side: number, frames: number): Promise<Buffer> => {
    const pixels = Buffer.from(Array.from({ length: 3 * frames }, (_, index) => index * 9));
    const raw = { width: 1, height: frames, channels: 3, pageHeight: 1 } as const;
    const webp = await sharp(pixels, { raw }).webp({ loop: 0 }).toBuffer();
    const offset = webp.indexOf('VP8X') + 12;
    webp.writeUIntLE(side - 1, offset, 3);
    webp.writeUIntLE(side - 1, offset + 3, 3);
    return webp;
  };

  it('refuses frames that take too much memory, because a decoder keeps whole frames', async () => {
    await assert.rejects(inspectImage(await createWebp(9100, 2), signal), {
      code: 'unreadable_image',
      message: /9100 × 9100 pixels in this format \(webp, 8 bits\) takes too much memory.* is 81 megapixels/,
    });
  });

  it('checks an animation alone if the frames that are decoded together take much memory', async () => {
    const countReads = async (frames: number): Promise<number> => {
      const webp = await createWebp(1000, frames);
      let reads = 0;
      await inspectImage(async () => {
        reads++;
        return webp;
      }, signal);
      return reads;
    };
    // The image is read again once no other large image is decoded.
    assert.deepEqual([await countReads(2), await countReads(20)], [1, 2]);
  });
});

it('inspectImage refuses an animated GIF if the data of its last frame are invalid', async () => {
  const colors = [0, 90, 180].flatMap(level =>
    Array.from({ length: SIDE * SIDE * 3 }, (_, i) => (i % 2) * level),
  );
  const raw = { width: SIDE, height: SIDE * 3, channels: 3, pageHeight: SIDE } as const;
  const gif = await sharp(Buffer.from(colors), { raw }).gif({ loop: 0 }).toBuffer();
  await inspectImage(gif, signal);
  // The last frame consists of a descriptor, colors and the code size, followed by two bytes of invalid codes.
  const offset = gif.lastIndexOf(0x2c);
  const flags = gif.readUInt8(offset + 9);
  const colorBytes = (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
  const brokenGif = Buffer.concat([
    gif.subarray(0, offset + 10 + colorBytes + 1),
    Buffer.from([2, 0xff, 0xff, 0, 0x3b]),
  ]);
  await assert.rejects(inspectImage(brokenGif, signal), unreadable);
});

/** Creates a PNG of one pixel with this many frames and other chunks. */
async function createTinyApng({ frames, others = 0 }: { frames: number; others?: number }): Promise<Buffer> {
  const image = await plainImage(1, 1, '#ff0000');
  const start = image.indexOf('IDAT') - 4;
  const control = (sequence: number): Buffer =>
    chunk('fcTL', Buffer.concat([u32(sequence, 1, 1, 0, 0), Buffer.from([0, 1, 0, 10, 0, 0])]));
  const data = chunk('fdAT', Buffer.concat([u32(0), readImageData(image)]));
  return Buffer.concat([
    image.subarray(0, start),
    chunk('acTL', u32(frames, 0)),
    ...Array.from({ length: frames }, (_, index) => Buffer.concat([control(index), data])),
    ...Array<Buffer>(others).fill(chunk('aaAa', Buffer.alloc(0))),
    chunk('fdAT', u32(0)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('readLaterFrames', () => {
  it('refuses animations with more than 10,000 frames', async () => {
    const info = { contentType: 'image/gif', width: 1, height: 1, pages: 10_001 };
    await assert.rejects(Array.fromAsync(readLaterFrames(Buffer.alloc(1), info)), /too many frames/);
    const png = await createTinyApng({ frames: 10_001 });
    await assert.rejects(
      Array.fromAsync(readLaterFrames(png, { ...info, contentType: 'image/png', pages: 1 })),
      /too many frames/,
    );
  });

  it('skips any number of other chunks', async () => {
    const png = await createTinyApng({ frames: 2, others: 200_000 });
    const info = { contentType: 'image/png', width: 1, height: 1, pages: 1 };
    assert.equal((await Array.fromAsync(readLaterFrames(png, info))).length, 2);
  });

  it('groups frames up to the number of pixels that an image may have', async () => {
    const info = { contentType: 'image/webp', width: 5000, height: 5000, pages: 11 };
    const groups = (await Array.fromAsync(readLaterFrames(Buffer.alloc(1), info))).map(({ page, pages }) => [
      page,
      pages,
    ]);
    assert.deepEqual(groups, [
      [1, 4],
      [5, 4],
      [9, 2],
    ]);
    assert.deepEqual(await Array.fromAsync(readLaterFrames(Buffer.alloc(1), { ...info, pages: 1 })), []);
  });

  it('refuses animations that would take minutes to decode', async () => {
    const info = { contentType: 'image/gif', width: 10_000, height: 10_000, pages: 21 };
    await assert.rejects(Array.fromAsync(readLaterFrames(Buffer.alloc(1), info)), /too many pixels/);
  });
});
