// Tests which size getDims chooses for a node: measured, declared or estimated.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getDims } from '../../src/graph/dims.ts';
import { CATALOG, node } from './fixture.ts';

const getSize = (nodeType: string, members: object = {}): ReturnType<typeof getDims> =>
  getDims(node('n', nodeType, {}, members), CATALOG);

describe('getDims', () => {
  it('prefers the measured size to the size set by resizing', () => {
    const members = { measured: { width: 301, height: 202 }, style: { width: 300, height: 200 } };
    assert.deepEqual(getSize('input:text', members), { width: 301, height: 202, source: 'measured' });
  });

  it('reads the size set by resizing from numbers and px values', () => {
    const expected = { width: 300, height: 200, source: 'declared' };
    assert.deepEqual(getSize('input:text', { style: { width: 300, height: '200px' } }), expected);
  });

  for (const style of [
    { width: 300 },
    { width: '50%', height: '50%' },
    { width: -5, height: 1e9 },
    'wide',
    null,
  ]) {
    it(`estimates the size if the style is ${JSON.stringify(style)}`, () => {
      assert.equal(getSize('input:text', { style }).source, 'estimated');
    });
  }

  it('estimates larger sizes for nodes with more ports and fields', () => {
    assert(getSize('utility:split').height > getSize('utility:gather').height);
    assert(getSize('generate:image').height > getSize('utility:split').height);
  });

  it('returns a default size for notes', () => {
    assert.deepEqual(getSize('utility:sticky_note'), { width: 240, height: 160, source: 'estimated' });
  });

  it('estimates the size of an unknown type', () => {
    assert(getSize('no:such').height > 0);
  });
});
