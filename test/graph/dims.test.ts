// estimateDims: where a node's size comes from.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimateDims } from '../../src/graph/dims.ts';
import { CATALOG, node } from './fixture.ts';

const of = (nodeType: string, more: object = {}): ReturnType<typeof estimateDims> =>
  estimateDims(node('n', nodeType, {}, more), CATALOG);

describe('estimateDims', () => {
  it('prefers the rendered box to the size set by resizing', () => {
    const both = { measured: { width: 301, height: 202 }, style: { width: 300, height: 200 } };
    assert.deepEqual(of('input:text', both), { width: 301, height: 202, source: 'measured' });
  });

  it('reads the size set by resizing as numbers or pixels', () => {
    const expected = { width: 300, height: 200, source: 'declared' };
    assert.deepEqual(of('input:text', { style: { width: 300, height: '200px' } }), expected);
  });

  for (const style of [
    { width: 300 },
    { width: '50%', height: '50%' },
    { width: -5, height: 1e9 },
    'wide',
    null,
  ]) {
    it(`estimates if the style is ${JSON.stringify(style)}`, () => {
      assert.equal(of('input:text', { style }).source, 'estimated');
    });
  }

  it('grows with ports and fields', () => {
    assert(of('utility:split').height > of('utility:gather').height);
    assert(of('generate:image').height > of('utility:split').height);
  });

  it("handles the canvas's own node types and unknown types", () => {
    assert.deepEqual(of('utility:sticky_note'), { width: 240, height: 160, source: 'estimated' });
    assert(of('no:such').height > 0);
  });
});
