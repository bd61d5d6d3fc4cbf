// Reads and writes the rows of runs. The changes of a group are one statement, so that the changes and their effects share
// one commit.
import type { Tx } from './db.ts';
import { CHANNELS } from './db.ts';
import type { DeliveryEvent } from './deliveries.ts';
import type { ExecutionStatus } from './executions.ts';
import { buildOriginTaskSql } from './origins.ts';
import { selectQueuedJobs } from './queue.ts';
import { all, first, insertRows, matches, valueSet } from './rows.ts';

/** The properties of a run that never change. */
export interface RunSpec {
  readonly id: string;
  readonly workflow_id: string;
  readonly workflow_version: number;
  readonly user_id: number;
  /** The API key that started the run; null if none did. */
  readonly key_id: string | null;
  readonly workspace: string;
  /** JSON text of inputs, metadata and options as sent. */
  readonly request: string;
  /** JSON text of {url, secret}, with the secret encrypted; null without a webhook. */
  readonly webhook: string | null;
  /** Whether other processes subscribe to changes of the run. */
  readonly watched: boolean;
  /** Whether the run may cost credits. Only then does it have a row in run_credits. */
  readonly is_paid: boolean;
  readonly nodes_total: number;
  readonly resumed_from_id: string | null;
  /** JSON object: provider → id of the stored credential; null if the run uses only credentials of the environment. */
  readonly credentials: string | null;
  /** Workflow id → version of the components whose calls name no version; null if there are none. */
  readonly components: Readonly<Record<string, number>> | null;
  /** W3C trace context of the request that started the run; null without tracing. */
  readonly traceparent: string | null;
  /** The origin of the run (origins.ts), such as a batch, and its key for the run, such as a row; null for a request. */
  readonly origin_id: string | null;
  readonly origin_key: string | null;
  readonly created_at: Date;
}

