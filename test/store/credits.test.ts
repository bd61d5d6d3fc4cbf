// Tests the credit ledger: after every change, the pool and its runs are the sums of their entries. Also tests budgets.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import {
  chargeNodes,
  findSpendingOfRunDay,
  getPool,
  grant,
  insertReservations,
  listEntries,
  listSpendingToday,
  lockPools,
  raiseReservation,
  releaseRuns,
  setDailyBudget,
} from '../../src/store/credits.ts';
import type { Db, Tx } from '../../src/store/db.ts';
import { createTestDatabase } from '../support/database.ts';

const SPENDER = { userId: 1, keyId: null };

let db: Db;
let drop: () => Promise<void>;
before(async () => {
  ({ db, drop } = await createTestDatabase());
});
after(() => drop());

describe('the credit ledger', () => {
  let pools = 0;
  const createPool = async (balance: number): Promise<string> => {
    const workspace = `user:${1000 + pools++}`;
    await grant(db, workspace, balance, 'test');
    return workspace;
  };
  const reserve = (workspace: string, amount: number, executionId = newId('execution')): Promise<boolean> =>
    db.transaction(async tx => {
      if (((await lockPools(tx, [workspace])).get(workspace)?.balance ?? 0) < amount) return false;
      await insertReservations(tx, [
        {
          executionId,
          workspace,
          workflowId: 'wf_test',
          appId: null,
          isPaidByVisitor: false,
          spender: SPENDER,
          amount,
        },
      ]);
      return true;
    });
  const charge = (executionId: string, nodeId: string, total: number) =>
    chargeNodes(db, [{ executionId, nodeId, nodeType: 'generate:x', total }]);

  /** Asserts that the pool and each of its runs equal the sums of their entries. */
  const assertBalanced = async (workspace: string): Promise<void> => {
    const { rows } = await db.query<{ balance: number; held: number }>(
      `select coalesce(sum(case kind when 'grant' then amount when 'hold' then -amount when 'release' then amount else 0 end), 0)::bigint as balance,
         coalesce(sum(case kind when 'hold' then amount when 'charge' then -amount when 'release' then -amount else 0 end), 0)::bigint as held
       from credit_entries where workspace = $1`,
      [workspace],
    );
    const pool = await getPool(db, workspace);
    assert.deepEqual(pool, rows[0]);
    const runs = await db.query<{ held: number; misbooked: number }>(
      `select coalesce(sum(held), 0)::bigint as held,
         count(*) filter (where (held, charged, released) <> (
           select coalesce(sum(case kind when 'hold' then amount when 'charge' then -amount when 'release' then -amount else 0 end), 0)::bigint,
             coalesce(sum(amount) filter (where kind = 'charge'), 0)::bigint,
             coalesce(sum(amount) filter (where kind = 'release'), 0)::bigint
           from credit_entries e where e.execution_id = r.execution_id)) as misbooked
       from run_credits r where workspace = $1`,
      [workspace],
    );
    assert.deepEqual(runs.rows[0], { held: pool.held, misbooked: 0 });
  };

  it('has an empty pool for an unknown workspace', async () => {
    assert.deepEqual(await getPool(db, 'user:999999'), { balance: 0, held: 0 });
  });

  it('takes charges from the reservation and releases the rest', async () => {
    const workspace = await createPool(100);
    const runId = newId('execution');
    assert.equal(await reserve(workspace, 40, runId), true);
    assert.deepEqual(await getPool(db, workspace), { balance: 60, held: 40 });
    await charge(runId, 'node', 15);
    await charge(runId, 'node', 15);
    assert.deepEqual(await getPool(db, workspace), { balance: 60, held: 25 });
    await releaseRuns(db, [runId]);
    assert.deepEqual(await getPool(db, workspace), { balance: 85, held: 0 });
    await releaseRuns(db, [runId]);
    assert.deepEqual(await getPool(db, workspace), { balance: 85, held: 0 });
    await assertBalanced(workspace);
    assert.deepEqual(
      (await listEntries(db, workspace, { after: null, limit: 10 })).map(entry => [entry.kind, entry.amount]),
      [
        ['release', 25],
        ['charge', 15],
        ['hold', 40],
        ['grant', 100],
      ],
    );
  });

  it('refuses a reservation that the balance does not cover', async () => {
    const workspace = await createPool(10);
    const runId = newId('execution');
    assert.equal(await reserve(workspace, 11, runId), false);
    assert.equal(await raiseReservation(db, runId, 1), 'refused');
    assert.deepEqual(await getPool(db, workspace), { balance: 10, held: 0 });
    assert.equal((await listEntries(db, workspace, { after: null, limit: 10 })).length, 1);
  });

  it('raises a reservation to the required amount', async () => {
    const workspace = await createPool(10);
    const runId = newId('execution');
    await reserve(workspace, 4, runId);
    await reserve(workspace, 0);
    assert.equal(await raiseReservation(db, runId, 3), 'none');
    assert.equal(await raiseReservation(db, runId, 9), 'raised');
    assert.deepEqual(await getPool(db, workspace), { balance: 1, held: 9 });
    assert.equal(await raiseReservation(db, runId, 11), 'refused');
    assert.deepEqual(await getPool(db, workspace), { balance: 1, held: 9 });
    await assertBalanced(workspace);
  });

  it('records a charge beyond the reservation and the balance as an overrun', async () => {
    const workspace = await createPool(10);
    const runId = newId('execution');
    await reserve(workspace, 4, runId);
    await charge(runId, 'node', 9);
    assert.deepEqual(await getPool(db, workspace), { balance: 1, held: 0 });
    await charge(runId, 'node', 13);
    await charge(runId, 'node', 13);
    assert.deepEqual(await getPool(db, workspace), { balance: 0, held: 0 });
    assert.deepEqual(
      (await listEntries(db, workspace, { after: null, limit: 3 }))
        .map(entry => [entry.kind, entry.amount])
        .sort(),
      [
        ['charge', 1],
        ['hold', 1],
        ['overrun', 3],
      ],
    );
    // Nothing is left, so the rest is an overrun without a charge.
    await charge(runId, 'node', 15);
    assert.deepEqual(
      (await listEntries(db, workspace, { after: null, limit: 2 })).map(
        ({ kind, amount }) => `${kind} ${amount}`,
      ),
      ['overrun 2', 'overrun 3'],
    );
    await assertBalanced(workspace);
  });

  it('stays balanced over random charges of several runs', async () => {
    const random = createSeededRandom(20261123);
    const randomBelow = (limit: number): number => Math.floor(random() * limit);
    for (let round = 0; round < 25; round++) {
      const workspaces = [await createPool(randomBelow(60)), await createPool(randomBelow(60))];
      const runs = Array.from({ length: 4 }, (_, index) => ({ id: newId('execution'), pool: index % 2 }));
      for (const { id, pool } of runs) await reserve(workspaces[pool] ?? '', randomBelow(12), id);
      const acceptedIds = await listAcceptedRuns(runs.map(({ id }) => id));
      const costs = runs
        .filter(({ id }) => acceptedIds.has(id))
        .flatMap(({ id, pool }) =>
          ['a', 'b'].map(nodeId => ({
            executionId: id,
            nodeId,
            nodeType: null,
            total: randomBelow(20),
            pool,
          })),
        );
      for (const charges of [costs, costs.map(cost => ({ ...cost, total: cost.total + randomBelow(9) }))]) {
        await chargeNodes(db, charges);
        await chargeNodes(db, charges);
        for (const workspace of workspaces) await assertBalanced(workspace);
        for (const { executionId, nodeId, total } of charges)
          assert.equal(await readBilled(executionId, nodeId), total);
        for (const [pool, workspace] of workspaces.entries())
          await assertPaidBeforeOverrun(workspace, charges, pool);
      }
      await releaseRuns(
        db,
        runs.map(({ id }) => id),
      );
      for (const workspace of workspaces) {
        assert.equal((await getPool(db, workspace)).held, 0);
        await assertBalanced(workspace);
      }
    }
  });

  /** Returns the amounts that were charged or recorded as overrun. */
  const readBilled = async (executionId: string, nodeId: string): Promise<number> => {
    const { rows } = await db.query<{ billed: number }>(
      `select coalesce(sum(amount), 0)::bigint as billed from credit_entries
       where execution_id = $1 and node_id = $2 and kind in ('charge', 'overrun')`,
      [executionId, nodeId],
    );
    return rows[0]?.billed ?? 0;
  };
  const listAcceptedRuns = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const { rows } = await db.query<{ execution_id: string }>(
      'select execution_id from run_credits where execution_id = any ($1::text[])',
      [ids],
    );
    return new Set(rows.map(({ execution_id }) => execution_id));
  };
  /** Asserts that the pool paid its entire balance before an overrun was recorded. */
  const assertPaidBeforeOverrun = async (
    workspace: string,
    costs: readonly { readonly executionId: string; readonly pool: number }[],
    pool: number,
  ): Promise<void> => {
    const { rows } = await db.query<{ overrun: number }>(
      `select coalesce(sum(amount), 0)::bigint as overrun from credit_entries
       where kind = 'overrun' and execution_id = any ($1::text[])`,
      [costs.filter(cost => cost.pool === pool).map(({ executionId }) => executionId)],
    );
    if ((rows[0]?.overrun ?? 0) > 0) assert.equal((await getPool(db, workspace)).balance, 0);
  };

  it('revokes no more than the balance', async () => {
    const workspace = await createPool(10);
    assert.equal(await grant(db, workspace, -11, 'too much'), false);
    assert.equal(await grant(db, workspace, -10, 'all'), true);
    assert.deepEqual(await getPool(db, workspace), { balance: 0, held: 0 });
    assert.equal(await grant(db, 'user:888888', -1, 'from nothing'), false);
    await assertBalanced(workspace);
  });

  it('changes the credits of several runs and pools in one statement', async () => {
    const [one, two] = [await createPool(100), await createPool(100)];
    const runs = Array.from({ length: 6 }, () => newId('execution'));
    const getWorkspace = (index: number): string => (index % 2 === 0 ? one : two);
    await insertReservations(
      db,
      runs.map((executionId, index) => ({
        executionId,
        workspace: getWorkspace(index),
        workflowId: 'wf_test',
        appId: null,
        isPaidByVisitor: false,
        spender: SPENDER,
        amount: 10 + index,
      })),
    );
    await chargeNodes(
      db,
      runs.flatMap(executionId =>
        ['a', 'b'].map(nodeId => ({ executionId, nodeId, nodeType: null, total: 3 })),
      ),
    );
    assert.deepEqual(await getPool(db, one), { balance: 64, held: 18 });
    await releaseRuns(db, runs);
    assert.deepEqual(
      [await getPool(db, one), await getPool(db, two)],
      [
        { balance: 82, held: 0 },
        { balance: 82, held: 0 },
      ],
    );
    await assertBalanced(one);
    await assertBalanced(two);
  });

  it('refuses all reservations of a statement if their sum exceeds the balance', async () => {
    const workspace = await createPool(10);
    const holds = [6, 5].map(amount => ({
      executionId: newId('execution'),
      workspace,
      workflowId: 'wf_test',
      appId: null,
      isPaidByVisitor: false,
      spender: SPENDER,
      amount,
    }));
    await assert.rejects(insertReservations(db, holds), { code: '23514' });
    await assertBalanced(workspace);
  });

  it('accepts 50 of 200 concurrent reservations if the balance covers 50', async () => {
    const workspace = await createPool(500);
    const accepted = await Promise.all(Array.from({ length: 200 }, () => reserve(workspace, 10)));
    assert.equal(accepted.filter(Boolean).length, 50);
    assert.deepEqual(await getPool(db, workspace), { balance: 0, held: 500 });
    await assertBalanced(workspace);
  });

  it('reports a pool that falls below a tenth of what it had after the last grant, once', async () => {
    const workspace = await createPool(50);
    const runId = newId('execution');
    await reserve(workspace, 20, runId);
    await grant(db, workspace, 50, 'test');
    assert.deepEqual(await charge(runId, 'node', 90), []);
    const low = [{ workspace, team_name: null, remaining: 9 }];
    assert.deepEqual(await charge(runId, 'node', 91), low);
    assert.deepEqual(await charge(runId, 'node', 92), []);
    assert.deepEqual(await charge(runId, 'node', 92), []);
    await grant(db, workspace, 92, 'test');
    assert.deepEqual(await charge(runId, 'node', 183), low, 'after the next grant');
  });

  it('keeps what is reserved for submitted calls until the provider has answered', async () => {
    const workspace = await createPool(100);
    const runId = newId('execution');
    await reserve(workspace, 50, runId);
    // Only the first call may still be billed: the second was not submitted, and the third has no slot.
    await db.query(
      `insert into calls (execution_id, node_id, item, workspace, provider, job_id, slot_at, credits, submitted_at, due_at, deadline_at)
       select $1, 'node', n - 1, $2, 'fal', (array['job', null, 'job'])[n], (array[now(), now(), null])[n], 7 * n, now(), now(), now()
       from generate_series(1, 3) n`,
      [runId, workspace],
    );
    await releaseRuns(db, [runId]);
    assert.deepEqual(await getPool(db, workspace), { balance: 93, held: 7 });
    await releaseRuns(db, [runId]);
    assert.deepEqual(await getPool(db, workspace), { balance: 93, held: 7 });
    await db.query('delete from calls where execution_id = $1', [runId]);
    await releaseRuns(db, [runId]);
    assert.deepEqual(await getPool(db, workspace), { balance: 100, held: 0 });
    await assertBalanced(workspace);
  });
});

