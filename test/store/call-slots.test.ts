// Tests the slots of providers: who gets the free ones, and how limits are learned.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  claimSlots,
  grantSlots,
  growLimits,
  listLimits,
  listNextWaitingCalls,
  recordDurations,
  shrinkLimit,
} from '../../src/store/call-slots.ts';
import { getPollSchedule } from '../../src/store/calls.ts';
import type { Db } from '../../src/store/db.ts';
import { createTestDatabase } from '../support/database.ts';

let db: Db;
let drop: () => Promise<void>;
let providers = 0;
before(async () => {
  ({ db, drop } = await createTestDatabase());
});
after(() => drop());

interface Call {
  readonly id: string;
  readonly workspace?: string;
  readonly credential?: string;
  readonly hasSlot?: boolean;
  readonly hasEnded?: boolean;
  readonly isLate?: boolean;
}

/** Stores calls of a new provider. Each was submitted a second after the one before. */
async function insertCalls(calls: readonly Call[], provider = `p${providers++}`): Promise<string> {
  for (const [index, call] of calls.entries())
    await db.query(
      `insert into calls (execution_id, node_id, item, workspace, provider, credential_id, slot_at, ended_at, submitted_at, due_at, deadline_at)
       values ($1, 'node', 0, $2, $3, $4, case when $5 then now() end, case when $6 then now() end, now() - interval '1 hour' + $7 * interval '1 second',
         now() - interval '1 second', now() + case when $8 then interval '-1 second' else interval '1 hour' end)`,
      [
        `${provider} ${call.id}`,
        call.workspace ?? 'user:1',
        provider,
        call.credential ?? null,
        call.hasSlot === true,
        call.hasEnded === true,
        index,
        call.isLate === true,
      ],
    );
  return provider;
}

const setLimit = (provider: string, calls: number) =>
  db.query(
    'insert into provider_limits (provider, calls) values ($1, $2) on conflict (provider) do update set calls = $2',
    [provider, calls],
  );
const readLimit = async (provider: string): Promise<number | undefined> =>
  (await listLimits(db)).find(({ limiter }) => limiter === provider)?.calls;
const toId = ({ execution_id }: { readonly execution_id: string }): string =>
  execution_id.split(' ')[1] ?? '';

describe('listNextWaitingCalls', () => {
  const list = async (
    provider: string,
    { maxConcurrent = null as number | null, maxCalls = 10, limiter = provider } = {},
  ): Promise<readonly string[]> =>
    db.transaction(async tx =>
      (await listNextWaitingCalls(tx, { provider, limiter }, { maxConcurrent, maxCalls })).map(toId).sort(),
    );

  it('lists as many of the oldest calls as there are free slots', async () => {
    const provider = await insertCalls([
      { id: 'active', hasSlot: true },
      { id: 'ended', hasSlot: true, hasEnded: true },
      { id: 'a' },
      { id: 'b' },
      { id: 'c' },
    ]);
    assert.deepEqual(await list(provider), ['a', 'b', 'c']);
    assert.deepEqual(await list(provider, { maxCalls: 2 }), ['a', 'b']);
    assert.deepEqual(await list(provider, { maxConcurrent: 3 }), ['a', 'b']);
    assert.deepEqual(await list(provider, { maxConcurrent: 1 }), []);
    await setLimit(provider, 2);
    assert.deepEqual(await list(provider), ['a']);
    assert.deepEqual(await list(provider, { maxConcurrent: 3 }), ['a']);
  });

  it('alternates between workspaces, starting with those that have the fewest slots', async () => {
    const provider = await insertCalls([
      { id: 'active', workspace: 'user:1', hasSlot: true },
      { id: 'a1', workspace: 'user:1' },
      { id: 'a2', workspace: 'user:1' },
      { id: 'b1', workspace: 'user:2' },
      { id: 'b2', workspace: 'user:2' },
      { id: 'c1', workspace: 'team_3' },
    ]);
    const lists = [];
    for (const maxConcurrent of [2, 3, 4, 5]) lists.push(await list(provider, { maxConcurrent }));
    assert.deepEqual(lists, [['b1'], ['b1', 'c1'], ['a1', 'b1', 'c1'], ['a1', 'b1', 'b2', 'c1']]);
  });

  it('also lists calls whose deadline has passed', async () => {
    const provider = await insertCalls([{ id: 'a' }, { id: 'late', isLate: true }]);
    assert.deepEqual(await list(provider, { maxConcurrent: 0 }), ['late']);
  });

  it('counts each limiter of a provider for itself', async () => {
    const provider = await insertCalls([
      { id: 'other', credential: 'cred_a', hasSlot: true },
      { id: 'other-waiting', credential: 'cred_a' },
      { id: 'a' },
    ]);
    assert.deepEqual(await list(provider, { maxConcurrent: 1 }), ['a']);
    assert.deepEqual(await list(provider, { maxConcurrent: 1, limiter: 'cred_a' }), []);
    assert.deepEqual(await list(provider, { maxConcurrent: 2, limiter: 'cred_a' }), ['other-waiting']);
  });
});

describe('getPollSchedule', () => {
  it('lists each limiter of the provider whose calls wait, once and in order', async () => {
    const provider = await insertCalls([
      { id: 'b1', credential: 'cred_b' },
      { id: 'b2', credential: 'cred_b' },
      { id: 'running', credential: 'cred_c', hasSlot: true },
      { id: 'own' },
      { id: 'a', credential: 'cred_a' },
    ]);
    await insertCalls([{ id: 'foreign', credential: 'cred_bb' }]);
    const { waiting_limiters } = await getPollSchedule(db, provider);
    assert.deepEqual(waiting_limiters, ['cred_a', 'cred_b', provider]);
  });

  it('is due when the first call with a slot is due', async () => {
    const provider = await insertCalls([{ id: 'ended', hasSlot: true, hasEnded: true }, { id: 'waiting' }]);
    assert.equal((await getPollSchedule(db, provider)).due_at, null);
    await insertCalls([{ id: 'running', hasSlot: true }], provider);
    const { due_at } = await getPollSchedule(db, provider);
    assert.ok(due_at !== null && due_at <= new Date());
  });
});

