// Tests how long computations leave the event loop to other work, and in which order they continue.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { noteActive } from '../../src/lib/active-accounts.ts';
import { workFor } from '../../src/lib/work.ts';
import { yieldTurn } from '../../src/lib/yield-turn.ts';
import { workAs } from '../support/work.ts';

function compute(ms: number): void {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
}

describe('yieldTurn', () => {
  it('continues at once within a slice, and then waits for a turn of the event loop', async () => {
    await nextTurn();
    assert.equal(yieldTurn(), undefined);
    compute(11);
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });
    await yieldTurn();
    assert.equal(hasTurned, true);
    assert.equal(yieldTurn(), undefined, 'a new slice');
  });

  it('lets accounts take turns', async () => {
    noteActive('a');
    noteActive('b');
    const order: string[] = [];
    const run = async (account: string): Promise<void> => {
      for (let slice = 0; slice < 3; slice++) {
        compute(11);
        await yieldTurn();
        order.push(account);
      }
    };
    await nextTurn();
    yieldTurn();
    const runFor = (account: string) => workAs(account, () => run(account));
    await Promise.all([runFor('a'), runFor('a'), runFor('b')]);
    assert.equal(order.join(''), 'abababaaa');
  });

  it('rejects if nobody waits for the result any more', async () => {
    const caller = new AbortController();
    await assert.rejects(
      workFor({ account: 'a', signal: caller.signal, isAccepted: false }, async () => {
        caller.abort(new Error('hung up'));
        for (;;) {
          compute(1);
          await yieldTurn();
        }
      }),
      /hung up/,
    );
  });
});
