// Tests rasterizing SVG to PNG in another process.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rasterizeSvg } from '../../src/media/svg/rasterize.ts';
import { isNear, readPixels } from '../support/media/pixels.ts';

const { signal } = new AbortController();
const createSvg = (attributes: string, inside = '<rect width="50" height="50" fill="#f00"/>') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);

describe('rasterizeSvg', () => {
  it('enlarges a small SVG with sharp edges and transparent areas', async () => {
    const pixels = await readPixels(await rasterizeSvg(createSvg('width="100" height="50"'), signal));
    assert.deepEqual([pixels.format, pixels.width, pixels.height], ['png', 1024, 512]);
    assert.ok(isNear(pixels.at(10, 10), [255, 0, 0, 255]));
    assert.ok(isNear(pixels.at(1000, 10), [0, 0, 0, 0]));
    // The edge is sharp, so the drawing was enlarged and not its pixels.
    assert.ok(isNear(pixels.at(510, 100), [255, 0, 0, 255]));
    assert.ok(isNear(pixels.at(514, 100), [0, 0, 0, 0]));
  });

  it('limits the size of a huge SVG', async () => {
    const huge = await readPixels(
      await rasterizeSvg(createSvg('width="30000" height="10000" viewBox="0 0 50 50"'), signal),
    );
    assert.deepEqual([huge.width, huge.height], [4096, 1365]);
    const box = await readPixels(await rasterizeSvg(createSvg('viewBox="0 0 50 50"'), signal));
    assert.deepEqual([box.width, box.height], [1024, 1024]);
  });

  it('refuses an SVG that cannot be drawn', async () => {
    for (const bytes of [Buffer.from('no svg'), Buffer.alloc(0), createSvg('width="0" height="0"')]) {
      await assert.rejects(rasterizeSvg(bytes, signal), { code: 'unreadable_image' });
    }
  });

  it('rejects an aborted request', async () => {
    await assert.rejects(rasterizeSvg(createSvg('width="9" height="9"'), AbortSignal.abort()), {
      name: 'AbortError',
    });
    const abortedLater = rasterizeSvg(createSvg('width="9" height="9"'), AbortSignal.timeout(1));
    await assert.rejects(abortedLater);
  });
});
