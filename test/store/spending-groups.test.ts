// Tests with random runs that spending adds up to the ledger, by every group, and that monthly limits count the same.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { insertCharge, settleCharges } from '../../src/store/credential-charges.ts';
import {
  chargeNodes,
  grant,
  insertReservations,
  lockPools,
  raiseReservation,
  releaseRuns,
} from '../../src/store/credits.ts';
import type { Db } from '../../src/store/db.ts';
import {
  type GroupCosts,
  listDayCosts,
  listGroupCosts,
  SPENDING_GROUPS,
  type SpendingPeriod,
  sumCosts,
} from '../../src/store/spending-groups.ts';
import { createTestDatabase } from '../support/database.ts';
import { isNightly } from '../support/tier.ts';

const RUNS = isNightly ? 600 : 120;
const TEAMS = ['team_one', 'team_two', 'user:1'];

let db: Db;
let drop: () => Promise<void>;
before(async () => {
  ({ db, drop } = await createTestDatabase());
});
after(() => drop());

const add = (rows: readonly GroupCosts[], cost: 'credits' | 'usd' | 'calls'): number =>
  rows.reduce((sum, row) => sum + row[cost], 0);

async function storeRandomRuns(seed: number): Promise<void> {
  const random = createSeededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  await db.query(
    `insert into credentials (id, kind, name, workspace, value_id, is_default)
     values ('cred_own', 'fal', 'Own', 'team_one', 'cval_own', false)`,
  );
  for (const workspace of TEAMS) await grant(db, workspace, 400 + below(400), 'test');
  for (let index = 0; index < RUNS; index++) {
    const workspace = pick(TEAMS);
    const executionId = newId('execution');
    const isVisitor = random() < 0.1;
    const estimate = below(12);
    const accepted = await db.transaction(async tx => {
      if (((await lockPools(tx, [workspace])).get(workspace)?.balance ?? 0) < estimate) return false;
      await insertReservations(tx, [
        {
          executionId,
          workspace,
          workflowId: `wf_${below(5)}`,
          appId: isVisitor ? 'app_one' : null,
          isPaidByVisitor: isVisitor,
          spender: { userId: 1 + below(4), keyId: random() < 0.5 ? null : `key_${below(3)}` },
          amount: estimate,
        },
      ]);
      return true;
    });
    if (!accepted) continue;
    if (random() < 0.3) await raiseReservation(db, executionId, estimate + below(9));
    // Canceled runs, cached results and free nodes charge nothing.
    const nodes = below(4);
    for (let number = 0; number < nodes; number++)
      await chargeNodes(db, [
        {
          executionId,
          nodeId: `n${below(3)}`,
          nodeType: pick(['generate:a', 'video:b', 'text:c']),
          ...(random() < 0.8
            ? { provider: pick(['fal', 'openai']), credentialId: pick(['cred_a', 'cred_b']) }
            : {}),
          add: below(6),
        },
      ]);
    if (random() < 0.9) await releaseRuns(db, [executionId]);
    if (random() > 0.3) continue;
    // Calls with a credential of the workspace, some of which are canceled or of unknown cost.
    const call = { execution_id: executionId, node_id: 'own', item: 0 };
    await insertCharge(db, {
      ...call,
      credential_id: 'cred_own',
      workspace,
      user_id: 1 + below(4),
      key_id: '',
      workflow_id: `wf_${below(5)}`,
      node_type: 'video:b',
      usd: random() < 0.8 ? below(100) / 100 : null,
    });
    if (random() < 0.2) await settleCharges(db, [{ ...call, usd: null, is_free: true }]);
  }
  // Before spenders were recorded.
  await db.query(
    `insert into credit_entries (workspace, kind, amount, execution_id, workflow_id) values ('team_one', 'charge', 7, 'ex_old', 'wf_old')`,
  );
}

describe('spending by group', () => {
  it('adds up to the ledger, by every group, of every workspace, with any filter', async () => {
    await storeRandomRuns(7);
    const now = Date.now();
    const month: SpendingPeriod = {
      workspace: null,
      from: new Date(now - 86_400_000),
      to: new Date(now + 86_400_000),
      filters: {},
    };
    for (const workspace of [null, ...TEAMS]) {
      const period = { ...month, workspace };
      const ledger = await db.query<{ credits: number; cents: number; runs: number }>(
        `select coalesce(sum(credits), 0)::bigint as credits, round(coalesce(sum(usd), 0) * 100)::int as cents,
           count(distinct execution_id)::int as runs from (
           select amount as credits, 0::numeric as usd, execution_id from credit_entries
           where kind = 'charge' and ($1::text is null or workspace = $1)
           union all select 0, usd, execution_id from credential_charges where $1::text is null or workspace = $1) costs`,
        [workspace],
      );
      const total = await sumCosts(db, period);
      assert.deepEqual(
        { credits: total.credits, cents: Math.round(total.usd * 100), runs: total.runs },
        ledger.rows[0],
      );
      const days = await listDayCosts(db, period);
      assert.equal(
        days.reduce((sum, { credits }) => sum + credits, 0),
        total.credits,
      );
      for (const group of SPENDING_GROUPS) {
        const rows = await listGroupCosts(db, period, group, 1000);
        assert.deepEqual(
          [group, add(rows, 'credits'), add(rows, 'calls'), Math.round(add(rows, 'usd') * 100)],
          [group, total.credits, total.calls, Math.round(total.usd * 100)],
        );
        assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
        for (const { key, credits, calls, runs } of rows) {
          const filtered = { ...period, filters: { [group]: key } };
          const found = await sumCosts(db, filtered);
          assert.deepEqual([found.credits, found.calls, found.runs], [credits, calls, runs]);
          const other = group === 'model' ? 'member' : 'model';
          assert.equal(add(await listGroupCosts(db, filtered, other, 1000), 'credits'), credits);
        }
      }
    }
  });

  it('counts what runs spent for their spenders like the ledger', async () => {
    const { rows } = await db.query(
      `select m.* from spender_months m full join (
         select workspace, user_id, key_id,
           sum(case kind when 'hold' then amount when 'release' then -amount else 0 end) as spent,
           coalesce(sum(amount) filter (where kind = 'charge'), 0) as charged
         from credit_entries where user_id is not null group by 1, 2, 3) e using (workspace, user_id, key_id)
       where (m.spent, m.charged) is distinct from (e.spent, e.charged)`,
    );
    assert.deepEqual(rows, []);
  });

  it('hides the models of an app from a visitor who pays', async () => {
    const { rows } = await db.query(
      `select from credit_entries where workflow_id like 'app%' and (node_type is not null or provider is not null or credential_id is not null)`,
    );
    assert.deepEqual(rows, []);
  });
});
