// Tests the queues of hosts: slots, waiting, and rejection.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHostQueues } from '../../../src/services/webhooks/host-queues.ts';

const host = { key: 'host', limit: 2 };
const MAX_WAIT_MS = 50;

describe('createHostQueues', () => {
  it('grants slots up to the limit, then in the order of requests', async () => {
    const queues = createHostQueues(60_000, () => 0);
    const order: string[] = [];
    const first = await queues.acquire([host]);
    await queues.acquire([host]);
    const third = queues.acquire([host]).then(release => {
      order.push('third');
      return release;
    });
    const fourth = queues.acquire([host]).then(() => order.push('fourth'));
    assert.deepEqual(order, []);
    first?.();
    (await third)?.();
    await fourth;
    assert.deepEqual(order, ['third', 'fourth']);
  });

  it('holds no slot of a host while a delivery waits for another queue', async () => {
    const queues = createHostQueues(60_000, () => 0);
    const account = { key: 'account', limit: 1 };
    const release = await queues.acquire([host, account]);
    const waiting = queues.acquire([host, account]);
    assert.ok(await queues.acquire([host]));
    release?.();
    assert.ok(await waiting);
  });

  it('rejects a delivery that has waited too long', async () => {
    const queues = createHostQueues(MAX_WAIT_MS, () => 0);
    await queues.acquire([host]);
    await queues.acquire([host]);
    assert.equal(await queues.acquire([host]), undefined);
  });

  it('rejects a delivery immediately if the expected wait is too long', async () => {
    let nowMs = 0;
    const queues = createHostQueues(60_000, () => nowMs);
    await queues.acquire([host]);
    await queues.acquire([host]);
    nowMs = 200_000;
    assert.equal(await queues.acquire([host]), undefined);
  });
});
