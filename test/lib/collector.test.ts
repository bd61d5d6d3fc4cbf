// Tests the collector, which keeps a limited number of items.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Collector } from '../../src/lib/collector.ts';

describe('Collector', () => {
  it('keeps the first items and counts the rest', () => {
    const collector = new Collector<number>({ items: 2 });
    assert.deepEqual(
      [collector.add(1), collector.isFull, collector.add(2), collector.isFull],
      [true, false, true, true],
    );
    for (const item of [3, 4]) collector.add(item);
    assert.deepEqual([collector.items, collector.total, collector.bytes], [[1, 2], 4, 0]);
  });

  it('keeps none after the first item that does not fit', () => {
    const collector = new Collector<string>({ items: 10, bytes: 5 }, text => text.length);
    for (const text of ['abc', 'def', 'g', 'h']) collector.add(text);
    assert.deepEqual(
      [collector.items, collector.total, collector.bytes, collector.isFull],
      [['abc'], 4, 3, true],
    );
  });
});
