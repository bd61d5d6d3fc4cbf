// Tests the threads that draw images: concurrent, aborted and failed drawings.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImageDrawing } from '../../src/render/stills/still.ts';
import { drawImage } from '../../src/render/stills/stills.ts';
import { readPixels } from '../support/media/pixels.ts';

const { signal } = new AbortController();

function createImageDrawing(seed: number, side = 64): ImageDrawing {
  return {
    kind: 'sandbox-image',
    image: { prompt: 'x', seed, style: 'blocks', width: side, height: side },
  };
}

describe('drawImage', () => {
  it('draws the same images concurrently as one at a time', async () => {
    const seeds = Array.from({ length: 20 }, (_, index) => index % 5);
    const concurrentImages = await Promise.all(
      seeds.map(seed => drawImage(createImageDrawing(seed), signal)),
    );
    const images: Buffer[] = [];
    for (const seed of [0, 1, 2, 3, 4]) images.push(await drawImage(createImageDrawing(seed), signal));
    for (const [index, seed] of seeds.entries()) assert.deepEqual(concurrentImages[index], images[seed]);
    assert.equal((await readPixels(images[0] ?? Buffer.alloc(0))).format, 'png');
  });

  it('rejects an aborted drawing and can still draw the next image', async () => {
    const controller = new AbortController();
    const drawing = drawImage(createImageDrawing(1, 4096), controller.signal);
    controller.abort();
    await assert.rejects(drawing, { name: 'AbortError' });
    assert.ok((await drawImage(createImageDrawing(1), signal)).length > 0);
  });

  it('reports an image that cannot be drawn and can still draw the next image', async () => {
    const card = {
      kicker: '',
      title: 'x',
      text: '',
      footer: '',
      theme: 'mono',
      align: 'left',
      accent: '',
      width: 64,
      height: 64,
      radius: 0,
    } as const;
    const invalidCard: ImageDrawing = { kind: 'card', card: { ...card, image: Buffer.from('no picture') } };
    await assert.rejects(drawImage(invalidCard, signal), /could not be drawn/);
    assert.ok((await drawImage({ kind: 'card', card }, signal)).length > 0);
  });
});
