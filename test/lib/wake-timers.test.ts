// Tests wake timers, which wake a pool once for times that are close to each other.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createWakeTimers } from '../../src/lib/wake-timers.ts';

const START_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;

/** Creates timers on a simulated clock. `listWakes` returns the pools that were woken, each with the time in ms. */
function createTimers(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START_MS });
  const timers = createWakeTimers<'a' | 'b'>(Date.now);
  const wakes: [string, number][] = [];
  for (const pool of ['a', 'b'] as const)
    timers.listen(pool, () => wakes.push([pool, Date.now() - START_MS]));
  return {
    timers,
    listWakes: () => wakes.map(([pool, atMs]) => `${pool} ${atMs}`),
    pass: (ms: number) => t.mock.timers.tick(ms),
  };
}

describe('wake timers', () => {
  it('wake their pool once for times that coincide', t => {
    const { timers, listWakes, pass } = createTimers(t);
    for (let i = 0; i < 100; i++) timers.set('a', START_MS + 30);
    timers.wake('b');
    assert.deepEqual(listWakes(), []);
    pass(1);
    assert.deepEqual(listWakes(), ['b 1']);
    for (let i = 0; i < 1000; i++) pass(1);
    assert.deepEqual(listWakes(), ['b 1', 'a 50']);
  });

  it('wake neither before the time nor after they are closed', t => {
    const { timers, listWakes, pass } = createTimers(t);
    timers.set('a', START_MS + 25);
    pass(24);
    assert.deepEqual(listWakes(), []);
    for (let i = 0; i < 60; i++) pass(1);
    assert.deepEqual(listWakes(), ['a 45']);
    timers.set('a', START_MS + 100);
    timers.close();
    pass(1000);
    assert.deepEqual(listWakes(), ['a 45']);
  });

  it('ignore times more than a day away', t => {
    const { timers, listWakes, pass } = createTimers(t);
    timers.set('a', START_MS + DAY_MS + 1);
    timers.set('a', Number.MAX_SAFE_INTEGER);
    pass(10 * DAY_MS);
    timers.set('b', Date.now() + DAY_MS);
    assert.deepEqual(listWakes(), []);
    pass(DAY_MS + 20);
    assert.deepEqual(listWakes(), [`b ${11 * DAY_MS + 20}`]);
  });
});
