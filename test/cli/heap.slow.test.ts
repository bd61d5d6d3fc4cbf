// Tests that shrinkHeap returns unused memory to the operating system.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { shrinkHeap } from '../../src/cli/serve.ts';

it('shrinkHeap returns the memory of collected objects', async () => {
  let used: object[] = [];
  for (let count = 0; count < 500_000; count++) used.push({ count });
  const full = process.memoryUsage().heapTotal;
  assert.equal(used.length, 500_000);
  used = [];
  await shrinkHeap();
  assert.ok(process.memoryUsage().heapTotal < full - 10_000_000);
});
