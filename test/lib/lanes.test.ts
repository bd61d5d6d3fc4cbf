// Lanes: who gets in, who waits, who is turned away.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLanes } from '../../src/lib/lanes.ts';

const host = { key: 'host', limit: 2 };
const PATIENCE_MS = 50;

describe('lanes', () => {
  it('let so many in at once, and the next when one leaves, in order', async () => {
    const lanes = createLanes(60_000, () => 0);
    const order: string[] = [];
    const first = await lanes.enter([host]);
    await lanes.enter([host]);
    const third = lanes.enter([host]).then(leave => {
      order.push('third');
      return leave;
    });
    const fourth = lanes.enter([host]).then(() => order.push('fourth'));
    assert.deepEqual(order, []);
    first?.();
    (await third)?.();
    await fourth;
    assert.deepEqual(order, ['third', 'fourth']);
  });

  it('ask for room in every lane named, and let past who waits for another', async () => {
    const lanes = createLanes(PATIENCE_MS, () => 0);
    const account = { key: 'account', limit: 1 };
    const leave = await lanes.enter([host, account]);
    const waiting = lanes.enter([host, account]);
    assert.ok(await lanes.enter([host]));
    leave?.();
    assert.ok(await waiting);
  });

  it('turn away who has waited too long', async () => {
    const lanes = createLanes(PATIENCE_MS, () => 0);
    await lanes.enter([host]);
    await lanes.enter([host]);
    assert.equal(await lanes.enter([host]), undefined);
  });

  it('turn away at once who would wait too long by the pace of those before', async () => {
    let nowMs = 0;
    const lanes = createLanes(60_000, () => nowMs);
    await lanes.enter([host]);
    await lanes.enter([host]);
    nowMs = 200_000;
    assert.equal(await lanes.enter([host]), undefined);
  });
});
