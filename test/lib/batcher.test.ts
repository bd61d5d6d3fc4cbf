// Tests which items of a batcher share a flush, which result each item gets, and how many flushes run concurrently.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBatcher } from '../../src/lib/batcher.ts';

/** Creates a batcher of numbers whose flushes the test ends. */
function createManualBatcher(options: { readonly maxItems: number; readonly concurrency: number }) {
  const flushes: { readonly items: readonly number[]; end(): void; fail(err: Error): void }[] = [];
  const add = createBatcher<number, string>(items => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    flushes.push({ items, end: () => resolve(items.map(item => `r${item}`)), fail: reject });
    return promise;
  }, options);
  return { add, flushes, listFlushedItems: () => flushes.map(flush => flush.items) };
}

describe('createBatcher', () => {
  it('flushes the items of one event loop turn together', async () => {
    const { add, flushes, listFlushedItems } = createManualBatcher({ maxItems: 10, concurrency: 1 });
    const results = Promise.all([add(1), add(2), add(3)]);
    await nextTurn();
    assert.deepEqual(listFlushedItems(), [[1, 2, 3]]);
    flushes[0]?.end();
    assert.deepEqual(await results, ['r1', 'r2', 'r3']);
  });

  it('collects the items that arrive during a flush for the next flush', async () => {
    const { add, flushes, listFlushedItems } = createManualBatcher({ maxItems: 10, concurrency: 1 });
    const first = add(1);
    await nextTurn();
    const laterResults = Promise.all([add(2), add(3)]);
    await nextTurn();
    assert.deepEqual(listFlushedItems(), [[1]]);
    flushes[0]?.end();
    assert.equal(await first, 'r1');
    await nextTurn();
    await nextTurn();
    assert.deepEqual(listFlushedItems(), [[1], [2, 3]]);
    flushes[1]?.end();
    assert.deepEqual(await laterResults, ['r2', 'r3']);
  });

  it('limits the items of a flush and the concurrent flushes', async () => {
    const { add, flushes, listFlushedItems } = createManualBatcher({ maxItems: 2, concurrency: 2 });
    const results = Promise.all([1, 2, 3, 4, 5].map(add));
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    assert.deepEqual(listFlushedItems(), [
      [1, 2],
      [3, 4],
    ]);
    flushes[0]?.end();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    assert.deepEqual(listFlushedItems(), [[1, 2], [3, 4], [5]]);
    for (const flush of flushes) flush.end();
    assert.deepEqual(await results, ['r1', 'r2', 'r3', 'r4', 'r5']);
  });

  it('rejects only the items of the failed flush', async () => {
    const { add, flushes } = createManualBatcher({ maxItems: 2, concurrency: 1 });
    const settled = Promise.allSettled([1, 2, 3].map(add));
    await nextTurn();
    flushes[0]?.fail(new Error('no database'));
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    flushes[1]?.end();
    assert.deepEqual(
      (await settled).map(result => (result.status === 'fulfilled' ? result.value : String(result.reason))),
      ['Error: no database', 'Error: no database', 'r3'],
    );
  });

  it('retries items one by one if one of them causes the failure', async () => {
    const isItemFault = (err: unknown): boolean => err instanceof RangeError;
    const flushes: (readonly number[])[] = [];
    const add = createBatcher<number, string>(
      async items => {
        flushes.push(items);
        if (items.includes(2)) throw new RangeError('not two');
        return items.map(item => `r${item}`);
      },
      { maxItems: 3, concurrency: 1, isItemFault },
    );
    const settled = await Promise.allSettled([1, 2, 3, 4].map(add));
    assert.deepEqual(
      settled.map(result => (result.status === 'fulfilled' ? result.value : String(result.reason))),
      ['r1', 'RangeError: not two', 'r3', 'r4'],
    );
    assert.deepEqual(flushes, [[1, 2, 3], [1], [2], [3], [4]]);
  });

  it('rejects the items of a flush that returns too few results', async () => {
    const add = createBatcher<number, string>(async () => ['r1'], { maxItems: 2, concurrency: 1 });
    const settled = await Promise.allSettled([1, 2].map(add));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
  });
});