describe('the spending of a day', () => {
  const DAY_MS = 86_400_000;

  /** Stores a run of a workspace that was accepted at a time relative to the last midnight in UTC. */
  const insertRun = async (
    tx: Tx,
    workspace: string,
    atMs: number,
    credits: { readonly held?: number; readonly charged?: number },
  ): Promise<string> => {
    const executionId = newId('execution');
    await tx.query(
      `insert into run_credits (execution_id, workspace, workflow_id, estimated, held, charged, created_at)
       values ($1, $2, 'wf_test', $3, $3, $4, date_trunc('day', now(), 'UTC') + $5 * interval '1 ms')`,
      [executionId, workspace, credits.held ?? 0, credits.charged ?? 0, atMs],
    );
    return executionId;
  };

  it('is what the runs since midnight in UTC reserve and were charged', async () => {
    // The time of the database is constant during a transaction.
    await db.transaction(async tx => {
      await setDailyBudget(tx, 'user:1', 500);
      await setDailyBudget(tx, 'user:2', null);
      const yesterday = await insertRun(tx, 'user:1', -1, { held: 100 });
      const atMidnight = await insertRun(tx, 'user:1', 0, { held: 3, charged: 4 });
      await insertRun(tx, 'user:1', 1, { held: 10, charged: 20 });
      const ofOther = await insertRun(tx, 'user:2', 1, { held: 1000 });
      const spending = await listSpendingToday(tx, 'workspace', ['user:1', 'user:2', 'user:3']);
      assert.deepEqual([...spending.values()], [{ id: 'user:1', budget: 500, spent: 37 }]);
      const find = (id: string) => findSpendingOfRunDay(tx, 'workspace', id);
      assert.deepEqual(await find(atMidnight), { budget: 500, spent: 37 });
      assert.deepEqual(await find(yesterday), { budget: 500, spent: 100 });
      assert.deepEqual(await find(ofOther), { budget: null, spent: 0 });
    });
  });

  it('ends at midnight in UTC', async () => {
    await db.transaction(async tx => {
      await setDailyBudget(tx, 'user:4', 1);
      const first = await insertRun(tx, 'user:4', -DAY_MS, { held: 5 });
      await insertRun(tx, 'user:4', -1, { held: 6 });
      await insertRun(tx, 'user:4', 0, { held: 70 });
      assert.deepEqual(await findSpendingOfRunDay(tx, 'workspace', first), { budget: 1, spent: 11 });
    });
  });
});