/** The state of a run. runs/change/lifecycle.ts defines how it changes. */
export interface RunState {
  readonly status: ExecutionStatus;
  /** Incremented by each claim. */
  readonly lease: number;
  readonly worker_id: string | null;
  /** Whether the run waits for another run of its workspace to end. */
  readonly parked: boolean;
  /** Whether the run counts toward its workspace's limit of active runs. */
  readonly under_way: boolean;
  /** Incremented by each step and each change of status. Used as the id of events. */
  readonly seq: number;
  readonly nodes_done: number;
  readonly running_ms: number;
  /** Set while no worker executes the run and its running time continues. */
  readonly running_since: Date | null;
  /** Without a worker, the time at which the run continues. With a worker, set if the run was woken. */
  readonly wake_at: Date | null;
  readonly error: string | null;
  /** JSON object: node id → decision. */
  readonly decisions: string | null;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

export type RunRow = RunSpec & RunState;

const COLUMNS = `e.id, e.workflow_id, e.workflow_version, e.user_id, e.key_id, e.workspace, e.request, e.webhook, e.watched, e.is_paid,
  e.nodes_total, e.resumed_from_id, e.credentials, e.components, e.traceparent, e.origin_id, e.origin_key, e.created_at, e.status, e.lease, e.worker_id, e.parked, e.under_way, e.seq, e.nodes_done,
  e.running_ms, e.running_since, e.wake_at, e.error, e.decisions, e.started_at, e.finished_at`;

export interface NewRun {
  readonly row: RunRow;
  readonly trigger: string;
  /** The steps that the run reuses. */
  readonly steps: readonly object[];
  readonly idempotency: IdempotencyUse | null;
  /** Whether the run waits in the queue. */
  readonly has_job: boolean;
}

export interface IdempotencyUse {
  readonly route: string;
  readonly key: string;
  readonly body_hash: string;
}

/**
 * Stores new runs with their idempotency keys and jobs. Returns the ids of the stored runs. A run is not stored if
 * another run of the last 24 hours has its idempotency key.
 */
export async function insertRuns(tx: Tx, runs: readonly NewRun[]): Promise<ReadonlySet<string>> {
  const input = runs.map(({ row, ...properties }) => ({ ...row, ...properties }));
  return valueSet(tx, INSERT_RUNS, [JSON.stringify(input)]);
}

/** The columns of a new run that are properties of its input. */
const NEW_COLUMNS = `id, workflow_id, workflow_version, user_id, key_id, workspace, status, trigger, request, webhook, watched, is_paid,
  nodes_total, resumed_from_id, credentials, components, traceparent, origin_id, origin_key, created_at, seq, lease, worker_id,
  under_way, started_at`;

const INSERT_RUNS = `
with input as materialized (
  select i.*, i.idempotency->>'route' as route, i.idempotency->>'key' as key, i.idempotency->>'body_hash' as body_hash,
    json_array_length(i.steps) as step_count
  from json_to_recordset($1::json) as i(
    id text, workflow_id text, workflow_version int, user_id int, key_id text, workspace text, trigger text, request text, webhook text,
    watched bool, is_paid bool, nodes_total int, resumed_from_id text, credentials text, components jsonb, traceparent text,
    origin_id text, origin_key text, created_at timestamptz, status text, lease int,
    worker_id text, under_way bool, seq int, started_at timestamptz, steps json, idempotency json, has_job bool)
), keys as (
  insert into idempotency_keys as k (user_id, workflow_id, route, key, body_hash, execution_id)
  -- If two runs of one group have the same key, the first run gets it.
  select distinct on (user_id, workflow_id, route, key) user_id, workflow_id, route, key, decode(body_hash, 'hex'), id
  from input where key is not null
  order by user_id, workflow_id, route, key, id
  on conflict (user_id, workflow_id, route, key) do update
    set body_hash = excluded.body_hash, execution_id = excluded.execution_id, created_at = now()
    where k.created_at < now() - interval '24 hours'
  returning execution_id
), accepted as (
  insert into executions (${NEW_COLUMNS}, idempotency_key)
  select ${NEW_COLUMNS}, key from input where key is null or id in (select execution_id from keys)
  returning id
), steps as (
  insert into execution_steps (execution_id, seq, steps)
  select id, step_count, steps::text
  from input where step_count > 0 and id in (select id from accepted)
), jobs as (
  ${selectQueuedJobs("select 'run' as task, id, null::timestamptz as run_at from input where has_job and id in (select id from accepted)")}
)
select id from accepted, (select count(*) from jobs) as enqueued`;

/** Stores the paid node types in new runs. */
export function insertRunModels(
  tx: Tx,
  rows: readonly { readonly execution_id: string; readonly model: string }[],
): Promise<void> {
  return insertRows(tx, 'run_models', rows);
}

/** A completed run that no worker executed. It contains a template's sample results. */
export interface SampleRun
  extends Pick<RunSpec, 'id' | 'workflow_id' | 'user_id' | 'workspace' | 'nodes_total'> {
  readonly steps: readonly object[];
  readonly created_at: Date;
}

export const SAMPLE_TRIGGER = 'sample';

/** Stores the sample run of the first version of a new workflow. */
export async function insertSampleRun(tx: Tx, run: SampleRun): Promise<void> {
  const { id, workflow_id, user_id, workspace, nodes_total, steps, created_at } = run;
  await tx.query(
    `with run as (
       insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request, watched,
         is_paid, nodes_total, nodes_done, created_at, started_at, finished_at, seq, lease, under_way)
       values ($1, $2, 1, $3, $4, 'COMPLETED', '${SAMPLE_TRIGGER}', '{}', false, false, $5, $5, $6, $6, $6, $7, 0, false)
     )
     insert into execution_steps (execution_id, seq, steps) values ($1, $7, $8)`,
    [id, workflow_id, user_id, workspace, nodes_total, created_at, steps.length, JSON.stringify(steps)],
  );
}

/** Returns the sample run of a workflow. */
export async function findSampleRun(
  tx: Tx,
  workflowId: string,
): Promise<{ readonly id: string; readonly workflow_version: number } | undefined> {
  return first(
    tx,
    `select id, workflow_version from executions where workflow_id = $1 and trigger = '${SAMPLE_TRIGGER}'
     order by id limit 1`,
    [workflowId],
  );
}

export function listRuns(tx: Tx, ids: readonly string[]): Promise<readonly RunRow[]> {
  return all(tx, `select ${COLUMNS} from executions e where e.id = any ($1::text[])`, [ids]);
}

/** Reads runs and locks them until the transaction ends. */
export function lockRuns(tx: Tx, ids: readonly string[]): Promise<readonly RunRow[]> {
  return all(
    tx,
    `select ${COLUMNS} from executions e where e.id = any ($1::text[]) order by e.id for no key update`,
    [ids],
  );
}

/** Locks runs that have not ended and that no live worker executes. A worker with an older heartbeat is dead. */
export function lockClaimableRuns(
  tx: Tx,
  ids: readonly string[],
  takeoverMs: number,
): Promise<readonly RunRow[]> {
  return all(
    tx,
    `select ${COLUMNS} from executions e
     where e.id = any ($1::text[]) and e.finished_at is null
       and (e.worker_id is null or not exists (
         select from workers w where w.id = e.worker_id and w.heartbeat_at > now() - $2::float8 * interval '1 millisecond'))
     order by e.id for no key update`,
    [ids, takeoverMs],
  );
}

/** Locks all active runs of the worker. */
export function lockWorkerRuns(tx: Tx, workerId: string): Promise<readonly RunRow[]> {
  return all(
    tx,
    `select ${COLUMNS} from executions e where e.worker_id = $1 and e.under_way order by e.id for no key update`,
    [workerId],
  );
}

export interface WorkspaceLoad {
  readonly workspace: string;
  /** The number of active runs, counted up to `maxCount`. */
  readonly under_way: number;
  readonly has_parked: boolean;
}

export function countActiveRuns(
  tx: Tx,
  workspaces: readonly string[],
  maxCount: number,
): Promise<readonly WorkspaceLoad[]> {
  return all(
    tx,
    `select w.workspace,
       (select count(*) from (select from executions r where r.workspace = w.workspace and r.under_way limit $2) as r) as under_way,
       exists (select from executions p where p.workspace = w.workspace and p.parked) as has_parked
     from unnest($1::text[]) as w(workspace)`,
    [workspaces, maxCount],
  );
}

/** Locks the run if it has not ended and the lease is current. Otherwise returns false. */
export function lockLeasedRun(tx: Tx, run: Pick<RunRow, 'id' | 'lease'>): Promise<boolean> {
  return matches(
    tx,
    'select from executions where id = $1 and lease = $2 and finished_at is null for no key update',
    [run.id, run.lease],
  );
}

export interface NewDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly event: DeliveryEvent;
  readonly url: string;
  /** Base64 of the encrypted secret. */
  readonly secret: string | null;
  readonly body: string;
}

