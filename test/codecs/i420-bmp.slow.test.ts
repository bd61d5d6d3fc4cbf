// Compares the kernel that converts I420 to BMP with the conversion in plain JavaScript, for several sizes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getI420Size, i420ToRgba } from '../../src/codecs/pixels/i420.ts';
import { createBmpWriter } from '../../src/codecs/pixels/i420-bmp.ts';
import { seededBytes } from '../support/media/pixels.ts';

describe('createBmpWriter', () => {
  for (const [width, height] of [
    [16, 2],
    [18, 4],
    [34, 6],
    [64, 10],
    [158, 30],
  ] as const)
    it(`converts an I420 frame of ${width} × ${height}`, () => {
      const data = seededBytes(getI420Size(width, height), 7);
      const writer = createBmpWriter(width, height);
      writer.write(seededBytes(data.length, 7).reverse());
      writer.write(data);
      const rgba = i420ToRgba({ width, height, data }, { matrix: 'bt709', fullRange: false });
      const pixels = writer.bytes.subarray(54);
      for (let offset = 0; offset < rgba.length; offset += 4)
        for (const [from, to] of [
          [0, 2],
          [1, 1],
          [2, 0],
        ] as const) {
          const [value = 0, expected = 0] = [pixels[offset + to], rgba[offset + from]];
          assert.ok(Math.abs(value - expected) <= 1, `pixel ${offset / 4}: ${value}, not ${expected}`);
        }
    });

  it('writes a header with the size and format of the image', () => {
    const { bytes } = createBmpWriter(32, 8);
    assert.equal(bytes.toString('latin1', 0, 2), 'BM');
    assert.deepEqual(
      [bytes.readUInt32LE(2), bytes.readInt32LE(18), bytes.readInt32LE(22)],
      [bytes.length, 32, -8],
    );
  });
});
