// Stores the credit ledger. Each function changes entries, pools and runs in one statement, so that a pool always equals
// the sum of its entries.
import type { Tx } from './db.ts';
import { all, first, firstValue, matches, type PageRange } from './rows.ts';
import { NO_KEY, type Spender } from './spenders.ts';

export interface Pool {
  readonly balance: number;
  readonly held: number;
}

/** Returns the pool of a workspace. A workspace without grants has an empty pool. */
export async function getPool(tx: Tx, workspace: string): Promise<Pool> {
  const pool = await first<Pool>(tx, 'select balance, held from credit_pools where workspace = $1', [
    workspace,
  ]);
  return pool ?? { balance: 0, held: 0 };
}

/** Credits are low below a tenth of what the pool had after the last grant. */
const LOW_DIVISOR = 10;

/** Adds to the balance, or subtracts a negative amount. Returns false if the balance is too low. */
export function grant(tx: Tx, workspace: string, amount: number, note: string): Promise<boolean> {
  return matches(
    tx,
    `with pool as (
       insert into credit_pools as p (workspace, balance, held, low_below)
       select $1, $2, 0, $2::bigint / ${LOW_DIVISOR} where $2::bigint >= 0
       on conflict (workspace) do update set balance = p.balance + excluded.balance,
         low_below = (p.balance + p.held + excluded.balance) / ${LOW_DIVISOR}
       returning workspace
     ), taken as (
       update credit_pools set balance = balance + $2::bigint
       where workspace = $1 and $2::bigint < 0 and balance + $2::bigint >= 0 returning workspace
     )
     insert into credit_entries (workspace, kind, amount, note)
     select workspace, 'grant', $2, $3 from (select * from pool union all select * from taken) as changed`,
    [workspace, amount, note],
  );
}

export interface LockedPool {
  readonly balance: number;
  /** The daily budget of the workspace in credits; null if there is no limit. */
  readonly daily_budget: number | null;
}

/** Locks pools until the transaction ends. Always locks in the same order, so that transactions cannot deadlock. */
export async function lockPools(
  tx: Tx,
  workspaces: readonly string[],
): Promise<ReadonlyMap<string, LockedPool>> {
  const { rows } = await tx.query<LockedPool & { workspace: string }>(
    `select workspace, balance, daily_budget from credit_pools
     where workspace = any ($1::text[]) order by workspace for no key update`,
    [workspaces],
  );
  return new Map(rows.map(({ workspace, ...pool }) => [workspace, pool]));
}

/** Sets the daily budget of a workspace, or removes the limit if `budget` is null. */
export async function setDailyBudget(tx: Tx, workspace: string, budget: number | null): Promise<void> {
  await tx.query(
    `insert into credit_pools (workspace, balance, held, daily_budget) values ($1, 0, 0, $2)
     on conflict (workspace) do update set daily_budget = excluded.daily_budget`,
    [workspace, budget],
  );
}

export interface Reservation {
  readonly executionId: string;
  /** The workspace that pays. */
  readonly workspace: string;
  readonly workflowId: string;
  /** The app that started the run. */
  readonly appId: string | null;
  /** Whether a visitor of the app pays, and not the workspace of the workflow. */
  readonly isPaidByVisitor: boolean;
  readonly spender: Spender;
  readonly amount: number;
}

/**
 * Returns the id that the ledger shows its workspace as the source of a cost, in the columns `workflow_id`: the workflow, or
 * the app if a visitor pays, who must not learn the workflow, its nodes and models.
 */
const getSourceId = ({
  isPaidByVisitor,
  workflowId,
  appId,
}: Pick<Reservation, 'isPaidByVisitor' | 'workflowId' | 'appId'>): string =>
  isPaidByVisitor ? (appId ?? '') : workflowId;

/** Returns an SQL condition: whether the source in the column is an app, so that a visitor pays. */
const isAppSource = (column: string): string => `${column} like 'app\\_%'`;

