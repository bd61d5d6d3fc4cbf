// Tests the nodes that draw, sandbox pictures and text cards, by their pixels.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MediaRef } from '../../src/graph/types.ts';
import { makeContext, runNode } from '../support/engine/node-context.ts';
import { isNear, type Pixels, plainImage, readPixels } from '../support/media/pixels.ts';

const ctx = makeContext();

async function draw(nodeType: string, values: Readonly<Record<string, unknown>>): Promise<MediaRef> {
  const { image } = await runNode(nodeType, values, ctx);
  return image as MediaRef;
}

const readResultPixels = (ref: MediaRef): Promise<Pixels> => readPixels(ctx.bytesOf(ref));

/** Counts the pixels of an area that are close to a color. */
function countPixels(
  { at }: Pixels,
  [x, y, width, height]: readonly [number, number, number, number],
  color: readonly number[],
): number {
  let pixelCount = 0;
  for (let row = y; row < y + height; row++)
    for (let column = x; column < x + width; column++) if (isNear(at(column, row), color, 24)) pixelCount++;
  return pixelCount;
}

describe('generate:sandbox', () => {
  const small = { prompt: 'a red fox', width: 256, height: 192 };

  it('draws 1024 × 1024 pixels by default', async () => {
    const image = await draw('generate:sandbox', { prompt: 'a red fox' });
    assert.deepEqual([image.width, image.height, image.contentType], [1024, 1024, 'image/png']);
  });

  for (const style of ['gradient', 'blocks', 'rings']) {
    it(`draws the same image of ${style} only for the same prompt and seed`, async () => {
      const hash = async (change: object) =>
        (await draw('generate:sandbox', { ...small, style, ...change })).sha256;
      const first = await hash({});
      assert.equal(await hash({}), first);
      assert.notEqual(await hash({ seed: 1 }), first);
      assert.notEqual(await hash({ prompt: 'a red foxes' }), first);
    });

    it(`labels ${style} with white letters on a dark background`, async () => {
      const pixels = await readResultPixels(
        await draw('generate:sandbox', { prompt: 'x', width: 512, height: 512, style }),
      );
      // The label is in the lower left; its letters have a few hundred white pixels.
      assert.ok(countPixels(pixels, [16, 467, 90, 29], [255, 255, 255, 255]) > 60);
      assert.ok(countPixels(pixels, [16, 467, 90, 29], [20, 20, 26, 255]) > 200);
    });
  }

  it('accepts long and empty prompts, other scripts and extreme proportions', async () => {
    for (const prompt of ['', ' ', 'x'.repeat(100_000), '狐狸 🦊 ثعلب', '\u0000\ud800']) {
      assert.equal((await draw('generate:sandbox', { ...small, prompt })).width, 256);
    }
    for (const style of ['gradient', 'blocks', 'rings']) {
      const image = await draw('generate:sandbox', { prompt: 'x', width: 64, height: 2000, style });
      assert.deepEqual([image.width, image.height], [64, 2000]);
    }
  });

  it('refuses sizes out of range', async () => {
    for (const width of [63, 4097, 'wide', -1]) {
      await assert.rejects(draw('generate:sandbox', { prompt: 'x', width }), { code: 'invalid_config' });
    }
  });
});

describe('edit:sandbox', () => {
  it('tints and labels its input at the original size', async () => {
    const grey = await ctx.upload(await plainImage(400, 300, '#808080'), 'image/png');
    const values = { image: grey, prompt: 'make it a sunset' };
    const image = await draw('edit:sandbox', values);
    assert.deepEqual([image.width, image.height], [400, 300]);
    const pixels = await readResultPixels(image);
    const [red = 0, green = 0] = pixels.at(200, 60);
    assert.ok(red > green + 20, 'a sunset is warm');
    assert.ok(countPixels(pixels, [9, 270, 80, 20], [255, 255, 255, 255]) > 20);
    assert.equal((await draw('edit:sandbox', values)).sha256, image.sha256);
  });

  it('accepts an image of one pixel', async () => {
    const tiny = await ctx.upload(await plainImage(1, 1, '#808080'), 'image/png');
    assert.equal((await draw('edit:sandbox', { image: tiny, prompt: 'x' })).width, 1);
  });
});

describe('utility:text_to_image_card', () => {
  it('draws the same text in the color of the theme for the same values', async () => {
    const values = { title: 'Hello', text: 'A card', theme: 'mono', width: 600, height: 315 };
    const image = await draw('utility:text_to_image_card', values);
    assert.deepEqual([image.width, image.height], [600, 315]);
    assert.ok(countPixels(await readResultPixels(image), [0, 0, 600, 315], [10, 10, 10, 255]) > 800);
    assert.equal((await draw('utility:text_to_image_card', values)).sha256, image.sha256);
  });

  it('draws scripts that the font Inter does not have', async () => {
    // Missing letters would be drawn as equal boxes.
    const drawTitle = async (title: string) =>
      (await draw('utility:text_to_image_card', { title, width: 200, height: 100 })).sha256;
    for (const [text, otherText] of [
      ['東京', '大阪'],
      ['سلام', 'كتاب'],
      ['🦊', '🐸'],
    ] as const)
      assert.notEqual(await drawTitle(text), await drawTitle(otherText));
  });

  it('places a picture next to the text', async () => {
    const green = await ctx.upload(await plainImage(50, 50, '#00ff00', 'jpeg'), 'image/jpeg');
    const pixels = await readResultPixels(
      await draw('utility:text_to_image_card', { text: 'Hi', image: green, width: 200, height: 100 }),
    );
    assert.ok(isNear(pixels.at(190, 50), [0, 255, 0, 255], 8));
    assert.ok(!isNear(pixels.at(20, 5), [0, 255, 0, 255], 60));
  });

  it('leaves the area outside rounded corners transparent', async () => {
    const pixels = await readResultPixels(
      await draw('utility:text_to_image_card', {
        text: 'Hi',
        theme: 'glass',
        radius: 30,
        width: 200,
        height: 100,
      }),
    );
    assert.equal(pixels.at(0, 0)[3], 0);
    const alpha = pixels.at(100, 2)[3] ?? 0;
    assert.ok(alpha > 100 && alpha < 255);
  });

  it('keeps text of any length within the margins', async () => {
    for (const text of ['word '.repeat(5000), 'x'.repeat(5000), '\n'.repeat(3000), '漢字'.repeat(2000)].map(
      words => `.${words}`,
    )) {
      const pixels = await readResultPixels(
        await draw('utility:text_to_image_card', {
          text,
          title: text,
          theme: 'mono',
          width: 300,
          height: 160,
        }),
      );
      assert.equal(countPixels(pixels, [0, 0, 300, 10], [10, 10, 10, 255]), 0);
      assert.equal(countPixels(pixels, [0, 150, 300, 10], [10, 10, 10, 255]), 0);
      assert.equal(countPixels(pixels, [290, 0, 10, 160], [10, 10, 10, 255]), 0);
    }
  });

  it('refuses an empty card and invalid colors', async () => {
    await assert.rejects(draw('utility:text_to_image_card', { text: ' ' }), { code: 'missing_text' });
    await assert.rejects(draw('utility:text_to_image_card', { text: 'x', accent: 'url(x)' }), {
      code: 'invalid_color',
    });
  });
});
