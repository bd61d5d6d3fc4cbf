// Tests how computations share the event loop.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from '../../src/runs/turns.ts';

describe('computations that share the event loop', () => {
  it('continue one per turn of the loop, from each account in rotation', async () => {
    const turns = new Turns(() => false);
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

  it('continue with the oldest computation of an account', async () => {
    const turns = new Turns(() => false);
    const order: number[] = [];
    const waitSince = async (startedAt: number): Promise<void> => {
      await turns.wait('a', startedAt);
      order.push(startedAt);
    };
    await Promise.all([3, 1, 2].map(waitSince));
    assert.deepEqual(order, [1, 2, 3]);
  });

  it('pause after each slice if several accounts have work', async () => {
    const turns = new Turns(() => true);
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

  it('are contended while another computation of the account waits', async () => {
    const turns = new Turns(() => false);
    const waiting = turns.wait('a', 0);
    assert.deepEqual([turns.isContended('a'), turns.isContended('b')], [true, false]);
    await waiting;
    assert.equal(turns.isContended('a'), false);
  });

  it('have a number that changes only when the event loop turns', async () => {
    const turns = new Turns(() => false);
    const { turnNumber } = turns;
    await Promise.resolve();
    assert.equal(turns.turnNumber, turnNumber);
    await nextTurn();
    await nextTurn();
    assert.notEqual(turns.turnNumber, turnNumber);
  });
});