/** Reserves the estimates of new runs. A constraint rejects negative balances. A run of unknown cost reserves nothing. */
export async function insertReservations(tx: Tx, reservations: readonly Reservation[]): Promise<void> {
  await tx.query(
    `with input as (
       select * from json_to_recordset($1::json) as i(
         "executionId" text, workspace text, "sourceId" text, "appId" text, "userId" int, "keyId" text, amount bigint)
     ), pools as (
       update credit_pools p set balance = p.balance - s.amount, held = p.held + s.amount
       from (select workspace, sum(amount) as amount from input where amount > 0 group by workspace) s
       where p.workspace = s.workspace
     ), entries as (
       insert into credit_entries (workspace, kind, amount, execution_id, workflow_id, user_id, key_id)
       select workspace, 'hold', amount, "executionId", "sourceId", "userId", "keyId" from input where amount > 0
     )
     insert into run_credits (execution_id, workspace, workflow_id, app_id, user_id, key_id, estimated, held)
     select "executionId", workspace, "sourceId", "appId", "userId", "keyId", amount, amount from input`,
    [
      JSON.stringify(
        reservations.map(({ spender: { userId, keyId }, ...reservation }) => ({
          ...reservation,
          sourceId: getSourceId(reservation),
          userId,
          keyId: keyId ?? NO_KEY,
        })),
      ),
    ],
  );
}

/** The credits that are reserved for and charged to a run, and the lease that may spend them. */
export interface Coverage {
  readonly execution_id: string;
  readonly charged: number;
  readonly held: number;
  readonly lease: number;
  readonly has_ended: boolean;
}

/** Lists the coverage of runs that may cost credits. Only the worker that holds a run's lease lowers the run's coverage. */
export function listCoverage(tx: Tx, executionIds: readonly string[]): Promise<readonly Coverage[]> {
  return all(
    tx,
    `select r.execution_id, r.charged, r.held, e.lease, e.finished_at is not null as has_ended
     from run_credits r join executions e on e.id = r.execution_id where r.execution_id = any ($1::text[])`,
    [executionIds],
  );
}

/** `none`: the reservation was high enough; `refused`: the balance is too low, or there is no reservation. */
export type RaiseResult = 'none' | 'raised' | 'refused';

/** Raises the reservation of a run so that the reservation and the charges add up to `total`. */
export async function raiseReservation(tx: Tx, executionId: string, total: number): Promise<RaiseResult> {
  const run = await first<{ missing: number; workspace: string }>(
    tx,
    `select greatest($2::bigint - held - charged, 0) as missing, workspace
     from run_credits where execution_id = $1 for no key update`,
    [executionId, total],
  );
  if (run === undefined) return 'refused';
  if (run.missing === 0) return 'none';
  const { rowCount } = await tx.query(
    `with pool as (
       update credit_pools set balance = balance - $2::bigint, held = held + $2::bigint
       where workspace = $3 and balance >= $2::bigint returning workspace
     ), run as (
       update run_credits set held = held + $2::bigint where execution_id = $1 and exists (select from pool)
       returning workflow_id, user_id, key_id
     )
     insert into credit_entries (workspace, kind, amount, execution_id, workflow_id, user_id, key_id)
     select $3, 'hold', $2, $1, workflow_id, user_id, key_id from run`,
    [executionId, run.missing, run.workspace],
  );
  return rowCount === 1 ? 'raised' : 'refused';
}

/** The cost of a node: `total` so far, or `add` to its earlier charges. */
export type NodeCharge = {
  readonly executionId: string;
  readonly nodeId: string;
  readonly nodeType: string | null;
  /** The provider of the calls and their credential, as far as they are known. */
  readonly provider?: string;
  readonly credentialId?: string;
} & ({ readonly total: number } | { readonly add: number });

/**
 * Charges runs for their nodes, minus earlier charges: first from the run's reservation, then from the pool's balance. An
 * amount that neither covers is recorded as `overrun` and not charged. The caller has locked the executions and the
 * pools, and passes each node once. Returns the pools that this charge made low.
 */
export function chargeNodes(tx: Tx, charges: readonly NodeCharge[]): Promise<readonly LowPool[]> {
  return all(tx, CHARGE_NODES, [JSON.stringify(charges)]);
}

export interface LowPool {
  readonly workspace: string;
  /** The name of the team; null for a personal pool. */
  readonly team_name: string | null;
  /** The sum of the balance and the reserved credits. */
  readonly remaining: number;
}

