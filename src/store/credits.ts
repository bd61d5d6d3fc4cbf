// The credit ledger. Every function moves one amount: the entry, the pool's row and the run's row in one statement,
// so that the pool equals the sum of its entries whatever happens between two statements.
import type { Tx } from './db.ts';
import { type After, all, matches } from './rows.ts';

export interface Pool {
  readonly balance: number;
  readonly held: number;
}

/** A workspace that nobody ever granted anything to has an empty pool. */
export async function findPool(tx: Tx, workspace: string): Promise<Pool> {
  const { rows } = await tx.query<Pool>('select balance, held from credit_pools where workspace = $1', [
    workspace,
  ]);
  return rows[0] ?? { balance: 0, held: 0 };
}

/** Adds to the balance, or takes from it where the amount is negative; false where it does not suffice. */
export function grant(tx: Tx, workspace: string, amount: number, note: string): Promise<boolean> {
  return matches(
    tx,
    `with pool as (
       insert into credit_pools as p (workspace, balance, held) select $1, $2, 0 where $2::bigint >= 0
       on conflict (workspace) do update set balance = p.balance + excluded.balance returning workspace
     ), taken as (
       update credit_pools set balance = balance + $2::bigint
       where workspace = $1 and $2::bigint < 0 and balance + $2::bigint >= 0 returning workspace
     )
     insert into credit_entries (workspace, kind, amount, note)
     select workspace, 'grant', $2, $3 from (select * from pool union all select * from taken) as changed`,
    [workspace, amount, note],
  );
}

/** The balances of these pools, locked until the transaction ends; always in one order, so that none waits in a circle. */
export async function lockPools(tx: Tx, workspaces: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await tx.query<{ workspace: string; balance: number }>(
    `select workspace, balance from credit_pools where workspace = any ($1::text[]) order by workspace for no key update`,
    [workspaces],
  );
  return new Map(rows.map(({ workspace, balance }) => [workspace, balance]));
}

export interface Reservation {
  readonly executionId: string;
  readonly workspace: string;
  readonly workflowId: string;
  readonly amount: number;
}

/**
 * Sets the estimates of new runs aside; the constraint refuses to pass a balance. A run whose cost is not known yet reserves
 * nothing, and so needs no pool and no entry.
 */
export async function insertReservations(tx: Tx, reservations: readonly Reservation[]): Promise<void> {
  await tx.query(
    `with input as (
       select * from json_to_recordset($1::json) as i("executionId" text, workspace text, "workflowId" text, amount bigint)
     ), pools as (
       update credit_pools p set balance = p.balance - s.amount, held = p.held + s.amount
       from (select workspace, sum(amount) as amount from input where amount > 0 group by workspace) s
       where p.workspace = s.workspace
     ), entries as (
       insert into credit_entries (workspace, kind, amount, execution_id, workflow_id)
       select workspace, 'hold', amount, "executionId", "workflowId" from input where amount > 0
     )
     insert into run_credits (execution_id, workspace, workflow_id, estimated, held)
     select "executionId", workspace, "workflowId", amount, amount from input`,
    [JSON.stringify(reservations)],
  );
}

/** What is set aside for a run and what it was charged, and who may spend it. */
export interface Coverage {
  readonly execution_id: string;
  readonly charged: number;
  readonly held: number;
  readonly lease: number;
  readonly has_ended: boolean;
}

/** Of runs that may cost. While a worker has a run by its lease number nobody else lowers what covers its calls. */
export function listCoverage(tx: Tx, executionIds: readonly string[]): Promise<readonly Coverage[]> {
  return all(
    tx,
    `select r.execution_id, r.charged, r.held, e.lease, e.finished_at is not null as has_ended
     from run_credits r join executions e on e.id = r.execution_id where r.execution_id = any ($1::text[])`,
    [executionIds],
  );
}

/** What a raise of a run's reservation came to: it was high enough, it was raised, or the balance is too small. */
export type Raise = 'none' | 'raised' | 'refused';

/**
 * Raises what is set aside for a run until that and what it was charged come to `total`. Refused where the balance does
 * not cover it, or the run has no reservation at all.
 */
export async function raiseReservation(tx: Tx, executionId: string, total: number): Promise<Raise> {
  const { rows } = await tx.query<{ missing: number; workspace: string; workflow_id: string }>(
    `select greatest($2::bigint - held - charged, 0) as missing, workspace, workflow_id
     from run_credits where execution_id = $1 for no key update`,
    [executionId, total],
  );
  const run = rows[0];
  if (run === undefined) return 'refused';
  if (run.missing === 0) return 'none';
  const { rowCount } = await tx.query(
    `with pool as (
       update credit_pools set balance = balance - $2::bigint, held = held + $2::bigint
       where workspace = $3 and balance >= $2::bigint returning workspace
     ), run as (
       update run_credits set held = held + $2::bigint where execution_id = $1 and exists (select from pool)
     )
     insert into credit_entries (workspace, kind, amount, execution_id, workflow_id)
     select workspace, 'hold', $2, $1, $4 from pool`,
    [executionId, run.missing, run.workspace, run.workflow_id],
  );
  return rowCount === 1 ? 'raised' : 'refused';
}