describe('claimSlots', () => {
  const claim = async (provider: string, ids: readonly string[], maxConcurrent: number | null = null) => {
    const calls = ids.map(id => ({
      execution_id: `${provider} ${id}`,
      node_id: 'node',
      item: 0,
      workspace: 'user:1',
      credential_id: null,
      value_id: null,
      deadline_at: new Date(Date.now() + 60_000),
    }));
    const claimed = await db.transaction(tx =>
      claimSlots(tx, { provider, limiter: provider }, calls, maxConcurrent),
    );
    return ids.filter((_, index) => claimed.has(index));
  };

  it('gives the free slots of the smaller limit to the first calls', async () => {
    const provider = await insertCalls([]);
    assert.deepEqual(await claim(provider, ['a', 'b']), ['a', 'b'], 'without a limit');
    await setLimit(provider, 9);
    assert.deepEqual(await claim(provider, ['c', 'd'], 3), ['c']);
  });

  it('gives no slot while another call waits, and keeps a slot that a call already has', async () => {
    const provider = await insertCalls([{ id: 'a', hasSlot: true }, { id: 'waiting' }]);
    assert.deepEqual(await claim(provider, ['a', 'b'], 5), ['a']);
  });
});

describe('grantSlots', () => {
  it('gives slots to these calls only', async () => {
    const provider = await insertCalls([{ id: 'a' }, { id: 'b' }]);
    await grantSlots(db, [{ execution_id: `${provider} b`, node_id: 'node', item: 0 }]);
    const { rows } = await db.query<{ execution_id: string }>(
      'select execution_id from calls where provider = $1 and slot_at is not null',
      [provider],
    );
    assert.deepEqual(rows.map(toId), ['b']);
  });
});

describe('the limit of a provider', () => {
  const active = (count: number): readonly Call[] =>
    Array.from({ length: count }, (_, index) => ({ id: String(index), hasSlot: true }));
  const endBurst = (provider: string) =>
    db.query(`update provider_limits set shrunk_at = now() - interval '1001 ms' where provider = $1`, [
      provider,
    ]);

  it('is half of the active calls after a rejection, and half of itself after each further burst', async () => {
    const provider = await insertCalls([
      ...active(20),
      { id: 'waiting' },
      { id: 'ended', hasSlot: true, hasEnded: true },
    ]);
    // The time of the database is constant during a transaction, so both rejections belong to one burst.
    await db.transaction(async tx => {
      await shrinkLimit(tx, provider, 3);
      await shrinkLimit(tx, provider, 3);
    });
    assert.equal(await readLimit(provider), 10);
    for (const limit of [5, 2, 1, 1]) {
      await endBurst(provider);
      await shrinkLimit(db, provider, 3);
      assert.equal(await readLimit(provider), limit);
    }
  });

  it('counts the calls that a worker has not stored yet', async () => {
    const provider = await insertCalls(active(2));
    await shrinkLimit(db, provider, 8);
    assert.equal(await readLimit(provider), 4);
  });

  it('shrinks to half of the active calls if these are fewer', async () => {
    const provider = await insertCalls(active(4));
    await setLimit(provider, 100);
    await shrinkLimit(db, provider, 0);
    assert.equal(await readLimit(provider), 2);
  });

  it('grows by one after as many accepted submissions as it allows calls, if it was learned', async () => {
    const [learned, unlimited] = [await insertCalls([]), await insertCalls([])];
    await setLimit(learned, 7);
    await db.query('insert into provider_limits (provider) values ($1)', [unlimited]);
    const limits: (number | undefined)[] = [];
    for (const count of [3, 3, 1, 7, 1, 100]) {
      await growLimits(db, [
        { limiter: learned, count },
        { limiter: unlimited, count },
      ]);
      limits.push(await readLimit(learned));
    }
    assert.deepEqual(limits, [7, 7, 8, 8, 9, 10]);
    assert.equal(await readLimit(unlimited), undefined);
    await setLimit(learned, 1_000_000);
    await growLimits(db, [{ limiter: learned, count: 1_000_000 }]);
    assert.equal(await readLimit(learned), 1_000_000);
  });

  it('counts accepted submissions anew after a rejection', async () => {
    const provider = await insertCalls(active(8));
    await setLimit(provider, 8);
    await growLimits(db, [{ limiter: provider, count: 7 }]);
    await shrinkLimit(db, provider, 0);
    await growLimits(db, [{ limiter: provider, count: 3 }]);
    assert.equal(await readLimit(provider), 4);
    await growLimits(db, [{ limiter: provider, count: 1 }]);
    assert.equal(await readLimit(provider), 5);
  });
});

describe('recordDurations', () => {
  it('moves the usual duration of a model a fifth of the way', async () => {
    const record = (usual_ms: number) => recordDurations(db, [{ provider: 'fal', model: 'm', usual_ms }]);
    assert.deepEqual(await record(1000), [{ provider: 'fal', model: 'm', usual_ms: 1000 }]);
    assert.equal((await record(2000))[0]?.usual_ms, 1200);
    assert.equal((await record(200))[0]?.usual_ms, 1000);
  });
});
