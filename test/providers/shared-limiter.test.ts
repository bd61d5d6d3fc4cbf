// Tests createSharedLimiter, which limits the requests of each credential and of all credentials of a provider.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSharedLimiter } from '../../src/providers/shared-limiter.ts';

const NEVER_ABORTED = new AbortController().signal;

function startWork(limit: ReturnType<typeof createSharedLimiter>, key: string, signal = NEVER_ABORTED) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = { isStarted: false, end: resolve, done: Promise.resolve() };
  work.done = limit(
    key,
    async () => {
      work.isStarted = true;
      await promise;
    },
    signal,
  );
  return work;
}
const waitForTurn = () => new Promise(resolve => setImmediate(resolve));
const countStarted = (works: readonly { readonly isStarted: boolean }[]): number =>
  works.filter(({ isStarted }) => isStarted).length;

it('createSharedLimiter starts the work of one key up to its limit, in order', async () => {
  const limit = createSharedLimiter({ perKey: 2, total: 16 });
  const works = Array.from({ length: 4 }, () => startWork(limit, 'a'));
  await waitForTurn();
  assert.deepEqual(
    works.map(({ isStarted }) => isStarted),
    [true, true, false, false],
  );
  works[0]?.end();
  await waitForTurn();
  assert.deepEqual(
    works.map(({ isStarted }) => isStarted),
    [true, true, true, false],
  );
  for (const { end } of works) end();
  await Promise.all(works.map(({ done }) => done));
});

it('createSharedLimiter leaves slots for other keys if the work of some keys never ends', async () => {
  const limit = createSharedLimiter({ perKey: 4, total: 32 });
  const stuckWorks = Array.from({ length: 8 }, (_, key) =>
    Array.from({ length: 4 }, () => startWork(limit, `stuck ${key}`)),
  );
  await waitForTurn();
  assert.ok(stuckWorks.every(works => countStarted(works) >= 1));
  assert.ok(countStarted(stuckWorks.flat()) < 32);
  const otherWork = startWork(limit, 'other');
  await waitForTurn();
  assert.ok(otherWork.isStarted);
});

it('createSharedLimiter removes waiting work that is cancelled', async () => {
  const limit = createSharedLimiter({ perKey: 1, total: 4 });
  const first = startWork(limit, 'a');
  const controller = new AbortController();
  const cancelledWork = startWork(limit, 'a', controller.signal);
  const nextWork = startWork(limit, 'a');
  await waitForTurn();
  controller.abort(new Error('cancelled'));
  await assert.rejects(cancelledWork.done, /cancelled/);
  first.end();
  await waitForTurn();
  assert.deepEqual([cancelledWork.isStarted, nextWork.isStarted], [false, true]);
  nextWork.end();
  await nextWork.done;
});