/** What lists show and search of a run that ended. */
export interface RunDigest {
  /** JSON text: the beginnings of the inputs and results. */
  readonly preview: string;
  readonly words: readonly string[];
}

/** A change of one run's row, and everything that is written with it. */
export interface RunWrite {
  /** The row from which the change was computed. If the stored row differs, nothing is written. */
  readonly before: RunRow;
  readonly row: RunRow;
  /** Steps (engine/types.ts), oldest first. */
  readonly steps: readonly object[];
  readonly delivery: NewDelivery | null;
  readonly digest: RunDigest | null;
  /** When a worker should claim the run; null to queue no job. */
  readonly job_at: Date | null;
  /** Whether the change frees a slot, so that a parked run of its workspace may start. */
  readonly frees_slot: boolean;
  /** Whether the change notifies the worker of a cancel. */
  readonly notifies_cancel: boolean;
  /** Whether the change notifies the worker of a wake. */
  readonly notifies_wake: boolean;
}

/**
 * Writes the changes and their effects. Skips runs whose stored row no longer equals `before`, because another writer
 * has changed it. Returns the ids of the written runs.
 */
export function writeRuns(tx: Tx, writes: readonly RunWrite[]): Promise<ReadonlySet<string>> {
  const inputs: object[] = [];
  const texts: Buffer[] = [];
  let stepsFrom = 1;
  for (const write of writes) {
    const text = Buffer.from(write.steps.length === 0 ? '' : JSON.stringify(write.steps));
    inputs.push({ ...toInput(write), steps_from: stepsFrom, steps_bytes: text.length });
    texts.push(text);
    stepsFrom += text.length;
  }
  const ids = writes.map(({ row }) => row.id);
  return valueSet(tx, WRITE_RUNS, [JSON.stringify(inputs), ids, Buffer.concat(texts)]);
}

