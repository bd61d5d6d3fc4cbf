// Compares the WebAssembly kernel with the conversion in plain JavaScript, value by value.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { i420Size, rgbaToI420 } from '../../src/codecs/pixels/i420.ts';
import { createI420Writer } from '../../src/codecs/pixels/i420-simd.ts';
import { seededBytes } from '../support/media/pixels.ts';

/** Pseudo-random colors, the same each time. */
function noise(length: number): Uint8Array {
  return seededBytes(length, 1).map((value, at) => (at % 4 === 3 ? 255 : value));
}

function plain(rgba: Uint8Array, width: number, height: number, stride: number): Uint8Array {
  const rows = Array.from({ length: height }, (_, y) =>
    rgba.subarray(y * stride * 4, (y * stride + width) * 4),
  );
  const out = new Uint8Array(i420Size(width, height));
  rgbaToI420(Buffer.concat(rows), width, height, out);
  return out;
}

const furthest = (a: Uint8Array, b: Uint8Array): number =>
  a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] ?? 0))), 0);

describe('the I420 writer', () => {
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
    it(`writes ${width} × ${height} from rows of ${stride} pixels`, () => {
      const rgba = noise(stride * (height + 1) * 4);
      const writer = createI420Writer(width, height, stride);
      writer.write(rgba, 0);
      assert.ok(furthest(writer.frame, plain(rgba, width, height, stride)) <= 1);
    });
  }

  it('writes only the given rows', () => {
    for (const width of [64, 10]) {
      const row = width * 4;
      const [before, after] = [noise(row * 50), new Uint8Array(row * 26).fill(255)];
      const writer = createI420Writer(width, 50, width);
      writer.write(before, 0);
      writer.write(after, 6);
      const mixed = before.slice();
      mixed.set(after, 6 * row);
      assert.ok(furthest(writer.frame, plain(mixed, width, 50, width)) <= 1);
    }
  });
});