export interface NodeCharge {
  readonly executionId: string;
  readonly nodeId: string;
  readonly nodeType: string | null;
  /** What the node has cost so far. */
  readonly total: number;
}

/**
 * Takes out of what is set aside for runs what their nodes have cost so far, less what was charged for them before; the
 * constraint refuses to pass a reservation. The caller has locked the executions and the pools; a node is named once.
 */
export async function chargeNodes(tx: Tx, charges: readonly NodeCharge[]): Promise<void> {
  await tx.query(
    `with input as (
       select * from json_to_recordset($1::json) as i("executionId" text, "nodeId" text, "nodeType" text, total bigint)
     ), due as materialized (
       select i."executionId" as execution_id, i."nodeId" as node_id, i."nodeType" as node_type, i.total - coalesce((
         select sum(c.amount) from credit_entries c
         where c.execution_id = i."executionId" and c.node_id = i."nodeId" and c.kind = 'charge'), 0)::bigint as amount
       from input i
     ), runs as (
       update run_credits r set held = r.held - d.amount, charged = r.charged + d.amount
       from (select execution_id, sum(amount) as amount from due where amount > 0 group by execution_id) d
       where r.execution_id = d.execution_id
       returning r.execution_id, r.workspace, r.workflow_id, d.amount
     ), pools as (
       update credit_pools p set held = p.held - s.amount
       from (select workspace, sum(amount) as amount from runs group by workspace) s where p.workspace = s.workspace
     )
     insert into credit_entries (workspace, kind, amount, execution_id, workflow_id, node_id, node_type)
     select r.workspace, 'charge', d.amount, d.execution_id, r.workflow_id, d.node_id, d.node_type
     from due d join runs r using (execution_id) where d.amount > 0`,
    [JSON.stringify(charges)],
  );
}

/** Gives back what is still set aside for runs that have ended. */
export async function releaseRuns(tx: Tx, executionIds: readonly string[]): Promise<void> {
  await tx.query(
    `with left_over as (
       select execution_id, workspace, workflow_id, held from run_credits
       where execution_id = any ($1::text[]) and held > 0 for no key update
     ), runs as (
       update run_credits r set held = 0, released = r.released + l.held from left_over l where r.execution_id = l.execution_id
     ), pools as (
       update credit_pools p set balance = p.balance + s.held, held = p.held - s.held
       from (select workspace, sum(held) as held from left_over group by workspace) s where p.workspace = s.workspace
     )
     insert into credit_entries (workspace, kind, amount, execution_id, workflow_id)
     select workspace, 'release', held, execution_id, workflow_id from left_over`,
    [executionIds],
  );
}

export interface DaysSpending {
  /** Credits that the workflow may cost a day; null: any. */
  readonly budget: number | null;
  /** What its runs that were accepted on that day have cost or set aside. */
  readonly spent: number;
}

/** What the workflow of a run has spent on the UTC day on which that run was accepted. */
export async function findSpending(tx: Tx, executionId: string): Promise<DaysSpending> {
  const { rows } = await tx.query<DaysSpending>(
    `with run as (
       select workflow_id, date_trunc('day', created_at, 'UTC') as day from run_credits where execution_id = $1
     )
     select w.daily_credit_budget as budget, coalesce(sum(r.charged + r.held), 0)::bigint as spent
     from run join workflows w on w.id = run.workflow_id
     join run_credits r on r.workflow_id = run.workflow_id
       and r.created_at >= run.day and r.created_at < run.day + interval '1 day'
     group by w.daily_credit_budget`,
    [executionId],
  );
  return rows[0] ?? { budget: null, spent: 0 };
}

/** The same of workflows with a budget, today (UTC). */
export async function listSpending(
  tx: Tx,
  workflowIds: readonly string[],
): Promise<ReadonlyMap<string, DaysSpending>> {
  const { rows } = await tx.query<DaysSpending & { id: string }>(
    `select w.id, w.daily_credit_budget as budget, coalesce(sum(r.charged + r.held), 0)::bigint as spent
     from workflows w left join run_credits r on r.workflow_id = w.id and r.created_at >= date_trunc('day', now(), 'UTC')
     where w.id = any ($1::text[]) group by w.id`,
    [workflowIds],
  );
  return new Map(rows.map(({ id, ...spending }) => [id, spending]));
}

export const ENTRY_KINDS = ['grant', 'hold', 'charge', 'release'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface EntryRow {
  readonly id: number;
  readonly kind: EntryKind;
  readonly amount: number;
  readonly execution_id: string | null;
  readonly workflow_id: string | null;
  readonly node_id: string | null;
  readonly note: string | null;
  readonly created_at: Date;
}

/** Newest first. */
export function listEntries(tx: Tx, workspace: string, page: After<number>): Promise<readonly EntryRow[]> {
  return all(
    tx,
    `select id, kind, amount, execution_id, workflow_id, node_id, note, created_at from credit_entries
     where workspace = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`,
    [workspace, page.after, page.limit],
  );
}
