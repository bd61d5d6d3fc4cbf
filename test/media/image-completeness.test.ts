// Tests that truncated images are refused.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import sharp from 'sharp';
import { isCompleteImage } from '../../src/media/image-completeness.ts';
import { inspectImage } from '../../src/media/images.ts';
import { noiseImage, seededBytes } from '../support/media/pixels.ts';

const { signal } = new AbortController();
const FRAMES = 6;
const SIDE = 32;

/** Creates an animation with different frames. */
function createAnimation(format: 'gif' | 'webp'): Promise<Buffer> {
  const raw = seededBytes(SIDE * SIDE * FRAMES * 3, 1);
  const input = { width: SIDE, height: SIDE * FRAMES, channels: 3, pageHeight: SIDE } as const;
  return sharp(raw, { raw: input }).toFormat(format, { loop: 0 }).toBuffer();
}

/** Creates an animated PNG. Decoders ignore the chunks after its first frame. */
async function createAnimatedPng(): Promise<Buffer> {
  const still = await noiseImage(SIDE, SIDE, 'png');
  const frame = Buffer.alloc(5000);
  const chunk = Buffer.concat([Buffer.alloc(8), frame, Buffer.alloc(4)]);
  chunk.writeUInt32BE(frame.length, 0);
  chunk.write('fdAT', 4, 'latin1');
  return Buffer.concat([still.subarray(0, -12), chunk, still.subarray(-12)]);
}

describe('inspectImage with an animation', () => {
  for (const format of ['gif', 'webp'] as const) {
    it(`decodes all frames and refuses a truncated file (${format})`, async () => {
      const bytes = await createAnimation(format);
      assert.equal((await sharp(bytes).metadata()).pages, FRAMES);
      assert.equal((await inspectImage(bytes, signal)).height, SIDE);
      for (const share of [0.999, 0.99, 0.9, 0.7, 0.5, 0.3, 0.1]) {
        const truncated = bytes.subarray(0, Math.floor(bytes.length * share));
        await assert.rejects(inspectImage(truncated, signal), { code: 'unreadable_image' }, `${share}`);
      }
    });
  }
});

describe('files of many blocks', () => {
  const BLOCKS = 1_000_000;
  /** Makes time pass whenever it is read, so that the test does not depend on the speed of the machine. */
  const slowDown = async ({ mock }: TestContext): Promise<void> => {
    // Ends the slice of this turn, which started at another time.
    await turn();
    let nowMs = performance.now();
    mock.method(performance, 'now', () => nowMs++);
  };
  const repeat = (block: Buffer): Buffer => Buffer.alloc(BLOCKS * block.length, block);
  /** An empty chunk of an unknown type, which decoders skip. Its checksum is not read. */
  const CHUNK = Buffer.from('\0\0\0\0aaAa\0\0\0\0', 'latin1');
  const END = Buffer.from('\0\0\0\0IEND\xaeB`\x82', 'latin1');
  /** Returns whether the promise settles without a turn of the event loop. */
  const holdsEventLoop = async (promise: Promise<unknown>): Promise<boolean> => {
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });
    await promise;
    return !hasTurned;
  };

  for (const [type, bytes] of [
    ['image/png', Buffer.concat([Buffer.alloc(8), repeat(CHUNK), END])],
    ['image/gif', Buffer.concat([Buffer.alloc(13), Buffer.from([0x21, 0xfe]), repeat(Buffer.from([1, 65]))])],
    ['image/avif', repeat(Buffer.from('\0\0\0\x08free', 'latin1'))],
  ] as const)
    it(`are checked with pauses (${type})`, async context => {
      await slowDown(context);
      assert.equal(await holdsEventLoop(isCompleteImage(bytes, type)), false);
    });
});

describe('isCompleteImage', () => {
  it('checks the chunks of a PNG up to the end of the file', async () => {
    const bytes = await createAnimatedPng();
    assert.equal(await isCompleteImage(bytes, 'image/png'), true);
    for (const missingBytes of [12, 13, 100, 5000])
      assert.equal(await isCompleteImage(bytes.subarray(0, -missingBytes), 'image/png'), false);
  });

  it('checks the boxes of an AVIF', async () => {
    const bytes = await noiseImage(64, 64, 'avif');
    assert.equal(await isCompleteImage(bytes, 'image/avif'), true);
    assert.equal(await isCompleteImage(bytes.subarray(0, -1), 'image/avif'), false);
    assert.equal(await isCompleteImage(bytes.subarray(0, 20), 'image/avif'), false);
  });

  it('reads the 64-bit size of an AVIF box', async () => {
    const bytes = await noiseImage(64, 64, 'avif');
    const withLargeBox = (size: number): Buffer => {
      const box = Buffer.alloc(16);
      box.writeUInt32BE(1, 0);
      box.write('free', 4, 'latin1');
      box.writeBigUInt64BE(BigInt(size), 8);
      return Buffer.concat([bytes, box]);
    };
    assert.equal(await isCompleteImage(withLargeBox(16), 'image/avif'), true);
    for (const size of [0, 1, 8, 15, 17])
      assert.equal(await isCompleteImage(withLargeBox(size), 'image/avif'), false, `${size}`);
  });

  it('refuses invalid bytes', async () => {
    for (const contentType of ['image/gif', 'image/png', 'image/avif']) {
      for (const bytes of [
        Buffer.alloc(0),
        Buffer.alloc(7),
        Buffer.alloc(4000, 0xff),
        Buffer.alloc(4000, 0x2c),
      ]) {
        assert.equal(await isCompleteImage(bytes, contentType), false);
      }
    }
  });
});
