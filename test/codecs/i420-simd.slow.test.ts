// Compares the kernel that converts RGBA to I420 with the conversion in plain JavaScript.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getI420Size, rgbaToI420 } from '../../src/codecs/pixels/i420.ts';
import { createI420Writer } from '../../src/codecs/pixels/i420-simd.ts';
import { seededBytes } from '../support/media/pixels.ts';

/** Creates opaque RGBA with pseudo-random colors, which are the same in each run. */
function createNoise(length: number): Uint8Array {
  return seededBytes(length, 1).map((value, offset) => (offset % 4 === 3 ? 255 : value));
}

function convertInJavaScript(rgba: Uint8Array, width: number, height: number, stride: number): Uint8Array {
  const rows = Array.from({ length: height }, (_, y) =>
    rgba.subarray(y * stride * 4, (y * stride + width) * 4),
  );
  const out = new Uint8Array(getI420Size(width, height));
  rgbaToI420(Buffer.concat(rows), width, height, out);
  return out;
}

const getMaxDifference = (a: Uint8Array, b: Uint8Array): number =>
  a.reduce((max, value, offset) => Math.max(max, Math.abs(value - (b[offset] ?? 0))), 0);

describe('createI420Writer', () => {
  const sizes = [
    [64, 50, 64],
    [16, 2, 16],
    [18, 4, 19],
    [50, 30, 51],
    [1078, 26, 1079],
    [8, 6, 9],
    [2, 2, 3],
  ] as const;
  for (const [width, height, stride] of sizes) {
    it(`converts ${width} × ${height} from rows of ${stride} pixels`, () => {
      const rgba = createNoise(stride * (height + 1) * 4);
      const writer = createI420Writer(width, height, stride);
      writer.write(rgba, 0);
      assert.ok(getMaxDifference(writer.frame, convertInJavaScript(rgba, width, height, stride)) <= 1);
    });
  }

  it('converts only the given rows', () => {
    for (const width of [64, 10]) {
      const row = width * 4;
      const [before, after] = [createNoise(row * 50), new Uint8Array(row * 26).fill(255)];
      const writer = createI420Writer(width, 50, width);
      writer.write(before, 0);
      writer.write(after, 6);
      const expectedRgba = before.slice();
      expectedRgba.set(after, 6 * row);
      assert.ok(getMaxDifference(writer.frame, convertInJavaScript(expectedRgba, width, 50, width)) <= 1);
    }
  });
});