function toInput({ before, row, steps, ...effects }: RunWrite): object {
  // The spec of a run never changes. Copying the row and dropping its long texts takes a quarter of the time that
  // copying the other columns one by one takes.
  return {
    ...row,
    request: undefined,
    webhook: undefined,
    from_seq: before.seq,
    from_lease: before.lease,
    from_worker: before.worker_id,
    from_woken: before.wake_at !== null,
    from_ended: before.finished_at !== null,
    step_count: steps.length,
    ...effects,
  };
}

/** CTE `input`: the changes, one row per run. Each run may occur only once. */
const READ_INPUT = `
  select * from json_to_recordset($1::json) as i(
    id text, from_seq int, from_lease int, from_worker text, from_woken bool, from_ended bool, status text, lease int, worker_id text,
    parked bool, under_way bool, seq int, nodes_done int, running_ms int, running_since timestamptz, wake_at timestamptz,
    error text, decisions text, started_at timestamptz, finished_at timestamptz, delivery json, digest json,
    job_at timestamptz, frees_slot bool, notifies_cancel bool, notifies_wake bool, step_count int, steps_from int, steps_bytes int)`;

/**
 * CTE `written`: a compare-and-swap. Updates a row only if its sequence number, lease, worker, wake and end are
 * still those of `before`. Every part below reads from `written`, so nothing is written for a row that has changed. The
 * ids are passed twice, because the planner uses the primary key only for the array.
 */
const UPDATE_ROWS = `
  update executions e
  set status = i.status, lease = i.lease, worker_id = i.worker_id, parked = i.parked, under_way = i.under_way, seq = i.seq,
    nodes_done = i.nodes_done, running_ms = i.running_ms, running_since = i.running_since, wake_at = i.wake_at,
    error = i.error, decisions = i.decisions, started_at = i.started_at, finished_at = i.finished_at
  from input i
  where e.id = any ($2::text[]) and e.id = i.id and e.seq = i.from_seq and e.lease = i.from_lease
    and e.worker_id is not distinct from i.from_worker and (e.wake_at is not null) = i.from_woken
    and (e.finished_at is not null) = i.from_ended
  returning e.id, e.watched, e.workspace, e.user_id, e.workflow_id, e.status, e.origin_id, e.finished_at, i.from_ended, i.from_seq + i.step_count as steps_seq,
    i.step_count, i.steps_from, i.steps_bytes, i.delivery, i.digest, i.job_at, i.frees_slot, i.notifies_cancel, i.notifies_wake`;

/**
 * CTE `saved_steps`: inserts the steps of a run as one row, under the sequence number of the last step. The texts of all
 * runs are passed as one byte array, because parsing and copying the texts as JSON would take twice as long as storing
 * them.
 */
const INSERT_STEPS = `
  insert into execution_steps (execution_id, seq, steps)
  select id, steps_seq, convert_from(substring($3::bytea from steps_from for steps_bytes), 'UTF8')
  from written where step_count > 0`;

