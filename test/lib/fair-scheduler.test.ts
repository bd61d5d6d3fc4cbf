// Tests how computations share the event loop.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairScheduler } from '../../src/lib/fair-scheduler.ts';

describe('Turns', () => {
  it('continues one computation per turn of the event loop, in rotation between accounts', async () => {
    const turns = new FairScheduler(() => false);
    const order: string[] = [];
    const numbers: number[] = [];
    let turn = 0;
    let counter = setImmediate(function count() {
      turn++;
      counter = setImmediate(count);
    });
    const waitAndRecord = async (account: string, at: number): Promise<void> => {
      await turns.wait(account, at);
      order.push(account);
      numbers.push(turn);
    };
    await Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map(waitAndRecord));
    clearImmediate(counter);
    assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a']);
    assert.equal(new Set(numbers).size, numbers.length, 'each in its own turn');
  });

  it('continues the oldest computation of an account first', async () => {
    const turns = new FairScheduler(() => false);
    const order: number[] = [];
    const waitSince = async (startedAt: number): Promise<void> => {
      await turns.wait('a', startedAt);
      order.push(startedAt);
    };
    await Promise.all([3, 1, 2].map(waitSince));
    assert.deepEqual(order, [1, 2, 3]);
  });

  it('lets timers fire between the slices of a computation if accounts compete', async () => {
    const turns = new FairScheduler(() => true);
    let count = 0;
    const timer = setInterval(() => count++, 1);
    const counts: number[] = [];
    const slices = Array.from({ length: 4 }, async () => {
      await turns.wait('a', 0);
      // Computes.
      for (const endMs = performance.now() + 3; performance.now() < endMs; );
      counts.push(count);
    });
    await Promise.all(slices);
    clearInterval(timer);
    for (const [index, before] of counts.slice(0, -1).entries()) assert.ok((counts[index + 1] ?? 0) > before);
  });

  it('reports contention while another computation of the account waits', async () => {
    const turns = new FairScheduler(() => false);
    const turn = turns.wait('a', 0);
    assert.deepEqual([turns.isContended('a'), turns.isContended('b')], [true, false]);
    await turn;
    assert.equal(turns.isContended('a'), false);
  });

  it('changes the turn number only when the event loop turns', async () => {
    const turns = new FairScheduler(() => false);
    const { turnNumber } = turns;
    await Promise.resolve();
    assert.equal(turns.turnNumber, turnNumber);
    await nextTurn();
    await nextTurn();
    assert.notEqual(turns.turnNumber, turnNumber);
  });
});
