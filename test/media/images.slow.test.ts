// Tests which images are accepted, and the pixels of transformed images.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import {
  adjustImage,
  blurImage,
  compositeImages,
  convertImage,
  createImageGrid,
  cropImage,
  FORMATS,
  inspectImage,
  resizeImage,
  rotateImage,
} from '../../src/media/images.ts';
import { isNear, noiseImage, plainImage, readPixels } from '../support/media/pixels.ts';

const { signal } = new AbortController();
const RED = '#ff0000';
const BLUE = '#0000ff';
const CLEAR = '#00000000';
const PLAIN = { brightness: 1, contrast: 1, saturation: 1, hue: 0, effect: 'none' } as const;
const CENTERED = { gravity: 'center', opacity: 1, blend: 'over' } as const;

const isRed = (color: readonly number[]) => isNear(color, [255, 0, 0, 255]);
const isBlue = (color: readonly number[]) => isNear(color, [0, 0, 255, 255]);

/** Creates an image whose left half is red and whose right half is blue. */
const createTwoHalves = async () =>
  compositeImages(
    await plainImage(40, 20, RED),
    await plainImage(20, 20, BLUE),
    { ...CENTERED, x: 20, y: 0 },
    signal,
  );

describe('inspectImage', () => {
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
    it(`reads ${format} and refuses a truncated file`, async () => {
      const bytes = await noiseImage(120, 80, format);
      const { contentType, width, height } = await inspectImage(bytes, signal);
      assert.deepEqual(
        { contentType, width, height },
        { contentType: `image/${format}`, width: 120, height: 80 },
      );
      await assert.rejects(inspectImage(bytes.subarray(0, bytes.length / 2), signal), {
        code: 'unreadable_image',
      });
    });
  }

  it('refuses files that are not images, including SVG and TIFF', async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    );
    const tiff = await sharp({ create: { width: 2, height: 2, channels: 3, background: RED } })
      .tiff()
      .toBuffer();
    for (const bytes of [Buffer.alloc(0), Buffer.from('hello'), svg, tiff]) {
      await assert.rejects(inspectImage(bytes, signal), { code: 'unreadable_image' });
    }
  });

  it('refuses more than 100 megapixels without decoding the image', async () => {
    const bomb = await sharp({ create: { width: 10_001, height: 10_000, channels: 3, background: RED } })
      .png()
      .toBuffer();
    await assert.rejects(inspectImage(bomb, signal), { code: 'unreadable_image' });
  });

  it('returns the size of an image with its orientation applied', async () => {
    const oriented = await sharp(await plainImage(40, 20, RED, 'jpeg'))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { width, height } = await inspectImage(oriented, signal);
    assert.deepEqual([width, height], [20, 40]);
  });

  it('rejects an aborted request', async () => {
    const bytes = await plainImage(4, 4, RED);
    await assert.rejects(inspectImage(bytes, AbortSignal.abort()), { name: 'AbortError' });
  });
});

describe('resizeImage', () => {
  const sizes = [
    [{ width: 20, fit: 'cover' }, [20, 10]],
    [{ height: 5, fit: 'cover' }, [10, 5]],
    [{ width: 10, height: 10, fit: 'cover' }, [10, 10]],
    [{ width: 10, height: 10, fit: 'contain' }, [10, 10]],
    [{ width: 10, height: 30, fit: 'fill' }, [10, 30]],
    [{ width: 10, height: 10, fit: 'inside' }, [10, 5]],
    [{ width: 10, height: 10, fit: 'outside' }, [20, 10]],
    [{ width: 9.6, height: 0.4, fit: 'fill' }, [10, 1]],
    [{ fit: 'cover' }, [40, 20]],
  ] as const;
  for (const [options, expected] of sizes) {
    it(`resizes 40 × 20 to ${expected.join(' × ')} with ${JSON.stringify(options)}`, async () => {
      const { bytes } = await resizeImage(
        await plainImage(40, 20, RED),
        { ...options, background: BLUE },
        signal,
      );
      const pixels = await readPixels(bytes);
      assert.deepEqual([pixels.width, pixels.height], expected);
      assert.ok(isRed(pixels.at(Math.floor(pixels.width / 2), Math.floor(pixels.height / 2))));
    });
  }

  it('fills the space that the fit "contain" leaves empty', async () => {
    const { bytes } = await resizeImage(
      await plainImage(40, 20, RED),
      { width: 20, height: 20, fit: 'contain', background: BLUE },
      signal,
    );
    const pixels = await readPixels(bytes);
    assert.ok(isBlue(pixels.at(10, 0)));
    assert.ok(isRed(pixels.at(10, 10)));
  });

  it('keeps JPEG and WebP and converts other formats to PNG', async () => {
    for (const [from, to] of [
      ['jpeg', 'jpeg'],
      ['webp', 'webp'],
      ['png', 'png'],
      ['gif', 'png'],
      ['avif', 'png'],
    ] as const) {
      const source = await sharp(await plainImage(20, 10, RED, from))
        .withExif({ IFD0: { Artist: 'someone' } })
        .toFormat(from)
        .toBuffer();
      const result = await resizeImage(source, { width: 10, fit: 'cover', background: CLEAR }, signal);
      assert.equal(result.contentType, `image/${to}`);
      const { format, exif } = await sharp(result.bytes).metadata();
      assert.deepEqual([format, exif], [to, undefined]);
    }
  });

  it('refuses results that are too large before allocating memory', async () => {
    const thin = await plainImage(1, 1000, RED);
    await assert.rejects(resizeImage(thin, { width: 8000, fit: 'cover', background: CLEAR }, signal), {
      code: 'invalid_request',
    });
    const outside = { width: 8000, height: 8000, fit: 'outside', background: CLEAR } as const;
    await assert.rejects(resizeImage(thin, outside, signal), { code: 'invalid_request' });
  });
});

