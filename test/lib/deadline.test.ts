// Tests deadlines: when they abort, and that they can be canceled.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDeadline } from '../../src/lib/deadline.ts';

describe('a deadline', () => {
  it('aborts with a TimeoutError and is past when its time is up', async () => {
    using deadline = startDeadline(10);
    assert.equal(deadline.isPast, false);
    await sleep(50);
    assert.equal(deadline.isPast, true);
    assert.equal((deadline.signal.reason as DOMException).name, 'TimeoutError');
  });

  it('aborts with the given signal before its time is up', () => {
    const outer = new AbortController();
    using deadline = startDeadline(60_000, outer.signal);
    outer.abort();
    assert.deepEqual([deadline.signal.aborted, deadline.isPast], [true, false]);
  });

  it('does nothing once it is canceled', async () => {
    const deadline = startDeadline(10);
    deadline[Symbol.dispose]();
    await sleep(50);
    assert.equal(deadline.signal.aborted, false);
  });
});
