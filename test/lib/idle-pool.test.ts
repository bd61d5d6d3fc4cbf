// Tests that the next task gets the worker that was idle for the shortest time, and that others end.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { IdlePool } from '../../src/lib/idle-pool.ts';

it('gives out the worker that was added last, once', () => {
  const pool = new IdlePool(1000, () => undefined);
  const [first, second] = [{}, {}];
  pool.add(first);
  pool.add(second);
  assert.deepEqual([pool.take() === second, pool.take() === first, pool.take()], [true, true, undefined]);
});

it('ends only workers that stayed idle', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const ended: string[] = [];
  const pool = new IdlePool<{ readonly name: string }>(1000, ({ name }) => ended.push(name));
  const [idle, removed, taken] = [{ name: 'idle' }, { name: 'removed' }, { name: 'taken' }];
  for (const worker of [idle, removed, taken]) pool.add(worker);
  pool.remove(removed);
  assert.equal(pool.take(), taken);
  t.mock.timers.tick(1000);
  assert.deepEqual(ended, ['idle']);
  assert.equal(pool.take(), undefined);
});
