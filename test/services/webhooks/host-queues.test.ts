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

  describe('with a limit of one', () => {
    const single = { key: 'single', limit: 1 };
    const MAX_MS = 10_000;
    let nowMs = 0;
    const createQueues = () => {
      nowMs = 0;
      return createHostQueues(MAX_MS, () => nowMs);
    };
    type Queues = ReturnType<typeof createQueues>;
    /** Takes the slot for a time. */
    const occupy = async (queues: Queues, ms: number): Promise<void> => {
      const release = await queues.acquire([single]);
      nowMs += ms;
      release?.();
    };
    /** Returns whether a delivery is rejected at once. If it waits, it gets the slot that `release` frees. */
    const isRejected = async (queues: Queues, release: (() => void) | undefined): Promise<boolean> => {
      const waiting = queues.acquire([single]);
      release?.();
      const ownRelease = await waiting;
      ownRelease?.();
      return ownRelease === undefined;
    };

    it('expects that the active delivery takes as long as it already took', async () => {
      for (const [ms, expected] of [
        [MAX_MS, false],
        [MAX_MS + 1, true],
      ] as const) {
        const queues = createQueues();
        const release = await queues.acquire([single]);
        nowMs += ms;
        assert.equal(await isRejected(queues, release), expected);
      }
    });

    it('expects that the next delivery takes as long as the ones before', async () => {
      for (const [ms, expected] of [
        [2 * MAX_MS, false],
        [2 * MAX_MS + 2, true],
      ] as const) {
        const queues = createQueues();
        const first = await queues.acquire([single]);
        // The queue remembers its average while another delivery waits.
        const second = queues.acquire([single]);
        nowMs += ms;
        first?.();
        assert.equal(await isRejected(queues, await second), expected);
      }
    });

    it('forgets the durations when nothing waits', async () => {
      const queues = createQueues();
      await occupy(queues, 10 * MAX_MS);
      assert.equal(await isRejected(queues, await queues.acquire([single])), false);
    });
  });
});
