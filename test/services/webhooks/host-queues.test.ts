// Per-host queues: who gets a slot, who waits, who is turned away.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHostQueues } from '../../../src/services/webhooks/host-queues.ts';

const host = { key: 'host', limit: 2 };
const MAX_WAIT_MS = 50;

describe('per-host queues', () => {
  it('admit so many at once, and the next when one leaves, in order', async () => {
    const queues = createHostQueues(60_000, () => 0);
    const order: string[] = [];
    const first = await queues.enter([host]);
    await queues.enter([host]);
    const third = queues.enter([host]).then(release => {
      order.push('third');
      return release;
    });
    const fourth = queues.enter([host]).then(() => order.push('fourth'));
    assert.deepEqual(order, []);
    first?.();
    (await third)?.();
    await fourth;
    assert.deepEqual(order, ['third', 'fourth']);
  });

  it('ask for a slot in every queue named; one that waits for another queue is overtaken', async () => {
    const queues = createHostQueues(60_000, () => 0);
    const account = { key: 'account', limit: 1 };
    const release = await queues.enter([host, account]);
    const waiting = queues.enter([host, account]);
    assert.ok(await queues.enter([host]));
    release?.();
    assert.ok(await waiting);
  });

  it('turn away what has waited too long', async () => {
    const queues = createHostQueues(MAX_WAIT_MS, () => 0);
    await queues.enter([host]);
    await queues.enter([host]);
    assert.equal(await queues.enter([host]), undefined);
  });

  it('turn away at once what would wait too long by the pace of those before', async () => {
    let nowMs = 0;
    const queues = createHostQueues(60_000, () => nowMs);
    await queues.enter([host]);
    await queues.enter([host]);
    nowMs = 200_000;
    assert.equal(await queues.enter([host]), undefined);
  });
});
