// The writes of a run's life: accepted, claimed, advanced, ended. Each is one statement over a batch of runs,
// so that neighbours share its commit; what must happen together stands in the same statement.
import { CHANNELS } from './channels.ts';
import type { Tx } from './db.ts';
import { jobSpecs } from './queue.ts';

export interface NewRun {
  readonly id: string;
  readonly workflow_id: string;
  readonly workflow_version: number;
  readonly user_id: number;
  readonly workspace: string;
  readonly trigger: string;
  /** JSON text of inputs, metadata and options as sent. */
  readonly request: string;
  /** JSON text of {url, secret}, the secret sealed; null without a webhook. */
  readonly webhook: string | null;
  readonly watched: boolean;
  readonly nodes_total: number;
  readonly resumed_from_id: string | null;
  readonly created_at: string;
  /** Node states that are already known when the run begins (a resumed run). */
  readonly steps: readonly object[];
  readonly idempotency: { readonly route: string; readonly key: string; readonly body_hash: string } | null;
}

/** Of the runs of a batch, those that a worker is to have in hand at once. */
export interface Taking {
  readonly ids: readonly string[];
  readonly workerId: string;
  /** Set for a worker of another process: it is told of them, and gets none past that many in hand. */
  readonly most: number | null;
  /** Of a workspace, under way at once. */
  readonly maxConcurrent: number;
}

const TAKING_NONE: Taking = { ids: [], workerId: '', most: null, maxConcurrent: 0 };

export interface InsertedRun {
  readonly id: string;
  /** Set where the worker holds it now, by lease number 1. */
  readonly started_at: Date | null;
}

/**
 * Stores new runs with their idempotency keys: RUNNING in the hands of the worker that takes them, the others QUEUED with
 * a job. Not taken are runs past their workspace's number at once, and any while one of its runs waits for its turn.
 * Returns the runs that were stored: one whose idempotency key another run of the last 24 hours holds is left out, whole.
 */
export async function insertRuns(
  tx: Tx,
  runs: readonly NewRun[],
  { ids, workerId, most, maxConcurrent }: Taking = TAKING_NONE,
): Promise<ReadonlyMap<string, InsertedRun>> {
  const { rows } = await tx.query<InsertedRun>(INSERT_RUNS, [
    JSON.stringify(runs),
    ids,
    workerId,
    maxConcurrent,
    most,
  ]);
  return new Map(rows.map(row => [row.id, row]));
}

/** Who has been silent for longer is given none: less than the heartbeat that finds what was not heard, and its delay. */
export const LISTENING_SECONDS = 8;

const INSERT_RUNS = `
with input as materialized (
  select i.*, i.idempotency->>'route' as route, i.idempotency->>'key' as key, i.idempotency->>'body_hash' as body_hash,
    json_array_length(i.steps) as step_count
  from json_to_recordset($1::json) as i(
    id text, workflow_id text, workflow_version int, user_id int, workspace text, trigger text, request text,
    webhook text, watched bool, nodes_total int, resumed_from_id text, created_at timestamptz, steps json, idempotency json)
), keys as (
  insert into idempotency_keys as k (user_id, workflow_id, route, key, body_hash, execution_id)
  -- The same key twice in one batch: the first run has it.
  select distinct on (user_id, workflow_id, route, key) user_id, workflow_id, route, key, decode(body_hash, 'hex'), id
  from input where key is not null
  order by user_id, workflow_id, route, key, id
  on conflict (user_id, workflow_id, route, key) do update
    set body_hash = excluded.body_hash, execution_id = excluded.execution_id, created_at = now()
    where k.created_at < now() - interval '24 hours'
  returning execution_id
), wanted as (
  select id, workspace, row_number() over (partition by workspace order by id) as place, row_number() over (order by id) as turn
  from input where id = any ($2::text[]) and exists (
    select from workers where id = $3 and heartbeat_at > now() - interval '${LISTENING_SECONDS} seconds')
), room as (
  select workspace, $4::int - (select count(*) from executions r where r.workspace = w.workspace and r.worker_id is not null) as places
  from (select distinct workspace from wanted) w
  where not exists (select from executions p where p.workspace = w.workspace and p.parked)
), taken as (
  select id from wanted join room using (workspace)
  where place <= places and turn <= case when $5::int is null then turn
    else $5 - (select count(*) from executions r where r.worker_id = $3) end
), accepted as (
  insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request, webhook,
    watched, nodes_total, idempotency_key, resumed_from_id, created_at, seq, lease, worker_id, started_at)
  select i.id, workflow_id, workflow_version, user_id, workspace, case when t.id is null then 'QUEUED' else 'RUNNING' end,
    trigger, request, webhook, watched, nodes_total, key, resumed_from_id, created_at,
    -- As if it had been claimed a moment later: one change more.
    step_count + (t.id is not null)::int, (t.id is not null)::int, case when t.id is not null then $3 end,
    case when t.id is not null then now() end
  from input i left join taken t using (id) where key is null or i.id in (select execution_id from keys)
  returning id, started_at
), steps as (
  insert into execution_steps (execution_id, seq, steps)
  select id, step_count, steps::text
  from input where step_count > 0 and id in (select id from accepted)
), jobs as (
  ${jobSpecs("select 'run' as task, id, null::timestamptz as run_at from accepted where started_at is null")}
), told as (
  select pg_notify('${CHANNELS.assigned}', $3 || ' ' || string_agg(id, ',')) from accepted
  where started_at is not null and $5 is not null having count(*) > 0
)
select id, started_at from accepted, (select count(*) from jobs) as enqueued, (select count(*) from told) as notified`;