// The runs of a pool, and the nodes of a run, are paid in the order of their ids. `upto` and `so_far` are running sums.
const CHARGE_NODES = `
with input as (
  select * from json_to_recordset($1::json) as i(
    "executionId" text, "nodeId" text, "nodeType" text, provider text, "credentialId" text, total bigint, "add" bigint)
), due as materialized (
  select i."executionId" as execution_id, i."nodeId" as node_id, i."nodeType" as node_type,
    i.provider, i."credentialId" as credential_id,
    coalesce(i."add", i.total - coalesce((
      select sum(c.amount) from credit_entries c
      where c.execution_id = i."executionId" and c.node_id = i."nodeId" and c.kind in ('charge', 'overrun')), 0))::bigint as amount
  from input i
), runs as materialized (
  select r.execution_id, r.workspace, r.workflow_id, r.user_id, r.key_id, r.held, sum(d.amount)::bigint as amount,
    greatest(sum(d.amount) - r.held, 0)::bigint as missing
  from due d join run_credits r using (execution_id) where d.amount > 0
  group by r.execution_id
), covered as materialized (
  select r.*, greatest(least(r.missing, coalesce(p.balance, 0) - (r.upto - r.missing)), 0)::bigint as extra
  from (select *, sum(missing) over (partition by workspace order by execution_id) as upto from runs) r
  left join credit_pools p using (workspace)
), paid as materialized (
  select *, (amount - missing + extra)::bigint as charge from covered
), run_rows as (
  update run_credits r set held = r.held + p.extra - p.charge, charged = r.charged + p.charge
  from paid p where r.execution_id = p.execution_id
), pools as (
  update credit_pools p set balance = p.balance - s.extra, held = p.held + s.extra - s.charge
  from (select workspace, sum(extra) as extra, sum(charge) as charge from paid group by workspace) s
  where p.workspace = s.workspace
  returning p.workspace, p.balance + p.held as remaining, s.charge, p.low_below
), nodes as materialized (
  -- Hides the models of an app from a visitor who pays for its run.
  select d.*, ${['node_type', 'provider', 'credential_id']
    .map(
      column => `case when ${isAppSource('p.workflow_id')} then null else d.${column} end as shown_${column}`,
    )
    .join(', ')},
    p.workspace, p.workflow_id, p.user_id, p.key_id, greatest(least(d.amount, p.charge - (d.so_far - d.amount)), 0)::bigint as charge
  from (select *, sum(amount) over (partition by execution_id order by node_id) as so_far from due where amount > 0) d
  join paid p using (execution_id)
), entries as (
insert into credit_entries (workspace, kind, amount, execution_id, workflow_id, user_id, key_id, node_id, node_type, provider, credential_id)
select workspace, 'hold', extra, execution_id, workflow_id, user_id, key_id, null, null, null, null from paid where extra > 0
union all
select workspace, 'charge', charge, execution_id, workflow_id, user_id, key_id, node_id, shown_node_type, shown_provider,
  shown_credential_id from nodes where charge > 0
union all
select workspace, 'overrun', amount - charge, execution_id, workflow_id, user_id, key_id, node_id, shown_node_type, shown_provider,
  shown_credential_id from nodes where amount > charge
)
select workspace, (select t.name from teams t where t.id = workspace) as team_name, remaining from pools
where remaining < low_below and remaining + charge >= low_below order by workspace`;

/**
 * Releases the remaining reservations of ended runs, except for provider calls that are being cancelled. The
 * credits of these calls are charged or released when the provider reports whether it bills the calls.
 */
export async function releaseRuns(tx: Tx, executionIds: readonly string[]): Promise<void> {
  await tx.query(
    `with left_over as (
       select r.execution_id, r.workspace, r.workflow_id, r.user_id, r.key_id, greatest(r.held - coalesce((
         select sum(c.credits) from calls c
         where c.execution_id = r.execution_id and c.job_id is not null and c.slot_at is not null), 0), 0)::bigint as free
       from run_credits r where r.execution_id = any ($1::text[]) and r.held > 0 for no key update
     ), runs as (
       update run_credits r set held = r.held - l.free, released = r.released + l.free
       from left_over l where r.execution_id = l.execution_id
     ), pools as (
       update credit_pools p set balance = p.balance + s.free, held = p.held - s.free
       from (select workspace, sum(free) as free from left_over group by workspace) s where p.workspace = s.workspace
     )
     insert into credit_entries (workspace, kind, amount, execution_id, workflow_id, user_id, key_id)
     select workspace, 'release', free, execution_id, workflow_id, user_id, key_id from left_over where free > 0`,
    [executionIds],
  );
}

