// Checks the whole credit ledger, for tests of anything that could corrupt it.
import assert from 'node:assert/strict';
import type { Db } from '../../../src/store/db.ts';

/**
 * Asserts that the entries add up for every pool and every run, and that ended runs hold credits only for calls whose
 * billing is still unknown.
 */
export async function assertLedgerBalanced(db: Db): Promise<void> {
  assert.deepEqual((await db.query(UNBALANCED_POOLS)).rows, [], 'pools');
  assert.deepEqual((await db.query(UNBALANCED_RUNS)).rows, [], 'runs');
}

const UNBALANCED_POOLS = `
select p.*, e.balance as entries_balance, e.held as entries_held, r.held as runs_held
from credit_pools p
cross join lateral (
  select
    coalesce(sum(case kind when 'hold' then -amount when 'charge' then 0 else amount end), 0) as balance,
    coalesce(sum(case kind when 'hold' then amount when 'grant' then 0 else -amount end), 0) as held
  from credit_entries where workspace = p.workspace and kind <> 'overrun') e
cross join lateral (select coalesce(sum(held), 0) as held from run_credits where workspace = p.workspace) r
where (p.balance, p.held, p.held) is distinct from (e.balance, e.held, r.held)`;

const UNBALANCED_RUNS = `
select r.*, e.finished_at, l.*
from run_credits r
join executions e on e.id = r.execution_id
cross join lateral (
  select
    coalesce(sum(amount) filter (where kind = 'hold'), 0) as total_held,
    coalesce(sum(amount) filter (where kind = 'charge'), 0) as total_charged,
    coalesce(sum(amount) filter (where kind = 'release'), 0) as total_released
  from credit_entries where execution_id = r.execution_id) l
where (r.charged, r.released, r.held) is distinct from (l.total_charged, l.total_released, l.total_held - l.total_charged - l.total_released)
  or (e.finished_at is not null and r.held <> coalesce((
    select sum(credits) from calls c where c.execution_id = r.execution_id and c.job_id is not null), 0))`;