export interface ClaimedRun {
  readonly id: string;
  readonly lease: number;
  readonly status: 'RUNNING' | 'CANCELLING';
  readonly workflow_id: string;
  readonly workflow_version: number;
  readonly user_id: number;
  readonly workspace: string;
  readonly request: string;
  readonly webhook: string | null;
  readonly running_ms: number;
  readonly nodes_total: number;
  readonly resumed_from_id: string | null;
  /** JSON object: node id → decision. */
  readonly decisions: string | null;
  readonly created_at: Date;
  readonly started_at: Date;
}

const CLAIMED = `e.id, e.lease, e.status, e.workflow_id, e.workflow_version, e.user_id, e.workspace, e.request, e.webhook,
  e.running_ms, e.nodes_total, e.resumed_from_id, e.decisions, e.created_at, e.started_at`;

/** Runs that were given to the worker when they were accepted, and are still its own. */
export async function findGivenRuns(
  tx: Tx,
  workerId: string,
  ids: readonly string[],
): Promise<readonly ClaimedRun[]> {
  const { rows } = await tx.query<ClaimedRun>(
    `select ${CLAIMED} from executions e
     where id = any ($1::text[]) and worker_id = $2 and lease = 1 and finished_at is null`,
    [ids, workerId],
  );
  return rows;
}

/**
 * Takes runs for a worker by raising their lease numbers. Left out: runs that have ended, that a live worker holds,
 * and those past their workspace's number of runs at once or its share of the worker, which are parked until one of its
 * runs ends.
 */
export async function claimRuns(
  tx: Tx,
  claim: {
    readonly ids: readonly string[];
    readonly workerId: string;
    readonly maxConcurrent: number;
    /** Workspaces that the worker takes no more runs of for now. */
    readonly crowded: readonly string[];
  },
): Promise<readonly ClaimedRun[]> {
  const { ids, workerId, maxConcurrent, crowded } = claim;
  const { rows } = await tx.query<ClaimedRun>(CLAIM_RUNS, [ids, workerId, maxConcurrent, crowded]);
  return rows;
}

/** A worker whose heartbeat is older is dead to the others (docs/decisions/0007-runs-held-by-lease.md). */
export const TAKEOVER_SECONDS = 20;

const CLAIM_RUNS = `
with free as (
  select e.id, e.workspace from executions e
  where e.id = any ($1::text[]) and e.finished_at is null
    and (e.worker_id is null or not exists (
      select from workers w where w.id = e.worker_id and w.heartbeat_at > now() - interval '${TAKEOVER_SECONDS} seconds'))
  order by e.id for no key update
), busy as (
  select workspace, (select count(*) from executions r where r.workspace = f.workspace and r.worker_id is not null) as runs
  from (select distinct workspace from free) f
), ranked as (
  select f.id, row_number() over (partition by f.workspace order by f.id) + b.runs <= $3::int
    and f.workspace <> all ($4::text[]) as admitted
  from free f join busy b using (workspace)
), parked as (
  update executions e set parked = true from ranked r
  where e.id = any ($1::text[]) and e.id = r.id and not r.admitted and e.worker_id is null
)
update executions e
set lease = e.lease + 1, seq = e.seq + 1, worker_id = $2, parked = false, wake_at = null, started_at = coalesce(e.started_at, now()),
  status = case e.status when 'CANCELLING' then 'CANCELLING' else 'RUNNING' end
from ranked r where e.id = any ($1::text[]) and e.id = r.id and r.admitted
returning ${CLAIMED}`;

/** Locks the run where the lease number stands and it has not ended; false where it is no longer the asking worker's. */
export async function lockHeldRun(tx: Tx, run: Pick<ClaimedRun, 'id' | 'lease'>): Promise<boolean> {
  const { rowCount } = await tx.query(
    'select from executions where id = $1 and lease = $2 and finished_at is null for no key update',
    [run.id, run.lease],
  );
  return rowCount === 1;
}

export interface NewDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly event: string;
  readonly url: string;
  /** Base64 of the sealed secret. */
  readonly secret: string | null;
  readonly body: string;
}