/** CTE `outbox`: inserts the webhook deliveries of runs that ended. */
const INSERT_DELIVERIES = `
  insert into deliveries (id, execution_id, user_id, event_id, event, url, secret, body)
  select d.id, w.id, w.user_id, d.event_id, d.event, d.url, decode(d.secret, 'base64'), d.body
  from written w cross join lateral json_to_record(w.delivery) as d(
    id text, event_id uuid, event text, url text, secret text, body text)
  where w.delivery is not null
  returning id`;

/** CTE `digests`: inserts the digests of runs that ended. */
const INSERT_DIGESTS = `
  insert into run_digests (execution_id, words, preview)
  select id, array_to_tsvector(array(select json_array_elements_text(digest->'words'))
    || array[workflow_id, workspace, 'by:' || user_id]), digest->>'preview'
  from written where digest is not null
  on conflict do nothing`;

/**
 * CTE `unparked`: unparks the workspace's oldest parked run for each slot that becomes free. Skips rows that another
 * transaction is unparking, so that the two transactions cannot wait for each other.
 */
const UNPARK_RUNS = `
  update executions e set parked = false
  from (select workspace, count(*) as slots from written where frees_slot group by workspace) f cross join lateral (
    select p.id from executions p where p.workspace = f.workspace and p.parked order by p.id limit f.slots for update skip locked) p
  where e.id = p.id
  returning e.id`;

/** CTE `followed`: stores an item for each trigger that starts a run when one of these runs ends. */
const INSERT_FOLLOWING = `
  insert into trigger_items (trigger_id, item, status)
  select t.id, w.id, 'waiting' from written w join triggers t on t.source_id = w.workflow_id
  where w.finished_at is not null and not w.from_ended and t.is_active and w.status = any (t.statuses)
  on conflict do nothing returning trigger_id`;

/**
 * CTE `jobs`: enqueues one job for each delivery, for each unparked run, for each run that a worker should claim at a
 * given time, and for each batch, schedule and trigger with runs that ended.
 */
const ENQUEUE_JOBS = selectQueuedJobs(`
  select 'deliver' as task, id, null::timestamptz as run_at from outbox
  union all select 'run', id, null from unparked
  union all select 'run', id, job_at from written where job_at is not null
  union all select distinct ${buildOriginTaskSql('origin_id')}, origin_id, null::timestamptz from written
    where ${buildOriginTaskSql('origin_id')} is not null and finished_at is not null
  union all select distinct 'automation', trigger_id, null::timestamptz from followed`);

/** Builds a select that notifies the channel with the ids of the written runs that meet the condition, if there are any. */
const buildNotify = (channel: string, condition: 'watched' | 'notifies_cancel' | 'notifies_wake'): string =>
  `select pg_notify('${channel}', string_agg(id, ',')) from written where ${condition} having count(*) > 0`;

// PostgreSQL skips a CTE that only selects and is never read, so the final select reads the jobs and notifications.
const WRITE_RUNS = `
with input as materialized (${READ_INPUT}
), written as (${UPDATE_ROWS}
), saved_steps as (${INSERT_STEPS}
), outbox as (${INSERT_DELIVERIES}
), digests as (${INSERT_DIGESTS}
), unparked as (${UNPARK_RUNS}
), followed as (${INSERT_FOLLOWING}
), jobs as (${ENQUEUE_JOBS}
), changed as (${buildNotify(CHANNELS.changed, 'watched')}
), cancelled as (${buildNotify(CHANNELS.cancel, 'notifies_cancel')}
), woken as (${buildNotify(CHANNELS.woken, 'notifies_wake')}
)
select id from written, (select count(*) from jobs) as enqueued, (select count(*) from changed) as changes,
  (select count(*) from cancelled) as cancels, (select count(*) from woken) as wakes`;

/** Parks queued runs: they wait for another run of their workspace to end. */
export async function parkRuns(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query('update executions set parked = true where id = any ($1::text[])', [ids]);
}