describe('cropImage', () => {
  it('returns the part of the area that is inside the image', async () => {
    const twoHalves = await createTwoHalves();
    const { bytes } = await cropImage(twoHalves.bytes, { x: 18, y: -5, width: 100, height: 15 }, signal);
    const pixels = await readPixels(bytes);
    assert.deepEqual([pixels.width, pixels.height], [22, 10]);
    assert.ok(isRed(pixels.at(1, 5)));
    assert.ok(isBlue(pixels.at(2, 5)));
  });

  it('refuses an area outside the image', async () => {
    await assert.rejects(cropImage(await plainImage(4, 4, RED), { x: 4, y: 0 }, signal), {
      code: 'invalid_request',
    });
  });
});

describe('rotateImage', () => {
  it('rotates clockwise with a background in the corners', async () => {
    const wide = await plainImage(40, 20, RED);
    const quarter = await readPixels(
      (await rotateImage(wide, { angle: 90, mirror: 'none', background: BLUE }, signal)).bytes,
    );
    assert.deepEqual([quarter.width, quarter.height], [20, 40]);
    const oblique = await readPixels(
      (await rotateImage(wide, { angle: 45, mirror: 'none', background: BLUE }, signal)).bytes,
    );
    assert.ok(isBlue(oblique.at(0, 0)));
    assert.ok(isRed(oblique.at(Math.floor(oblique.width / 2), Math.floor(oblique.height / 2))));
  });

  it('mirrors horizontally and vertically', async () => {
    const half = await createTwoHalves();
    const flipped = await readPixels(
      (await rotateImage(half.bytes, { angle: 0, mirror: 'horizontal', background: CLEAR }, signal)).bytes,
    );
    assert.ok(isBlue(flipped.at(0, 0)));
    assert.ok(isRed(flipped.at(39, 0)));
  });
});

describe('adjustImage and blurImage', () => {
  it('adjustImage returns the same pixels if nothing changes', async () => {
    const { bytes } = await adjustImage(await plainImage(4, 4, '#336699'), PLAIN, signal);
    assert.ok(isNear((await readPixels(bytes)).at(1, 1), [0x33, 0x66, 0x99, 255]));
  });

  it('adjustImage changes brightness, contrast and colors without changing transparency', async () => {
    const source = await plainImage(4, 4, '#40404080');
    const adjustedPixel = async (change: object) =>
      (await readPixels((await adjustImage(source, { ...PLAIN, ...change }, signal)).bytes)).at(1, 1);
    assert.ok(((await adjustedPixel({ brightness: 2 }))[0] ?? 0) > 0x60);
    assert.deepEqual(await adjustedPixel({ contrast: 1.5 }), [32, 32, 32, 128]);
    assert.deepEqual(await adjustedPixel({ effect: 'invert' }), [191, 191, 191, 128]);
    const [r, g, b] = (
      await readPixels(
        (
          await adjustImage(await plainImage(4, 4, RED), { ...PLAIN, effect: 'grayscale' }, signal)
        ).bytes,
      )
    ).at(1, 1);
    assert.ok(r === g && g === b);
  });

  it('blurImage mixes neighboring pixels', async () => {
    const half = await createTwoHalves();
    const [r = 0, , b = 0] = (await readPixels((await blurImage(half.bytes, 4, signal)).bytes)).at(20, 10);
    assert.ok(r > 60 && b > 60);
  });
});

