// Tests the least-recently-used cache: which entries are evicted, and how weights are counted.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLru } from '../../src/lib/lru.ts';

describe('createLru', () => {
  it('evicts the least recently used entries once the weights exceed the limit', () => {
    const cache = createLru<string>(10);
    for (const key of ['a', 'b']) cache.set(key, key, 5);
    cache.get('a');
    cache.set('c', 'c', 5);
    assert.deepEqual(
      ['a', 'b', 'c'].map(key => cache.get(key)),
      ['a', undefined, 'c'],
    );
  });

  it('counts the last weight of a key, at least 1', () => {
    const cache = createLru<string>(3);
    for (const key of ['a', 'a', 'a', 'b']) cache.set(key, key, 1.5);
    assert.equal(cache.get('a'), undefined);
    assert.equal(cache.get('b'), 'b');
    cache.set('c', 'c', 0);
    assert.equal(cache.get('b'), 'b');
  });

  it('removes an entry whose new value is heavier than the limit', () => {
    const cache = createLru<string>(10);
    cache.set('a', 'old', 1);
    cache.set('a', 'new', 11);
    assert.equal(cache.get('a'), undefined);
  });

  it('subtracts the weight of deleted entries', () => {
    const cache = createLru<string>(10);
    cache.set('a', 'a', 10);
    cache.delete('a');
    cache.set('b', 'b', 5);
    cache.set('c', 'c', 5);
    assert.equal(cache.get('a'), undefined);
    assert.equal(cache.get('b'), 'b');
  });
});
