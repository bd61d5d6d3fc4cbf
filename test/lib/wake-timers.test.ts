// Tests wake timers: immediate for due times, delayed for later ones, and one call for coinciding times.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createWakeTimers } from '../../src/lib/wake-timers.ts';

const START_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;

/** Creates timers on a simulated clock. `woken` returns the pools that were woken, each with the time in ms. */
function start(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START_MS });
  const timers = createWakeTimers<'a' | 'b'>(Date.now);
  const woken: [string, number][] = [];
  for (const pool of ['a', 'b'] as const)
    timers.listen(pool, () => woken.push([pool, Date.now() - START_MS]));
  return {
    timers,
    woken: () => woken.map(([pool, atMs]) => `${pool} ${atMs}`),
    pass: (ms: number) => t.mock.timers.tick(ms),
  };
}

describe('wake timers', () => {
  it('wake their own pool, once for times that coincide', t => {
    const { timers, woken, pass } = start(t);
    for (let i = 0; i < 100; i++) timers.set('a', START_MS + 30);
    timers.set('b', 0);
    assert.deepEqual(woken(), []);
    pass(1);
    assert.deepEqual(woken(), ['b 1']);
    for (let i = 0; i < 1000; i++) pass(1);
    assert.deepEqual(woken(), ['b 1', 'a 50']);
  });

  it('never wake before the time, or after they are closed', t => {
    const { timers, woken, pass } = start(t);
    timers.set('a', START_MS + 25);
    pass(24);
    assert.deepEqual(woken(), []);
    for (let i = 0; i < 60; i++) pass(1);
    assert.deepEqual(woken(), ['a 45']);
    timers.set('a', START_MS + 100);
    timers.close();
    pass(1000);
    assert.deepEqual(woken(), ['a 45']);
  });

  it('leave times more than a day away to polling', t => {
    const { timers, woken, pass } = start(t);
    timers.set('a', START_MS + DAY_MS + 1);
    timers.set('a', Number.MAX_SAFE_INTEGER);
    pass(10 * DAY_MS);
    timers.set('b', Date.now() + DAY_MS);
    assert.deepEqual(woken(), []);
    pass(DAY_MS + 20);
    assert.deepEqual(woken(), [`b ${11 * DAY_MS + 20}`]);
  });
});