/** The tables whose rows may have a daily budget. `runs`: the column of `run_credits` that refers to these rows. */
const BUDGET_OWNERS = {
  workflow: { table: 'workflows', id: 'id', budget: 'daily_credit_budget', runs: 'workflow_id' },
  app: { table: 'apps', id: 'id', budget: 'daily_credits', runs: 'app_id' },
  workspace: { table: 'credit_pools', id: 'workspace', budget: 'daily_budget', runs: 'workspace' },
} as const;
export type BudgetOwner = keyof typeof BUDGET_OWNERS;

export interface DailySpending {
  /** In credits; null if there is no limit. */
  readonly budget: number | null;
  /** Credits charged to and reserved for the runs that were accepted that day, whoever pays. */
  readonly spent: number;
}

/** Returns today's spending (UTC) by id. Leaves out ids without a budget. */
export async function listSpendingToday(
  tx: Tx,
  owner: BudgetOwner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DailySpending>> {
  const { table, id, budget, runs } = BUDGET_OWNERS[owner];
  const rows = await all<DailySpending & { readonly id: string }>(
    tx,
    `select b.${id} as id, b.${budget} as budget, coalesce(sum(r.charged + r.held), 0)::bigint as spent
     from ${table} b left join run_credits r on r.${runs} = b.${id} and r.created_at >= date_trunc('day', now(), 'UTC')
     where b.${id} = any ($1::text[]) and b.${budget} is not null group by b.${id}`,
    [ids],
  );
  return new Map(rows.map(row => [row.id, row]));
}

/** Returns the spending of the run's workflow, app or payer on the day (UTC) on which the run was accepted. */
export async function findSpendingOfRunDay(
  tx: Tx,
  owner: BudgetOwner,
  executionId: string,
): Promise<DailySpending> {
  const { table, id, budget, runs } = BUDGET_OWNERS[owner];
  const spending = await first<DailySpending>(
    tx,
    `with run as (
       select ${runs} as id, date_trunc('day', created_at, 'UTC') as day from run_credits where execution_id = $1
     )
     select b.${budget} as budget, sum(r.charged + r.held)::bigint as spent
     from run join ${table} b on b.${id} = run.id and b.${budget} is not null
     join run_credits r on r.${runs} = run.id and r.created_at >= run.day and r.created_at < run.day + interval '1 day'
     group by b.${budget}`,
    [executionId],
  );
  return spending ?? { budget: null, spent: 0 };
}

/** Locks apps until the transaction ends, so that no other transaction spends their budgets. Lock the pools first. */
export async function lockApps(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query('select from apps where id = any ($1::text[]) order by id for no key update', [ids]);
}

/** Returns the app that started a run that may cost credits. */
export function findAppOfRun(tx: Tx, executionId: string): Promise<string | undefined> {
  return firstValue(tx, 'select app_id from run_credits where execution_id = $1', [executionId]);
}

/** Locks the pools that pay for the runs until the transaction ends, in the same order as `lockPools`. */
export async function lockPoolsOfRuns(tx: Tx, executionIds: readonly string[]): Promise<void> {
  await tx.query(
    `select from credit_pools p where workspace in (
       select r.workspace from run_credits r where r.execution_id = any ($1::text[]))
     order by workspace for no key update`,
    [executionIds],
  );
}

export const ENTRY_KINDS = ['grant', 'hold', 'charge', 'release', 'overrun'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface EntryRow {
  readonly id: number;
  readonly kind: EntryKind;
  readonly amount: number;
  readonly execution_id: string | null;
  /** The source of the cost (`getSourceId`). */
  readonly workflow_id: string | null;
  readonly node_id: string | null;
  readonly note: string | null;
  readonly created_at: Date;
}

/** Lists entries, newest first. */
export function listEntries(
  tx: Tx,
  workspace: string,
  page: PageRange<number>,
): Promise<readonly EntryRow[]> {
  return all(
    tx,
    // Hides the nodes of an app from a visitor who paid for its run.
    `select id, kind, amount, execution_id, workflow_id,
       case when ${isAppSource('workflow_id')} then null else node_id end as node_id, note, created_at from credit_entries
     where workspace = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`,
    [workspace, page.after, page.limit],
  );
}
