// Tests the slots of jobs that wait for the servers of users: their limits, fairness between accounts, waiting, and
// postponing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createOutboundSlots,
  type OutboundCall,
  type OutboundSlots,
} from '../../src/services/outbound-slots.ts';

const TIMING = { outboundSlotMs: 60_000, minPostponeMs: 1000, maxPostponeMs: 300_000 };
const IMPATIENT = { ...TIMING, outboundSlotMs: 20 };

let nowMs = 0;
const createSlots = (timing = TIMING): OutboundSlots => {
  nowMs = 0;
  return createOutboundSlots(timing, () => nowMs);
};
const toCall = (index: number, account = 'a'): OutboundCall => ({ account, host: `host${index}` });

type Release = () => void;
const acquire = async (slots: OutboundSlots, call: OutboundCall): Promise<Release> => {
  const release = await slots.acquire(call);
  if (typeof release !== 'function') assert.fail('There is a slot.');
  return release;
};
const acquireMany = (slots: OutboundSlots, calls: readonly OutboundCall[]): Promise<readonly Release[]> =>
  Promise.all(calls.map(call => acquire(slots, call)));
const getDelayMs = async (slots: OutboundSlots, call: OutboundCall): Promise<number> => {
  const postponement = await slots.acquire(call);
  if (typeof postponement === 'function') assert.fail('There is no slot.');
  return postponement.delayMs;
};
/** Takes slots until a call is postponed, and returns how many there were. */
async function countSlots(slots: OutboundSlots, toNext: (index: number) => OutboundCall): Promise<number> {
  for (let count = 0; ; count++) if (typeof (await slots.acquire(toNext(count))) !== 'function') return count;
}
const items = <T>(count: number, create: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => create(index));

describe('createOutboundSlots', () => {
  it('gives an account 32 slots, and 8 at one host', async () => {
    assert.equal(await countSlots(createSlots(IMPATIENT), index => toCall(index)), 32);
    assert.equal(await countSlots(createSlots(IMPATIENT), () => toCall(0)), 8);
  });

  it('always has a slot for an account that has none, at a host too', async () => {
    for (const toNext of [
      (account: string, index: number) => toCall(index, account),
      (account: string) => toCall(0, account),
    ]) {
      const slots = createSlots(IMPATIENT);
      for (let account = 0; account < 20; account++)
        assert.ok((await countSlots(slots, index => toNext(`a${account}`, index))) > 0);
    }
  });

  it('gives calls with long bodies two slots of an account', async () => {
    const slots = createSlots(IMPATIENT);
    assert.equal(await countSlots(slots, index => ({ ...toCall(index), hasLongBody: true })), 2);
    await acquire(slots, toCall(9));
    await acquire(slots, { ...toCall(9, 'b'), hasLongBody: true });
  });

  it('grants slots in the order of requests', async () => {
    const slots = createSlots();
    const [first] = await acquireMany(
      slots,
      items(8, () => toCall(0)),
    );
    const order: string[] = [];
    const ninth = acquire(slots, toCall(0)).then(release => {
      order.push('ninth');
      return release;
    });
    const tenth = acquire(slots, toCall(0)).then(() => order.push('tenth'));
    assert.deepEqual(order, []);
    first?.();
    (await ninth)();
    await tenth;
    assert.deepEqual(order, ['ninth', 'tenth']);
  });

  it('holds no slot of a host for a call that waits for another slot', async () => {
    const slots = createSlots();
    const toLongCall = (index: number): OutboundCall => ({ ...toCall(index), hasLongBody: true });
    const [first] = await acquireMany(slots, [toLongCall(0), toLongCall(0)]);
    const waiting = acquire(slots, toLongCall(1));
    const [other] = await acquireMany(
      slots,
      items(8, () => toCall(1)),
    );
    first?.();
    other?.();
    await waiting;
  });

  it('postpones a call that has waited too long', async () => {
    const slots = createSlots(IMPATIENT);
    await acquireMany(
      slots,
      items(8, () => toCall(0)),
    );
    assert.equal(await getDelayMs(slots, toCall(0)), TIMING.minPostponeMs);
  });

  it('lets one account take half of the places for waiting calls', async () => {
    const slots = createSlots(IMPATIENT);
    await acquireMany(
      slots,
      items(32, index => toCall(index)),
    );
    const waiting = items(49, index => slots.acquire(toCall(index)).then(() => index));
    assert.equal(await Promise.race(waiting), 48);
    await Promise.all(waiting);
  });

  describe('if calls hang', () => {
    const HANG_MS = 200_000;
    const hang = async (timing = TIMING): Promise<{ slots: OutboundSlots; releases: readonly Release[] }> => {
      const slots = createSlots(timing);
      const releases = await acquireMany(
        slots,
        items(8, () => toCall(0)),
      );
      nowMs += HANG_MS * 4;
      return { slots, releases };
    };

    it('postpones calls at once, each by the time that those before it need', async () => {
      const { slots } = await hang();
      assert.deepEqual(
        [await getDelayMs(slots, toCall(0)), await getDelayMs(slots, toCall(0))],
        [(HANG_MS * 4) / 8, (HANG_MS * 4 * 2) / 8],
      );
    });

    it('postpones calls by five minutes at most', async () => {
      const { slots } = await hang();
      for (let count = 0; count < 10; count++) await getDelayMs(slots, toCall(0));
      assert.equal(await getDelayMs(slots, toCall(0)), TIMING.maxPostponeMs);
    });

    it('postpones calls by little after they end, however many were postponed', async () => {
      const { slots, releases } = await hang(IMPATIENT);
      for (let count = 0; count < 1000; count++)
        assert.ok((await getDelayMs(slots, toCall(0))) <= TIMING.maxPostponeMs);
      nowMs += TIMING.maxPostponeMs;
      for (const release of releases) release();
      await acquireMany(
        slots,
        items(8, () => toCall(0)),
      );
      assert.equal(await getDelayMs(slots, toCall(0)), TIMING.minPostponeMs);
    });

    it('gives slots to postponed calls once the others have ended', async () => {
      const { slots, releases } = await hang();
      await getDelayMs(slots, toCall(0));
      for (const release of releases) release();
      await acquireMany(
        slots,
        items(8, () => toCall(0)),
      );
    });
  });
});