describe('compositeImages', () => {
  const compose = async (options: object) =>
    readPixels(
      (
        await compositeImages(
          await plainImage(40, 20, RED),
          await plainImage(10, 10, BLUE),
          { ...CENTERED, ...options },
          signal,
        )
      ).bytes,
    );

  it('places the overlay by its gravity', async () => {
    const centered = await compose({});
    assert.ok(isBlue(centered.at(20, 10)) && isRed(centered.at(14, 10)) && isRed(centered.at(20, 4)));
    const corner = await compose({ gravity: 'southeast' });
    assert.ok(isBlue(corner.at(39, 19)) && isRed(corner.at(20, 10)));
  });

  it('places the overlay by pixels, also partly outside the image', async () => {
    const pixels = await compose({ x: -5, y: 15 });
    assert.ok(isBlue(pixels.at(0, 19)) && isRed(pixels.at(5, 19)) && isRed(pixels.at(0, 14)));
    assert.deepEqual([pixels.width, pixels.height], [40, 20]);
    assert.ok(isRed((await compose({ x: 100, y: 0 })).at(39, 0)));
  });

  it('scales the overlay by its aspect ratio if only one side is given', async () => {
    const pixels = await compose({ x: 0, y: 0, height: 20 });
    assert.ok(isBlue(pixels.at(19, 19)) && isRed(pixels.at(20, 0)));
    assert.ok(isBlue((await compose({ width: 400, height: 400 })).at(39, 19)));
  });

  it('applies opacity and blend mode', async () => {
    assert.ok(isNear((await compose({ opacity: 0.5 })).at(20, 10), [128, 0, 128, 255]));
    assert.ok(isNear((await compose({ blend: 'multiply' })).at(20, 10), [0, 0, 0, 255]));
    assert.ok(isNear((await compose({ blend: 'screen' })).at(20, 10), [255, 0, 255, 255]));
  });
});

describe('createImageGrid', () => {
  it('places images in rows of equal cells', async () => {
    const reads = [RED, BLUE, RED].map(color => () => plainImage(30, 10, color));
    const { bytes } = await createImageGrid(
      reads,
      { columns: 2, cell: { width: 10, height: 10 }, gap: 2, background: '#ffffff' },
      signal,
    );
    const pixels = await readPixels(bytes);
    assert.deepEqual([pixels.width, pixels.height], [26, 26]);
    assert.ok(isRed(pixels.at(5, 5)) && isBlue(pixels.at(17, 5)) && isRed(pixels.at(5, 17)));
    assert.deepEqual(
      [pixels.at(0, 0), pixels.at(17, 17)],
      [
        [255, 255, 255, 255],
        [255, 255, 255, 255],
      ],
    );
  });
});

describe('convertImage', () => {
  for (const format of FORMATS) {
    it(`writes ${format}`, async () => {
      const { bytes, contentType } = await convertImage(
        await plainImage(10, 10, RED),
        { format, quality: 80, background: BLUE },
        signal,
      );
      assert.equal(contentType, `image/${format}`);
      assert.equal((await inspectImage(bytes, signal)).contentType, contentType);
    });
  }

  it('fills transparent areas with the background if the format is opaque', async () => {
    const { bytes } = await convertImage(
      await plainImage(10, 10, CLEAR),
      { format: 'jpeg', quality: 90, background: BLUE },
      signal,
    );
    assert.ok(isBlue((await readPixels(bytes)).at(5, 5)));
  });
});

