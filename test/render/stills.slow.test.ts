// Tests the threads that draw stills: many at once, aborted, failing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StillDrawing } from '../../src/render/stills/still.ts';
import { drawStill } from '../../src/render/stills/stills.ts';
import { readPixels } from '../support/media/pixels.ts';

const { signal } = new AbortController();

function still(seed: number, side = 64): StillDrawing {
  return {
    kind: 'sandbox-image',
    image: { prompt: 'x', seed, style: 'blocks', width: side, height: side },
  };
}

describe('drawStill', () => {
  it('draws many at once, each as requested', async () => {
    const seeds = Array.from({ length: 20 }, (_, index) => index % 5);
    const drawn = await Promise.all(seeds.map(seed => drawStill(still(seed), signal)));
    const alone = await Promise.all([0, 1, 2, 3, 4].map(seed => drawStill(still(seed), signal)));
    for (const [index, seed] of seeds.entries())
      assert.ok(alone[seed]?.equals(drawn[index] ?? Buffer.alloc(0)));
    assert.equal((await readPixels(drawn[0] ?? Buffer.alloc(0))).format, 'png');
  });

  it('stops at once on abort, and keeps working', async () => {
    const aborting = new AbortController();
    const drawing = drawStill(still(1, 4096), aborting.signal);
    aborting.abort();
    await assert.rejects(drawing, { name: 'AbortError' });
    assert.ok((await drawStill(still(1), signal)).length > 0);
  });

  it('reports an image that cannot be drawn, and keeps working', async () => {
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
    const broken: StillDrawing = { kind: 'card', card: { ...card, image: Buffer.from('no picture') } };
    await assert.rejects(drawStill(broken, signal), /could not be drawn/);
    assert.ok((await drawStill({ kind: 'card', card }, signal)).length > 0);
  });
});
