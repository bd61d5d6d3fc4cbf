// Tests image nodes: the pixels and names of results, and refused fields.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import type { MediaRef } from '../../src/graph/types.ts';
import { makeContext, runNode } from '../support/engine/node-context.ts';
import { textValue } from '../support/engine/values.ts';
import { isNear, plainImage, readPixels } from '../support/media/pixels.ts';

const ctx = makeContext();
const red = await ctx.upload(await plainImage(40, 20, '#ff0000'), 'image/png');
const blue = await ctx.upload(await plainImage(10, 10, '#0000ff', 'jpeg'), 'image/jpeg');

async function runImage(nodeType: string, values: Readonly<Record<string, unknown>>): Promise<MediaRef> {
  const { image } = await runNode(nodeType, values, ctx);
  return image as MediaRef;
}

const readResultPixels = (ref: MediaRef) => readPixels(ctx.bytesOf(ref));

describe('image nodes', () => {
  it('resize an image and store the result under a descriptive name', async () => {
    const image = await runImage('utility:image_resize', { image: red, width: 20, height: 20, fit: 'cover' });
    assert.deepEqual([image.width, image.height, image.contentType], [20, 20, 'image/png']);
    assert.match(image.url, /resized\.png$/);
    assert.match((await runImage('utility:image_resize', { image: blue, width: 5 })).url, /resized\.jpg$/);
  });

  it('return the same media for the same input', async () => {
    const [first, second] = [
      await runImage('utility:image_blur', { image: red }),
      await runImage('utility:image_blur', { image: red }),
    ];
    assert.equal(first.sha256, second.sha256);
  });

  it('warn that they use only the first frame of an animation', async () => {
    const animation = await sharp({
      create: {
        width: 4,
        height: 8,
        pageHeight: 4,
        channels: 3,
        background: 'red',
        noise: { type: 'gaussian', mean: 99, sigma: 30 },
      },
    })
      .gif()
      .toBuffer();
    const gif = await ctx.upload(animation, 'image/gif');
    const warnings: string[] = [];
    const task = { ...ctx.task, warn: (sentence: string) => void warnings.push(sentence) };
    await runNode('utility:image_blur', { image: gif }, { ...ctx, task });
    await runNode('utility:image_blur', { image: red }, { ...ctx, task });
    assert.deepEqual(warnings, [
      'Only the first of 2 frames is used, because this node does not edit animations.',
    ]);
  });

  it('crop, rotate, adjust, blur and convert images', async () => {
    const croppedImage = await runImage('utility:image_crop', { image: red, x: 30, width: 50, height: 5 });
    assert.deepEqual([croppedImage.width, croppedImage.height], [10, 5]);
    const rotatedImage = await runImage('utility:image_rotate', { image: red });
    assert.deepEqual([rotatedImage.width, rotatedImage.height], [20, 40]);
    const invertedPixels = await readResultPixels(
      await runImage('utility:image_adjust', { image: red, effect: 'invert' }),
    );
    assert.ok(isNear(invertedPixels.at(5, 5), [0, 255, 255, 255]));
    assert.deepEqual((await runImage('utility:image_blur', { image: red })).width, 40);
    assert.equal(
      (await runImage('utility:image_convert', { image: red, format: 'webp' })).contentType,
      'image/webp',
    );
  });

  it('place one image over another', async () => {
    const pixels = await readResultPixels(
      await runImage('utility:image_composite', { image: red, overlay: blue, x: 30, y: 10 }),
    );
    assert.deepEqual([pixels.width, pixels.height], [40, 20]);
    assert.ok(isNear(pixels.at(39, 19), [0, 0, 255, 255]) && isNear(pixels.at(29, 19), [255, 0, 0, 255]));
  });

  it('arrange a list of images in a grid', async () => {
    const list = [red, blue, red].map(media => ({ type: 'IMAGE', media }));
    const image = await runImage('utility:image_grid', {
      list,
      columns: 2,
      cellWidth: 8,
      cellHeight: 6,
      gap: 1,
    });
    assert.deepEqual([image.width, image.height], [19, 15]);
  });

  it('report the properties of an image', async () => {
    const json = { contentType: 'image/png', width: 40, height: 20, hasAlpha: true, bytes: red.bytes };
    assert.deepEqual(await runNode('utility:image_info', { image: red }, ctx), {
      width: 40,
      height: 20,
      json,
    });
  });
});

describe('image nodes with invalid values', () => {
  const INVALID_VALUES: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
    ['utility:image_resize', { image: red, width: 0 }, 'invalid_config'],
    ['utility:image_resize', { image: red, width: 100_000 }, 'invalid_config'],
    ['utility:image_resize', { image: red, width: 4, background: 'red; drop' }, 'invalid_color'],
    ['utility:image_crop', { image: red, x: 40 }, 'invalid_request'],
    ['utility:image_crop', { image: red, width: -3 }, 'invalid_config'],
    ['utility:image_rotate', { image: red, angle: 1000 }, 'invalid_config'],
    ['utility:image_adjust', { image: red, brightness: -1 }, 'invalid_config'],
    ['utility:image_blur', { image: red, radius: 0 }, 'invalid_config'],
    ['utility:image_composite', { image: red, overlay: blue, opacity: 2 }, 'invalid_config'],
    ['utility:image_grid', { list: [] }, 'invalid_list'],
    ['utility:image_grid', { list: [textValue('x')] }, 'invalid_list'],
    ['utility:image_grid', { list: [{ type: 'IMAGE', media: red }], columns: 0 }, 'invalid_config'],
    ['utility:image_convert', { image: red, quality: 0 }, 'invalid_config'],
  ];
  for (const [nodeType, values, code] of INVALID_VALUES) {
    const fields = Object.entries(values).filter(([, value]) => typeof value !== 'object');
    it(`${nodeType} refuses ${fields.join(' and ') || 'an empty or mixed list'}`, async () => {
      await assert.rejects(runNode(nodeType, values, ctx), { code });
    });
  }
});