describe('every operation on images', () => {
  const plain = { width: 8, height: 8, channels: 3, background: '#808080' } as const;
  const kinds: Readonly<Record<string, () => Promise<Buffer>>> = {
    'a grey JPEG': () => sharp({ create: plain }).grayscale().jpeg().toBuffer(),
    'a grey PNG with transparency': () =>
      sharp({ create: { ...plain, channels: 4 } })
        .toColourspace('b-w')
        .png()
        .toBuffer(),
    'a PNG of 16 bits': () => sharp({ create: plain }).toColourspace('rgb16').png().toBuffer(),
    'a grey PNG of 16 bits': () => sharp({ create: plain }).toColourspace('grey16').png().toBuffer(),
    'a PNG with a palette': () => sharp({ create: plain }).png({ palette: true }).toBuffer(),
    'a CMYK JPEG': () => sharp({ create: plain }).toColourspace('cmyk').jpeg().toBuffer(),
  };
  for (const [kind, make] of Object.entries(kinds)) {
    it(`accepts ${kind}`, async () => {
      const source = await make();
      const overlay = await plainImage(8, 8, RED);
      const size = { width: 8, height: 8 };
      const results = [
        await resizeImage(source, { ...size, fit: 'contain', background: CLEAR }, signal),
        await cropImage(source, { x: 0, y: 0 }, signal),
        await rotateImage(source, { angle: 180, mirror: 'vertical', background: CLEAR }, signal),
        await adjustImage(source, PLAIN, signal),
        await blurImage(source, 1, signal),
        await convertImage(source, { format: 'png', quality: 90, background: CLEAR }, signal),
        await compositeImages(overlay, source, CENTERED, signal),
        await compositeImages(source, overlay, { ...CENTERED, opacity: 0 }, signal),
        await createImageGrid(
          [async () => source],
          { columns: 1, cell: size, gap: 0, background: CLEAR },
          signal,
        ),
      ];
      for (const { bytes } of results) {
        const pixels = await readPixels(bytes);
        assert.deepEqual([pixels.width, pixels.height], [8, 8]);
        assert.ok(isNear(pixels.at(4, 4), [128, 128, 128, 255], 16), String(pixels.at(4, 4)));
      }
      const half = await readPixels(
        (await compositeImages(overlay, source, { ...CENTERED, opacity: 0.5 }, signal)).bytes,
      );
      assert.ok(isNear(half.at(4, 4), [192, 64, 64, 255], 16), String(half.at(4, 4)));
    });
  }
});

describe('color profiles', () => {
  const wide = () =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: '#c04020' } })
      .withIccProfile('p3')
      .png()
      .toBuffer();
  const rust = [0xc0, 0x40, 0x20, 255];

  it('are kept when a single image is changed', async () => {
    const { bytes } = await cropImage(await wide(), { x: 0, y: 0, width: 4 }, signal);
    assert.ok((await sharp(bytes).metadata()).icc);
    assert.ok(isNear((await readPixels(bytes)).at(2, 2), rust));
  });

  it('are converted to one profile when images are combined', async () => {
    const plain = await plainImage(8, 8, RED);
    const composite = await compositeImages(plain, await wide(), CENTERED, signal);
    const under = await compositeImages(await wide(), plain, { ...CENTERED, opacity: 0 }, signal);
    const grid = await createImageGrid(
      [wide],
      { columns: 1, cell: { width: 8, height: 8 }, gap: 0, background: CLEAR },
      signal,
    );
    for (const { bytes } of [composite, under, grid])
      assert.ok(isNear((await readPixels(bytes)).at(4, 4), rust));
  });
});

describe('inspectImage with a WebP', () => {
  it('decodes it to its end', async () => {
    for (const lossless of [true, false]) {
      const bytes = await sharp(await noiseImage(300, 300, 'png'))
        .webp({ lossless })
        .toBuffer();
      assert.equal((await inspectImage(bytes, signal)).width, 300);
      for (const share of [0.3, 0.9, 0.99])
        await assert.rejects(inspectImage(bytes.subarray(0, bytes.length * share), signal), {
          code: 'unreadable_image',
        });
    }
  });
});

describe('compositeImages with two large images', () => {
  it('refuses images that take too much memory together', async () => {
    const create = { width: 6400, height: 6400, channels: 3, background: 'white' } as const;
    const bytes = await sharp({ create }).webp({ effort: 0 }).toBuffer();
    await assert.rejects(compositeImages(bytes, bytes, CENTERED, signal), {
      code: 'unreadable_image',
      message: /take too much memory together/,
    });
  });
});

describe('inspectImage with a large AVIF', () => {
  it('refuses more pixels than the decoder has memory for, and says how many it may have', async () => {
    const create = { width: 5900, height: 5900, channels: 3, background: 'white' } as const;
    const bytes = await sharp({ create }).avif({ effort: 0 }).toBuffer();
    await assert.rejects(inspectImage(bytes, signal), {
      code: 'unreadable_image',
      message:
        /5900 × 5900 pixels in this format \(avif, 8 bits\) takes too much memory\. The limit is 34 megapixels/,
    });
  });
});
