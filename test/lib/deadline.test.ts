// Tests when deadlines abort, and that they can be cancelled.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDeadline } from '../../src/lib/deadline.ts';

describe('startDeadline', () => {
  it('aborts with a TimeoutError when the time is up', async () => {
    using deadline = startDeadline(10);
    assert.equal(deadline.isPast, false);
    await sleep(50);
    assert.equal(deadline.isPast, true);
    assert.equal((deadline.signal.reason as DOMException).name, 'TimeoutError');
  });

  it('aborts with the given signal before the time is up', () => {
    const outer = new AbortController();
    using deadline = startDeadline(60_000, outer.signal);
    outer.abort();
    assert.deepEqual([deadline.signal.aborted, deadline.isPast], [true, false]);
  });

  it('never aborts after the deadline was disposed', async () => {
    const deadline = startDeadline(10);
    deadline[Symbol.dispose]();
    await sleep(50);
    assert.equal(deadline.signal.aborted, false);
  });
});
