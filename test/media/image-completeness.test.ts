// Tests that truncated images are rejected.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { isCompleteImage } from '../../src/media/image-completeness.ts';
import { inspectImage } from '../../src/media/images.ts';
import { noiseImage, seededBytes } from '../support/media/pixels.ts';

const { signal } = new AbortController();
const FRAMES = 6;
const SIDE = 32;

/** Creates an animation with different frames. */
function animate(format: 'gif' | 'webp'): Promise<Buffer> {
  const raw = seededBytes(SIDE * SIDE * FRAMES * 3, 1);
  const input = { width: SIDE, height: SIDE * FRAMES, channels: 3, pageHeight: SIDE } as const;
  return sharp(raw, { raw: input }).toFormat(format, { loop: 0 }).toBuffer();
}

/** Creates an animated PNG. A decoder of single images skips the chunks after the first frame. */
async function animatePng(): Promise<Buffer> {
  const still = await noiseImage(SIDE, SIDE, 'png');
  const frame = Buffer.alloc(5000);
  const chunk = Buffer.concat([Buffer.alloc(8), frame, Buffer.alloc(4)]);
  chunk.writeUInt32BE(frame.length, 0);
  chunk.write('fdAT', 4, 'latin1');
  return Buffer.concat([still.subarray(0, -12), chunk, still.subarray(-12)]);
}

describe('an animation', () => {
  for (const format of ['gif', 'webp'] as const) {
    it(`as ${format} is decoded completely, and refused wherever it was truncated`, async () => {
      const bytes = await animate(format);
      assert.equal((await sharp(bytes).metadata()).pages, FRAMES);
      assert.equal((await inspectImage(bytes, signal)).height, SIDE);
      for (const share of [0.999, 0.99, 0.9, 0.7, 0.5, 0.3, 0.1]) {
        const cut = bytes.subarray(0, Math.floor(bytes.length * share));
        await assert.rejects(inspectImage(cut, signal), { code: 'unreadable_image' }, `${share}`);
      }
    });
  }
});

describe('isCompleteImage', () => {
  it('walks a PNG to its end', async () => {
    const bytes = await animatePng();
    assert.equal(isCompleteImage(bytes, 'image/png'), true);
    for (const left of [12, 13, 100, 5000])
      assert.equal(isCompleteImage(bytes.subarray(0, -left), 'image/png'), false);
  });

  it('walks the boxes of an AVIF', async () => {
    const bytes = await noiseImage(64, 64, 'avif');
    assert.equal(isCompleteImage(bytes, 'image/avif'), true);
    assert.equal(isCompleteImage(bytes.subarray(0, -1), 'image/avif'), false);
    assert.equal(isCompleteImage(bytes.subarray(0, 20), 'image/avif'), false);
  });

  it('reads the 64-bit size of an AVIF box, and rejects one below the size of the header', async () => {
    const bytes = await noiseImage(64, 64, 'avif');
    const withLargeBox = (size: number): Buffer => {
      const box = Buffer.alloc(16);
      box.writeUInt32BE(1, 0);
      box.write('free', 4, 'latin1');
      box.writeBigUInt64BE(BigInt(size), 8);
      return Buffer.concat([bytes, box]);
    };
    assert.equal(isCompleteImage(withLargeBox(16), 'image/avif'), true);
    for (const size of [0, 1, 8, 15, 17])
      assert.equal(isCompleteImage(withLargeBox(size), 'image/avif'), false, `${size}`);
  });

  it('stops at invalid bytes, whatever lengths they declare', () => {
    for (const contentType of ['image/gif', 'image/png', 'image/avif']) {
      for (const bytes of [
        Buffer.alloc(0),
        Buffer.alloc(7),
        Buffer.alloc(4000, 0xff),
        Buffer.alloc(4000, 0x2c),
      ]) {
        assert.equal(isCompleteImage(bytes, contentType), false);
      }
    }
  });
});
