// Room at providers: how many calls each takes at once over all processes, who may submit, and in which turn.
import type { CallKey } from './calls.ts';
import { CHANNELS } from './channels.ts';
import type { Tx } from './db.ts';
import { all, first } from './rows.ts';

export interface ProviderLimit {
  readonly provider: string;
  /** Calls at once, as found by 429. */
  readonly calls: number;
}

export function listLimits(tx: Tx): Promise<readonly ProviderLimit[]> {
  return all(tx, 'select provider, calls from provider_limits where calls is not null');
}

/** One after the other, over all processes. Returns the number found by 429; null: none was seen. */
async function lockLimit(tx: Tx, provider: string): Promise<number | null> {
  const lock = (): Promise<{ readonly calls: number | null } | undefined> => {
    return first(tx, 'select calls from provider_limits where provider = $1 for no key update', [provider]);
  };
  const found = await lock();
  if (found !== undefined) return found.calls;
  await tx.query('insert into provider_limits (provider) values ($1) on conflict do nothing', [provider]);
  return (await lock())?.calls ?? null;
}

/** The smaller of the two; null: no limit. */
function smallerLimit(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

export interface NewSlot extends CallKey {
  readonly workspace: string;
  readonly deadline_at: Date;
}

/**
 * Gives each call room at the provider, as far as there is and nobody waits; the others wait as rows. Returns the places of
 * those in the list that have room. `most`: the operator's number. The caller's transaction keeps other processes out.
 */
export async function claimSlots(
  tx: Tx,
  provider: string,
  calls: readonly NewSlot[],
  maxConcurrent: number | null,
): Promise<ReadonlySet<number>> {
  const limit = smallerLimit(await lockLimit(tx, provider), maxConcurrent);
  const { rows } = await tx.query<{ index: number }>(CLAIM_SLOTS, [
    provider,
    limit,
    JSON.stringify(calls.map((call, index) => ({ ...call, index }))),
  ]);
  return new Set(rows.map(({ index }) => index));
}

const CLAIM_SLOTS = `
with input as materialized (
  select * from json_to_recordset($3::json) as i(
    index int, execution_id text, node_id text, item int, workspace text, deadline_at timestamptz)
), free as materialized (
  select case
    when exists (select from calls where provider = $1 and slot_at is null) then 0
    when $2::int is null then 2147483647
    else greatest($2::int - (select count(*) from calls where provider = $1 and ended_at is null and slot_at is not null), 0) end as slots
), stored as (
  insert into calls as c (execution_id, node_id, item, workspace, provider, slot_at, submitted_at, due_at, deadline_at)
  select execution_id, node_id, item, workspace, $1, case when index < (select slots from free) then now() end, now(), deadline_at, deadline_at
  from input
  on conflict (execution_id, node_id, item) do update set slot_at = coalesce(c.slot_at, excluded.slot_at)
  returning c.execution_id, c.node_id, c.item, c.slot_at
)
select i.index from stored s join input i using (execution_id, node_id, item) where s.slot_at is not null`;

/**
 * Calls that wait for room and may have it now: those of the workspaces that have the fewest, in order of arrival, and all
 * whose time is over. The caller's transaction keeps other processes out until they have been admitted.
 */
export async function nextWaitingCalls(
  tx: Tx,
  provider: string,
  { limit, batch }: { readonly limit: number | null; readonly batch: number },
): Promise<readonly CallKey[]> {
  const most = smallerLimit(await lockLimit(tx, provider), limit);
  return all(tx, NEXT_WAITING_CALLS, [provider, most, batch]);
}

// Each waiting workspace is found by one step in the index, however many calls it has waiting.
const NEXT_WAITING_CALLS = `
with recursive taken as materialized (
  select workspace, count(*) as slots from calls
  where provider = $1 and ended_at is null and slot_at is not null group by workspace
), free as materialized (
  select least($3::int, case when $2::int is null then $3 else
    greatest($2::int - (select coalesce(sum(slots), 0) from taken), 0) end)::int as slots
), workspaces as (
  (select workspace from calls where provider = $1 and slot_at is null order by workspace limit 1)
  union all
  select (select c.workspace from calls c where c.provider = $1 and c.slot_at is null and c.workspace > w.workspace
          order by c.workspace limit 1)
  from workspaces w where w.workspace is not null
), turns as (
  select c.*, coalesce(t.slots, 0) + row_number() over (partition by w.workspace order by c.submitted_at) as turn
  from workspaces w left join taken t using (workspace) cross join lateral (
    select execution_id, node_id, item, submitted_at from calls
    where provider = $1 and workspace = w.workspace and slot_at is null
    order by submitted_at limit (select slots from free)) c
), chosen as (
  select execution_id, node_id, item from turns order by turn, submitted_at limit (select slots from free)
)
select execution_id, node_id, item from chosen
union
(select execution_id, node_id, item from calls where provider = $1 and slot_at is null and deadline_at <= now() limit $3)`;

/** Gives calls the room they waited for; the caller wakes their runs in the same transaction. */
export async function grantSlots(tx: Tx, calls: readonly CallKey[]): Promise<void> {
  await tx.query(
    `update calls c set slot_at = now()
     from json_to_recordset($1::json) as i(execution_id text, node_id text, item int)
     where c.execution_id = i.execution_id and c.node_id = i.node_id and c.item = i.item and c.slot_at is null`,
    [JSON.stringify(calls)],
  );
}

/**
 * The provider has turned a submission away: it takes half of what it has, here and as rows. Refusals of one second are of
 * the same burst and count once.
 */
export async function shrinkLimit(tx: Tx, provider: string, callsHere: number): Promise<void> {
  await tx.query(
    `with shrunk as (
       insert into provider_limits as l (provider, calls, shrunk_at)
       select $1::text, greatest(1, greatest(count(*), $2::int) / 2), now()
       from calls where provider = $1 and ended_at is null and slot_at is not null
       on conflict (provider) do update
         set calls = greatest(1, least(excluded.calls, coalesce(l.calls / 2, excluded.calls))), shrunk_at = now()
         where l.shrunk_at is null or l.shrunk_at < now() - interval '1 second'
       returning provider
     )
     select pg_notify('${CHANNELS.limits}', provider) from shrunk`,
    [provider, callsHere],
  );
}

/** The provider has taken so many submissions since the last time. */
export async function growLimit(tx: Tx, provider: string, submissions: number): Promise<void> {
  await tx.query(
    'update provider_limits set calls = least(calls + $2::int, 1000000) where provider = $1 and calls is not null',
    [provider, submissions],
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

/** Moves what a model usually takes by a fifth of the difference. Returns what it is then. */
export function learnDurations(tx: Tx, seen: readonly ModelDuration[]): Promise<readonly ModelDuration[]> {
  return all(
    tx,
    `insert into model_durations as d (provider, model, usual_ms)
     select provider, model, usual_ms from json_to_recordset($1::json) as i(provider text, model text, usual_ms int)
     order by provider, model
     on conflict (provider, model) do update set usual_ms = d.usual_ms + (excluded.usual_ms - d.usual_ms) / 5
     returning provider, model, usual_ms`,
    [JSON.stringify(seen)],
  );
}
