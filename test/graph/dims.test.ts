// Tests where the size of a node comes from.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getDims } from '../../src/graph/dims.ts';
import { CATALOG, node } from './fixture.ts';

const estimate = (nodeType: string, more: object = {}): ReturnType<typeof getDims> =>
  getDims(node('n', nodeType, {}, more), CATALOG);

describe('getDims', () => {
  it('prefers the measured size to the size set by resizing', () => {
    const both = { measured: { width: 301, height: 202 }, style: { width: 300, height: 200 } };
    assert.deepEqual(estimate('input:text', both), { width: 301, height: 202, source: 'measured' });
  });

  it('reads the size set by resizing as numbers or pixels', () => {
    const expected = { width: 300, height: 200, source: 'declared' };
    assert.deepEqual(estimate('input:text', { style: { width: 300, height: '200px' } }), expected);
  });

  for (const style of [
    { width: 300 },
    { width: '50%', height: '50%' },
    { width: -5, height: 1e9 },
    'wide',
    null,
  ]) {
    it(`estimates if the style is ${JSON.stringify(style)}`, () => {
      assert.equal(estimate('input:text', { style }).source, 'estimated');
    });
  }

  it('estimates more for nodes with more ports and fields', () => {
    assert(estimate('utility:split').height > estimate('utility:gather').height);
    assert(estimate('generate:image').height > estimate('utility:split').height);
  });

  it('handles notes and unknown types', () => {
    assert.deepEqual(estimate('utility:sticky_note'), { width: 240, height: 160, source: 'estimated' });
    assert(estimate('no:such').height > 0);
  });
});
