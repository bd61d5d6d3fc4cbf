// Tests queues per host: slots, waiting, and rejection.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHostQueues } from '../../../src/services/webhooks/host-queues.ts';

const host = { key: 'host', limit: 2 };
const MAX_WAIT_MS = 50;

describe('per-host queues', () => {
  it('admit a number at once, and the next in order when one ends', async () => {
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

  it('require a slot in every named queue, and let others pass a task that waits for another queue', async () => {
    const queues = createHostQueues(60_000, () => 0);
    const account = { key: 'account', limit: 1 };
    const release = await queues.enter([host, account]);
    const waiting = queues.enter([host, account]);
    assert.ok(await queues.enter([host]));
    release?.();
    assert.ok(await waiting);
  });

  it('reject a task that has waited too long', async () => {
    const queues = createHostQueues(MAX_WAIT_MS, () => 0);
    await queues.enter([host]);
    await queues.enter([host]);
    assert.equal(await queues.enter([host]), undefined);
  });

  it('reject a task at once if its expected wait is too long', async () => {
    let nowMs = 0;
    const queues = createHostQueues(60_000, () => nowMs);
    await queues.enter([host]);
    await queues.enter([host]);
    nowMs = 200_000;
    assert.equal(await queues.enter([host]), undefined);
  });
});