/** News of one run, to be written together: node states, and where it leaves the worker, how. */
export interface RunWrite {
  readonly id: string;
  readonly lease: number;
  /** engine/types.ts Step, oldest first. */
  readonly steps: readonly object[];
  /** How many nodes need no more running. */
  readonly nodes_done: number;
  /** Set where the worker lets go of the run; a status with `finished_at` is the last one. */
  readonly leave: {
    readonly status: string;
    readonly error: string | null;
    readonly running_ms: number;
    readonly wake_at: string | null;
    readonly finished_at: string | null;
    readonly delivery: NewDelivery | null;
  } | null;
}

export interface WrittenRun {
  readonly id: string;
  readonly seq: number;
  readonly watched: boolean;
}

/**
 * Writes node states and endings, each on condition that the lease number still stands. In the same statement: the
 * webhook's outbox row and its job, the wake-up job of a suspended run, and a job for a parked run of the workspace.
 * Returns the runs that were written; the others have a new holder, or ended.
 */
export async function writeRuns(tx: Tx, writes: readonly RunWrite[]): Promise<readonly WrittenRun[]> {
  const { rows } = await tx.query<WrittenRun>(WRITE_RUNS, [
    JSON.stringify(writes),
    writes.map(({ id }) => id),
  ]);
  return rows;
}

// What the later parts need of the input comes back from the update, so that nothing is joined again.
const WRITE_RUNS = `
with input as materialized (
  select i.id, i.lease, i.steps, i.nodes_done, json_array_length(i.steps) as step_count, i.leave is not null as leaves,
    l.status, l.error, l.running_ms, l.wake_at, l.finished_at, l.delivery
  from json_to_recordset($1::json) as i(id text, lease int, steps json, nodes_done int, leave json)
  left join lateral json_to_record(i.leave) as l(
    status text, error text, running_ms int, wake_at timestamptz, finished_at timestamptz, delivery json) on true
), held as (
  update executions e
  set seq = e.seq + i.step_count + i.leaves::int, nodes_done = i.nodes_done,
    -- A run that waits or is handed on while its cancelling is under way still has that ahead of it.
    status = case when i.leaves and (e.status <> 'CANCELLING' or i.finished_at is not null) then i.status else e.status end,
    error = case when i.leaves then i.error else e.error end,
    running_ms = case when i.leaves then i.running_ms else e.running_ms end,
    worker_id = case when i.leaves then null else e.worker_id end,
    wake_at = i.wake_at, finished_at = i.finished_at, parked = false
  from input i
  where e.id = any ($2::text[]) and e.id = i.id and e.lease = i.lease and e.finished_at is null
  returning e.id, e.seq, e.status, e.watched, e.workspace, e.user_id, e.seq - i.leaves::int as steps_seq,
    i.steps, i.step_count, i.leaves, i.wake_at, i.delivery
), kept as (
  insert into execution_steps (execution_id, seq, steps)
  select id, steps_seq, steps::text from held where step_count > 0
), outbox as (
  insert into deliveries (id, execution_id, user_id, event_id, event, url, secret, body)
  select d.id, h.id, h.user_id, d.event_id, d.event, d.url, decode(d.secret, 'base64'), d.body
  from held h cross join lateral json_to_record(h.delivery) as d(
    id text, event_id uuid, event text, url text, secret text, body text)
  where h.delivery is not null
  returning id
), freed as (
  select workspace, count(*) as slots from held where leaves group by workspace
), unparked as (
  update executions e set parked = false
  from freed f cross join lateral (
    select p.id from executions p where p.workspace = f.workspace and p.parked order by p.id limit f.slots for update skip locked) p
  where e.id = p.id
  returning e.id
), jobs as (
  ${jobSpecs(`
    select 'deliver' as task, id, null::timestamptz as run_at from outbox
    union all select 'run', id, null from unparked
    union all select 'run', id, case when status <> 'CANCELLING' then wake_at end from held where wake_at is not null`)}
), told as (
  select pg_notify('${CHANNELS.changed}', string_agg(id, ',')) from held where watched having count(*) > 0
)
select id, seq, watched from held, (select count(*) from jobs) as enqueued, (select count(*) from told) as notified`;

/** Asks whichever worker holds the run to stop it. Returns its status, undefined where there is no such run. */
export async function markCancelling(
  tx: Tx,
  id: string,
): Promise<
  | {
      readonly lease: number;
      readonly worker_id: string | null;
      readonly status: string;
      readonly finished: boolean;
    }
  | undefined
> {
  const { rows } = await tx.query<{
    lease: number;
    worker_id: string | null;
    status: string;
    finished: boolean;
  }>(
    `update executions
     set status = case when worker_id is null or finished_at is not null then status else 'CANCELLING' end,
       seq = seq + (worker_id is not null and finished_at is null and status <> 'CANCELLING')::int
     where id = $1
     returning lease, worker_id, status, finished_at is not null as finished`,
    [id],
  );
  return rows[0];
}

/** Tells the processes that listen for it. */
export async function notifyCancel(tx: Tx, id: string): Promise<void> {
  await tx.query(`select pg_notify('${CHANNELS.cancel}', $1)`, [id]);
}
