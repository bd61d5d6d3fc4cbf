// Reads executions, and finds and saves idempotency keys.
import type { Tx } from './db.ts';
import type { DeliveryState } from './deliveries.ts';
import { all, first } from './rows.ts';

export const TERMINAL_STATUSES = ['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED'] as const;
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];
/** What starts runs. */
export const RUN_TRIGGERS = [
  'api',
  'editor',
  'mcp',
  'cli',
  'resume',
  'sample',
  'batch',
  'schedule',
  'hook',
  'after',
  'feed',
  'bucket',
  'app',
] as const;
/** The triggers without a person or client at the time of the run; visitors start runs of apps. */
export const AUTOMATED_TRIGGERS: readonly RunTrigger[] = [
  'schedule',
  'hook',
  'after',
  'feed',
  'bucket',
  'app',
];
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

export const EXECUTION_STATUSES = [
  'QUEUED',
  'RUNNING',
  'WAITING',
  'CANCELLING',
  ...TERMINAL_STATUSES,
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

export interface ExecutionRow {
  readonly id: string;
  readonly workflow_id: string;
  readonly workflow_version: number;
  readonly user_id: number;
  readonly workspace: string;
  readonly status: ExecutionStatus;
  readonly trigger: string;
  readonly request: string;
  readonly webhook: string | null;
  readonly lease: number;
  readonly worker_id: string | null;
  readonly seq: number;
  readonly nodes_total: number;
  readonly running_ms: number;
  readonly wake_at: Date | null;
  readonly error: string | null;
  readonly idempotency_key: string | null;
  readonly resumed_from_id: string | null;
  readonly origin_id: string | null;
  readonly origin_key: string | null;
  /** JSON object: node id → decision. */
  readonly decisions: string | null;
  /** Workflow id → version, for components that are called at their latest version; null if there are none. */
  readonly components: Readonly<Record<string, number>> | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly nodes_done: number;
  readonly delivery_state: DeliveryState | null;
  readonly delivery_attempts: number | null;
  readonly delivery_last_status_code: number | null;
  /** null if the run cannot cost credits. */
  readonly credits_estimated: number | null;
  readonly credits_held: number | null;
  readonly credits_charged: number | null;
  readonly credits_released: number | null;
}

/** Columns of `executions e`, `deliveries d` and `run_credits c`. */
export const LISTED_COLUMNS = `e.id, e.workflow_id, e.workflow_version, e.user_id, e.workspace, e.status, e.trigger, e.webhook,
  e.lease, e.worker_id, e.seq, e.nodes_total, e.running_ms, e.wake_at, e.error, e.idempotency_key, e.resumed_from_id, e.origin_id, e.origin_key,
  e.created_at, e.started_at, e.finished_at, e.nodes_done,
  d.state as delivery_state, d.attempts as delivery_attempts, d.last_status_code as delivery_last_status_code,
  c.estimated as credits_estimated, c.held as credits_held, c.charged as credits_charged, c.released as credits_released`;

export function findExecution(tx: Tx, id: string): Promise<ExecutionRow | undefined> {
  return first(
    tx,
    `select ${LISTED_COLUMNS}, e.request, e.decisions, e.components from executions e left join deliveries d on d.execution_id = e.id
  left join run_credits c on c.execution_id = e.id where e.id = $1`,
    [id],
  );
}

/**
 * Lists the newest runs with these statuses among the last thousand of a workflow. Omits app runs, which belong to the
 * visitors, and the runs that resume them.
 */
export function listRunsOutsideApps(
  tx: Tx,
  workflowId: string,
  { statuses, limit }: { readonly statuses: readonly ExecutionStatus[]; readonly limit: number },
): Promise<readonly Pick<ExecutionRow, 'id' | 'finished_at'>[]> {
  return all(
    tx,
    `with recursive newest as (
       select n.* from unnest($2::text[]) as s(status) cross join lateral (
         select id, finished_at, trigger, resumed_from_id from executions e
         where e.workflow_id = $1 and e.status = s.status order by id collate "C" desc limit 1000) n
       order by n.id collate "C" desc limit 1000
     ), lineage as (
       select id, trigger, resumed_from_id from newest
       union select e.id, e.trigger, e.resumed_from_id from lineage l join executions e on e.id = l.resumed_from_id
     ), of_visitors as (
       select id from lineage where trigger = 'app'
       union select l.id from of_visitors v join lineage l on l.resumed_from_id = v.id
     )
     select id, finished_at from newest where id not in (select id from of_visitors)
     order by id collate "C" desc limit $3`,
    [workflowId, statuses, limit],
  );
}

/** An idempotency key, which is unique for its user, workflow and kind of request. */
export interface IdempotencyKey {
  readonly userId: number;
  readonly workflowId: string;
  readonly route: string;
  readonly key: string;
}

export interface IdempotencyRow {
  readonly body_hash: Buffer;
  readonly execution_id: string;
}

/** Returns the first use of the key within 24 hours. */
export function findIdempotencyKey(tx: Tx, key: IdempotencyKey): Promise<IdempotencyRow | undefined> {
  return first(
    tx,
    `select body_hash, execution_id from idempotency_keys
     where user_id = $1 and workflow_id = $2 and route = $3 and key = $4 and created_at > now() - interval '24 hours'`,
    [key.userId, key.workflowId, key.route, key.key],
  );
}

/** Lists the keys that were used within 24 hours. Each key is a JSON array: user id, workflow id, route, key. */
export async function listUsedKeys(tx: Tx, keys: readonly IdempotencyKey[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ user_id: number; workflow_id: string; route: string; key: string }>(
    `select k.user_id, k.workflow_id, k.route, k.key
     from json_to_recordset($1::json) as i("userId" int, "workflowId" text, route text, key text)
     join idempotency_keys k on k.user_id = i."userId" and k.workflow_id = i."workflowId" and k.route = i.route and k.key = i.key
     where k.created_at > now() - interval '24 hours'`,
    [JSON.stringify(keys)],
  );
  return new Set(rows.map(row => JSON.stringify([row.user_id, row.workflow_id, row.route, row.key])));
}

/** Stores the key for an existing execution. Within 24 hours, only the first use of a key is stored. */
export async function saveIdempotencyKey(
  tx: Tx,
  key: IdempotencyKey & { readonly body_hash: string; readonly executionId: string },
): Promise<void> {
  await tx.query(
    `insert into idempotency_keys as k (user_id, workflow_id, route, key, body_hash, execution_id)
     values ($1, $2, $3, $4, decode($5, 'hex'), $6)
     on conflict (user_id, workflow_id, route, key) do update
       set body_hash = excluded.body_hash, execution_id = excluded.execution_id, created_at = now()
       where k.created_at < now() - interval '24 hours'`,
    [key.userId, key.workflowId, key.route, key.key, key.body_hash, key.executionId],
  );
}
