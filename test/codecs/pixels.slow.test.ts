// Tests conversions of pixels and sound that need no codec.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { parseStartDelay } from '../../src/codecs/host/mp3-delay.ts';
import { createResampler } from '../../src/codecs/host/resample.ts';
import { applyGain, compressPeak, mix } from '../../src/codecs/mix.ts';
import { getI420Size, i420ToRgba, pad, rgbaToI420, rotate, scale } from '../../src/codecs/pixels/i420.ts';
import { encodePng } from '../../src/codecs/pixels/png.ts';
import { collectSound, generateTone, measureDifference } from './clips.ts';

const PLAIN = { matrix: 'bt709', fullRange: false } as const;

function fill(width: number, height: number, color: readonly number[]): Uint8Array {
  return Uint8Array.from({ length: width * height * 4 }, (_, i) => color[i % 4] ?? 255);
}

describe('I420 images', () => {
  it('have the values of BT.709 in limited range', () => {
    const knownColors: readonly (readonly [readonly number[], readonly number[]])[] = [
      [
        [255, 255, 255],
        [235, 128, 128],
      ],
      [
        [0, 0, 0],
        [16, 128, 128],
      ],
      [
        [255, 0, 0],
        [63, 102, 240],
      ],
      [
        [0, 255, 0],
        [173, 42, 26],
      ],
      [
        [0, 0, 255],
        [32, 240, 118],
      ],
    ];
    for (const [color, yuv] of knownColors) {
      const data = new Uint8Array(getI420Size(2, 2));
      rgbaToI420(fill(2, 2, color), 2, 2, data);
      for (const [offset, value] of [
        [0, yuv[0]],
        [4, yuv[1]],
        [5, yuv[2]],
      ] as const) {
        assert.ok(Math.abs((data[offset] ?? 0) - (value ?? 0)) <= 1, `${color}: ${data}`);
      }
      const decoded = i420ToRgba({ width: 2, height: 2, data }, PLAIN);
      assert.ok(
        color.every((value, i) => Math.abs((decoded[i] ?? 0) - value) <= 4),
        `${color}: ${decoded}`,
      );
    }
  });

  it('are scaled, rotated and padded without shifting', () => {
    // White on the left half, black on the right.
    const data = new Uint8Array(getI420Size(8, 4)).fill(128);
    for (let offset = 0; offset < 32; offset++) data[offset] = offset % 8 < 4 ? 235 : 16;
    const image = { width: 8, height: 4, data };
    const scaledImage = scale(image, 4, 2);
    assert.deepEqual(
      [...scaledImage.data.subarray(0, 4)].map(value => value > 127),
      [true, true, false, false],
    );
    assert.equal(scaledImage.data.length, getI420Size(4, 2));
    const rotatedImage = rotate(image, 90);
    assert.deepEqual(
      [rotatedImage.width, rotatedImage.height, rotatedImage.data[0], rotatedImage.data[31]],
      [4, 8, 235, 16],
    );
    assert.deepEqual(rotate(rotate(rotatedImage, 180), 90).data, Buffer.from(data));
    const paddedImage = pad(image, 12, 8);
    assert.deepEqual([...paddedImage.data.subarray(2 * 12, 2 * 12 + 4)], [16, 16, 235, 235]);
    assert.equal(paddedImage.data.length, getI420Size(12, 8));
  });
});

describe('encodePng', () => {
  for (const [kind, alpha] of [
    ['opaque', 255],
    ['translucent', 99],
  ] as const)
    it(`encodes a PNG that decodes to the same pixels (${kind})`, async () => {
      for (const [width, height] of [
        [96, 64],
        [1, 1],
        [3, 2],
        [7, 5],
        [640, 203],
      ] as const) {
        const rgba = Buffer.from({ length: width * height * 4 } as ArrayLike<number>);
        for (let offset = 0; offset < rgba.length; offset++)
          rgba[offset] = offset % 4 === 3 ? alpha : (offset * 7919) % 251;
        const png = await encodePng(rgba, width, height, 1);
        const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
        assert.deepEqual([info.width, info.height], [width, height]);
        assert.ok(data.equals(rgba), `${width} × ${height}`);
      }
    });
});

describe('sound processing', () => {
  it('keeps time and pitch through resampling for any block size', async () => {
    const original = await collectSound(generateTone(0.5));
    for (const [rate, block] of [
      [44_100, 997],
      [96_000, 4096],
      [8000, 100],
    ] as const) {
      const downsample = createResampler(48_000, rate);
      const upsample = createResampler(rate, 48_000);
      const parts: Float32Array[] = [];
      for (let from = 0; from < original.length; from += block * 2)
        parts.push(upsample(downsample(original.subarray(from, from + block * 2))));
      parts.push(upsample(downsample(undefined)), upsample(undefined));
      const out = await collectSound(
        (async function* () {
          yield* parts;
        })(),
      );
      assert.ok(Math.abs(out.length - original.length) <= 24, `${rate}: ${out.length}`);
      const middle = original.length - 4800;
      const error = measureDifference(out.subarray(0, middle), original.subarray(0, middle), 0.02);
      assert.ok(error < 0.005, `${rate}: ${error}`);
    }
  });

  it('mixes sounds to the longest length and limits peaks below 1', async () => {
    const options = { volume: 2, fadeIn: 0.1, fadeOut: 0, seconds: 0.3 };
    const mixedSound = await collectSound(
      mix([applyGain(generateTone(0.3, 0, 777), options), generateTone(0.5, 0, 4801)]),
    );
    assert.equal(mixedSound.length, 48_000);
    assert.ok(mixedSound.every(value => Math.abs(value) < 1));
    const tail = await collectSound(generateTone(0.5));
    assert.deepEqual(mixedSound.subarray(40_000), tail.subarray(40_000));
    assert.deepEqual([compressPeak(0.5), compressPeak(-0.5)], [0.5, -0.5]);
    assert.ok(compressPeak(9) <= 1 && compressPeak(-9) >= -1);
  });

  it('reads the encoder delay from the tag of an MP3', () => {
    const frame = Buffer.alloc(417);
    frame.set([0xff, 0xfb, 0x90, 0x00]);
    assert.equal(parseStartDelay(frame), 0);
    frame.write('Info', 36, 'latin1');
    frame.writeUInt32BE(0x0f, 40);
    frame.write('LAME3.100', 156, 'latin1');
    frame.writeUIntBE((576 << 12) | 100, 177, 3);
    assert.equal(parseStartDelay(frame), 576 + 529);
    assert.equal(parseStartDelay(frame.subarray(0, 100)), 0);
    assert.equal(parseStartDelay(Buffer.from('ID3')), 0);
  });
});
