// Stores the concurrency limit of each limiter, grants its slots to waiting calls, and records how long models take.
import type { CallKey } from './calls.ts';
import type { Tx } from './db.ts';
import { CHANNELS } from './db.ts';
import { all, first, valueSet } from './rows.ts';

export interface ProviderLimit {
  /** A provider's name, or the id of a stored credential. */
  readonly limiter: string;
  /** The limit for concurrent calls, learned from 429 responses. */
  readonly calls: number;
}

export function listLimits(tx: Tx): Promise<readonly ProviderLimit[]> {
  return all(tx, 'select provider as limiter, calls from provider_limits where calls is not null');
}

/**
 * Locks the limiter's limit until the transaction ends. Returns the limit learned from 429 responses, or null if there is
 * none.
 */
async function lockLearnedLimit(tx: Tx, limiter: string): Promise<number | null> {
  const lock = (): Promise<{ readonly calls: number | null } | undefined> => {
    return first(tx, 'select calls from provider_limits where provider = $1 for no key update', [limiter]);
  };
  const row = await lock();
  if (row !== undefined) return row.calls;
  await tx.query('insert into provider_limits (provider) values ($1) on conflict do nothing', [limiter]);
  return (await lock())?.calls ?? null;
}

/** Returns the smaller limit. Null means unlimited. */
function minLimit(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

/** A call that needs a slot. */
export interface SlotRequest extends CallKey {
  readonly workspace: string;
  /** The stored credential and its value; null for the environment's credential. */
  readonly credential_id: string | null;
  readonly value_id: string | null;
  readonly deadline_at: Date;
}

/** A provider and one of its limiters. */
export interface LimitedProvider {
  readonly provider: string;
  readonly limiter: string;
}

/**
 * Stores the calls and gives them free slots, unless other calls already wait. Calls without a slot wait for one.
 * Returns the indexes of the calls that got a slot. `maxConcurrent` is the operator's limit. Locks the limit until the
 * transaction ends.
 */
export async function claimSlots(
  tx: Tx,
  { provider, limiter }: LimitedProvider,
  calls: readonly SlotRequest[],
  maxConcurrent: number | null,
): Promise<ReadonlySet<number>> {
  const limit = minLimit(await lockLearnedLimit(tx, limiter), maxConcurrent);
  return valueSet(tx, CLAIM_SLOTS, [
    provider,
    limit,
    JSON.stringify(calls.map((call, index) => ({ ...call, index }))),
    limiter,
  ]);
}

const CLAIM_SLOTS = `
with input as materialized (
  select * from json_to_recordset($3::json) as i(
    index int, execution_id text, node_id text, item int, workspace text, credential_id text, value_id text, deadline_at timestamptz)
), free as materialized (
  select case
    when exists (select from calls where provider = $1 and limiter = $4 and slot_at is null) then 0
    when $2::int is null then 2147483647
    else greatest($2::int - (select count(*) from calls where limiter = $4 and ended_at is null and slot_at is not null), 0) end as slots
), stored as (
  insert into calls as c (execution_id, node_id, item, workspace, provider, credential_id, value_id, slot_at, submitted_at, due_at, deadline_at)
  select execution_id, node_id, item, workspace, $1, credential_id, value_id, case when index < (select slots from free) then now() end,
    now(), deadline_at, deadline_at
  from input
  on conflict (execution_id, node_id, item) do update set slot_at = coalesce(c.slot_at, excluded.slot_at)
  returning c.execution_id, c.node_id, c.item, c.slot_at
)
select i.index from stored s join input i using (execution_id, node_id, item) where s.slot_at is not null`;

/**
 * Lists the waiting calls that can get a slot now, and waiting calls whose deadline has passed. The calls alternate
 * between workspaces, starting with those that have the fewest slots. Locks the limit until the transaction ends.
 */
export async function listNextWaitingCalls(
  tx: Tx,
  { provider, limiter }: LimitedProvider,
  { maxConcurrent, maxCalls }: { readonly maxConcurrent: number | null; readonly maxCalls: number },
): Promise<readonly CallKey[]> {
  const maxSlots = minLimit(await lockLearnedLimit(tx, limiter), maxConcurrent);
  return all(tx, NEXT_WAITING_CALLS, [provider, maxSlots, maxCalls, limiter]);
}

// Finds each waiting workspace with one index lookup, regardless of its number of waiting calls.
const NEXT_WAITING_CALLS = `
with recursive taken as materialized (
  select workspace, count(*) as slots from calls
  where limiter = $4 and ended_at is null and slot_at is not null group by workspace
), free as materialized (
  select least($3::int, case when $2::int is null then $3 else
    greatest($2::int - (select coalesce(sum(slots), 0) from taken), 0) end)::int as slots
), workspaces as (
  (select workspace from calls where provider = $1 and limiter = $4 and slot_at is null order by workspace limit 1)
  union all
  select (select c.workspace from calls c where c.provider = $1 and c.limiter = $4 and c.slot_at is null and c.workspace > w.workspace
          order by c.workspace limit 1)
  from workspaces w where w.workspace is not null
), turns as (
  select c.*, coalesce(t.slots, 0) + row_number() over (partition by w.workspace order by c.submitted_at) as turn
  from workspaces w left join taken t using (workspace) cross join lateral (
    select execution_id, node_id, item, submitted_at from calls
    where provider = $1 and limiter = $4 and workspace = w.workspace and slot_at is null
    order by submitted_at limit (select slots from free)) c
), chosen as (
  select execution_id, node_id, item from turns order by turn, submitted_at limit (select slots from free)
)
select execution_id, node_id, item from chosen
union
(select execution_id, node_id, item from calls where provider = $1 and limiter = $4 and slot_at is null and deadline_at <= now() limit $3)`;

/** Grants slots to waiting calls. The caller must wake the runs of these calls in the same transaction. */
export async function grantSlots(tx: Tx, calls: readonly CallKey[]): Promise<void> {
  await tx.query(
    `update calls c set slot_at = now()
     from json_to_recordset($1::json) as i(execution_id text, node_id text, item int)
     where c.execution_id = i.execution_id and c.node_id = i.node_id and c.item = i.item and c.slot_at is null`,
    [JSON.stringify(calls)],
  );
}

/**
 * Halves the limit after the provider rejected a submission. Rejections within one second belong to the same burst and
 * count once.
 */
export async function shrinkLimit(tx: Tx, limiter: string, activeCalls: number): Promise<void> {
  await tx.query(
    `with shrunk as (
       insert into provider_limits as l (provider, calls, shrunk_at)
       select $1::text, greatest(1, greatest(count(*), $2::int) / 2), now()
       from calls where limiter = $1 and ended_at is null and slot_at is not null
       on conflict (provider) do update
         set calls = greatest(1, least(excluded.calls, coalesce(l.calls / 2, excluded.calls))), accepted = 0, shrunk_at = now()
         where l.shrunk_at is null or l.shrunk_at < now() - interval '1 second'
       returning provider
     )
     select pg_notify('${CHANNELS.limits}', provider) from shrunk`,
    [limiter, activeCalls],
  );
}

/**
 * Raises each learned limit by one if the provider has accepted as many submissions as the limit allows concurrent calls.
 * With one per submission, the limit would double each time that calls of equal length end, and exceed the provider's.
 */
export async function growLimits(
  tx: Tx,
  submissions: readonly { readonly limiter: string; readonly count: number }[],
): Promise<void> {
  await tx.query(
    `update provider_limits l set
       calls = case when l.accepted + i.count < l.calls then l.calls else least(l.calls + 1, 1000000) end,
       accepted = case when l.accepted + i.count < l.calls then l.accepted + i.count else 0 end
     from (select * from json_to_recordset($1::json) as i(limiter text, count int) order by limiter) i
     where l.provider = i.limiter and l.calls is not null`,
    [JSON.stringify(submissions)],
  );
}

export interface ModelDuration {
  readonly provider: string;
  readonly model: string;
  readonly usual_ms: number;
}

export function listDurations(tx: Tx): Promise<readonly ModelDuration[]> {
  return all(tx, 'select provider, model, usual_ms from model_durations');
}

/** Moves each model's usual duration a fifth of the way toward the measured one. Returns the new durations. */
export function recordDurations(
  tx: Tx,
  durations: readonly ModelDuration[],
): Promise<readonly ModelDuration[]> {
  return all(
    tx,
    `insert into model_durations as d (provider, model, usual_ms)
     select provider, model, usual_ms from json_to_recordset($1::json) as i(provider text, model text, usual_ms int)
     order by provider, model
     on conflict (provider, model) do update set usual_ms = d.usual_ms + (excluded.usual_ms - d.usual_ms) / 5
     returning provider, model, usual_ms`,
    [JSON.stringify(durations)],
  );
}
