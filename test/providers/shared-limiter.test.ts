// Tests the slots of a provider that several credentials share.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSharedLimiter } from '../../src/providers/shared-limiter.ts';

const NEVER = new AbortController().signal;

function startWork(limit: ReturnType<typeof createSharedLimiter>, key: string, signal = NEVER) {
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

it('runs as much work of one key as allowed, and the rest in order', async () => {
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

it('leaves slots for other keys while some never finish', async () => {
  const limit = createSharedLimiter({ perKey: 4, total: 32 });
  const stuck = Array.from({ length: 8 }, (_, key) =>
    Array.from({ length: 4 }, () => startWork(limit, `stuck ${key}`)),
  );
  await waitForTurn();
  assert.ok(stuck.every(works => countStarted(works) >= 1));
  assert.ok(countStarted(stuck.flat()) < 32);
  const otherWork = startWork(limit, 'other');
  await waitForTurn();
  assert.ok(otherWork.isStarted);
});

it('removes work that is cancelled while it waits', async () => {
  const limit = createSharedLimiter({ perKey: 1, total: 4 });
  const first = startWork(limit, 'a');
  const controller = new AbortController();
  const cancelled = startWork(limit, 'a', controller.signal);
  const next = startWork(limit, 'a');
  await waitForTurn();
  controller.abort(new Error('cancelled'));
  await assert.rejects(cancelled.done, /cancelled/);
  first.end();
  await waitForTurn();
  assert.deepEqual([cancelled.isStarted, next.isStarted], [false, true]);
  next.end();
  await next.done;
});
