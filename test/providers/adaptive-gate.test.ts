// How many requests a provider takes at once, by its 429s.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAdaptiveGate } from '../../src/providers/adaptive-gate.ts';

const { signal } = new AbortController();

describe('an adaptive gate', () => {
  it('sinks by half for a burst of refusals, never below one, and grows by one a success', async () => {
    let nowMs = 0;
    const gate = createAdaptiveGate(8, () => nowMs);
    for (let count = 0; count < 5; count++) gate.shrink();
    assert.equal(gate.limit, 4);
    for (let count = 0; count < 5; count++) {
      nowMs += 1000;
      gate.shrink();
    }
    assert.equal(gate.limit, 1);
    for (let count = 0; count < 20; count++) gate.grow();
    assert.equal(gate.limit, 8);
  });

  it('lets in no more than its limit, in order of arrival, and refuses nobody', async () => {
    const gate = createAdaptiveGate(2, () => 0);
    const order: number[] = [];
    let now = 0;
    let most = 0;
    const work = async (index: number): Promise<void> => {
      order.push(index);
      most = Math.max(most, ++now);
      await new Promise(resolve => setImmediate(resolve));
      now--;
    };
    await Promise.all(Array.from({ length: 500 }, (_, index) => gate.enter(() => work(index), signal)));
    assert.deepEqual([most, order.length], [2, 500]);
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
  });

  it('gives the room of a failure back', async () => {
    const gate = createAdaptiveGate(4, () => 0);
    await assert.rejects(
      gate.enter(() => Promise.reject(new Error('no')), signal),
      /no/,
    );
    assert.equal(await gate.enter(async () => 'in', signal), 'in');
  });

  it('is left by who is stopped while it waits', async () => {
    const gate = createAdaptiveGate(1, () => 0);
    const first = Promise.withResolvers<void>();
    const running = gate.enter(() => first.promise, signal);
    const stop = new AbortController();
    const waiting = gate.enter(async () => 'never', stop.signal);
    stop.abort(new Error('stopped'));
    await assert.rejects(waiting, /stopped/);
    first.resolve();
    await running;
    assert.equal(await gate.enter(async () => 'next', signal), 'next');
  });
});
