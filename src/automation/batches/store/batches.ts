// Stores batches.
import type { Tx } from '../../../store/db.ts';
import { isNoneOfSql, READABLE } from '../../../store/permissions.ts';
import { selectQueuedJobs } from '../../../store/queue.ts';
import { all, first, firstNumber, lockName, type PageRange, updateRow } from '../../../store/rows.ts';
import type { NewDelivery } from '../../../store/runs.ts';
import type { SpenderColumns } from '../../../store/spenders.ts';
import { type AutomationOwner, listLeftOut, selectWorkflowName } from '../../store.ts';
import { ROW_STATUSES, type RowStatus } from './rows.ts';

export const BATCH_STATUSES = ['RUNNING', 'PAUSED', 'STOPPING', 'STOPPED', 'COMPLETED'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

export type BatchCounts = Readonly<Record<RowStatus, number>>;

/** Its rows spend the monthly limits of whoever created, resumed or retried it last. */
export interface NewBatch extends SpenderColumns {
  readonly id: string;
  readonly workflow_id: string;
  readonly workflow_version: number;
  readonly user_id: number;
  readonly workspace: string;
  readonly total: number;
  readonly concurrency: number;
  readonly max_credits: number | null;
  readonly stop_after_failures: number;
  readonly first_rows: number | null;
  readonly estimated_credits: number;
  readonly estimate_is_exact: boolean;
  /** JSON text: the inputs and config fields that a matrix varies. */
  readonly axes: string | null;
  /** JSON text: the ids of the nodes to run, with the nodes that they need. Null: all nodes. */
  readonly targets: string | null;
  /** JSON text. */
  readonly metadata: string | null;
  /** JSON text of {url, secret}, with the secret encrypted. */
  readonly webhook: string | null;
  /** The size of its rows, metadata and axes, which counts toward the storage of the user. */
  readonly bytes: number;
  readonly created_at: Date;
}

/** The columns that change while a batch runs. */
export interface BatchState {
  readonly status: BatchStatus;
  /** Why the service stopped the batch; null if the service did not stop it. */
  readonly reason: string | null;
  readonly failures_in_a_row: number;
  /** Whether stopping the batch cancels its running rows. */
  readonly cancels_running: boolean;
  readonly max_credits: number | null;
  readonly concurrency: number;
  readonly first_rows: number | null;
  /** Increased by each change of the batch or its rows. */
  readonly seq: number;
  readonly finished_at: Date | null;
}

export type StoredBatch = NewBatch &
  BatchState & { readonly counts: BatchCounts; readonly workflow_name: string };

/** A batch without the values that may be long. */
export type BatchHead = Omit<StoredBatch, 'axes' | 'metadata' | 'webhook' | 'workflow_name'>;

const HEAD_COLUMNS = `b.id, b.workflow_id, b.workflow_version, b.user_id, b.spender_id, b.key_id, b.workspace, b.status, b.reason, b.total, b.concurrency,
  b.max_credits, b.stop_after_failures, b.failures_in_a_row, b.cancels_running, b.first_rows, b.estimated_credits, b.estimate_is_exact,
  b.targets, b.bytes, b.seq, b.created_at, b.finished_at,
  json_build_object(${ROW_STATUSES.map(status => `'${status}', b.rows_${status}`).join(', ')}) as counts`;
const COLUMNS = `${HEAD_COLUMNS}, b.axes, b.metadata, b.webhook, ${selectWorkflowName('b')}`;

/** A batch in a list. Long axes and metadata are null. */
export interface ListedBatch extends StoredBatch {
  readonly is_truncated: boolean;
}

const MAX_LISTED_BYTES = 16_384;
const isShortSql = (column: string): string => `octet_length(${column}) <= ${MAX_LISTED_BYTES}`;
const LISTED_COLUMNS = `${HEAD_COLUMNS}, b.webhook, ${selectWorkflowName('b')},
  case when ${isShortSql('b.axes')} then b.axes end as axes,
  case when ${isShortSql('b.metadata')} then b.metadata end as metadata,
  not (coalesce(${isShortSql('b.axes')}, true) and coalesce(${isShortSql('b.metadata')}, true)) as is_truncated`;

/** The condition that all rows of the batch `b` are stored. Nobody else reads a draft. */
const IS_PUBLISHED = 'b.draft_until is null';

export function findBatch(tx: Tx, id: string): Promise<StoredBatch | undefined> {
  return first(tx, `select ${COLUMNS} from batches b where b.id = $1 and ${IS_PUBLISHED}`, [id]);
}

/** Reads the batch without the values that may be long. */
export function findBatchHead(tx: Tx, id: string): Promise<BatchHead | undefined> {
  return first(tx, `select ${HEAD_COLUMNS} from batches b where b.id = $1 and ${IS_PUBLISHED}`, [id]);
}

/** Reads the batch without long axes and metadata. */
export function findListedBatch(tx: Tx, id: string): Promise<ListedBatch | undefined> {
  return first(tx, `select ${LISTED_COLUMNS} from batches b where b.id = $1 and ${IS_PUBLISHED}`, [id]);
}

/** Reads the batch and locks it until the transaction ends. */
export function lockBatch(tx: Tx, id: string): Promise<BatchHead | undefined> {
  return first(
    tx,
    `select ${HEAD_COLUMNS} from batches b where b.id = $1 and ${IS_PUBLISHED} for no key update`,
    [id],
  );
}

/**
 * Lists the batches of a workflow, or the batches that the user started in workflows that the user may still read, newest
 * first.
 */
export function listBatches(
  tx: Tx,
  owner: AutomationOwner,
  { after, limit }: PageRange<string>,
): Promise<readonly ListedBatch[]> {
  const [where, value] =
    'workflowId' in owner
      ? ['b.workflow_id = $1', owner.workflowId]
      : [`b.user_id = $1::int and (${READABLE} or w.is_published)`, owner.userId];
  return all(
    tx,
    `select ${LISTED_COLUMNS} from batches b join workflows w on w.id = b.workflow_id and w.deleted_at is null
     where ${where} and ${isNoneOfSql('w.team_id', '$4')} and ${IS_PUBLISHED} and ($2::text is null or b.id < $2)
     order by b.id desc limit $3`,
    [value, after, limit, listLeftOut(owner)],
  );
}

/**
 * Returns the credits charged to each batch's executions, by batch id. Adds to the stored sum only executions that may
 * still be charged: executions of running rows, and executions with calls that continue at a provider.
 */
export async function sumCharged(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await all<{ id: string; credits: number }>(
    tx,
    `select b.id, (b.credits_charged
       + coalesce((select sum(c.charged) from run_credits c where c.execution_id = any (b.open_executions)), 0)
       + coalesce((select sum(c.charged) from batch_rows r join run_credits c on c.execution_id = r.execution_id
           where r.batch_id = b.id and r.status = 'running'), 0))::bigint as credits
     from batches b where b.id = any ($1::text[])`,
    [ids],
  );
  return new Map(rows.map(({ id, credits }) => [id, credits]));
}

/** Prevents other transactions from starting a batch in the workspace until this one ends. */
export function lockRunningBatches(tx: Tx, workspace: string): Promise<void> {
  return lockName(tx, `batches ${workspace}`);
}

/** Counts the workspace's batches that are running, or stopping with rows that still run. Drafts count too. */
export function countRunningBatches(tx: Tx, workspace: string): Promise<number> {
  return firstNumber(
    tx,
    `select (select count(*) from batches where workspace = $1 and status in ('RUNNING', 'STOPPING'))
       + (select count(*) from batches where workspace = $1 and draft_until is not null) as count`,
    [workspace],
  );
}

/** Changes the batch, increases `seq`, and queues the webhook delivery. The caller must hold the batch's lock. */
export async function updateBatch(
  tx: Tx,
  id: string,
  state: Partial<Omit<BatchState, 'seq'> & SpenderColumns>,
  delivery: NewDelivery | null = null,
): Promise<void> {
  await updateRow(tx, 'batches', id, state, ['seq = seq + 1']);
  if (delivery === null) return;
  await tx.query(
    `with outbox as (
       insert into deliveries (id, batch_id, user_id, event_id, event, url, secret, body)
       select $1, id, user_id, $3::uuid, $4, $5, decode($6, 'base64'), $7 from batches where id = $2 returning id
     ), jobs as (${selectQueuedJobs("select 'deliver' as task, id, null::timestamptz as run_at from outbox")})
     select count(*) from jobs`,
    [delivery.id, id, delivery.event_id, delivery.event, delivery.url, delivery.secret, delivery.body],
  );
}

/** Returns the credits charged to and reserved for the executions of the batch's settled rows. */
export function sumSettledCredits(tx: Tx, batchId: string): Promise<number> {
  return firstNumber(
    tx,
    `select (b.credits_charged + coalesce((select sum(c.charged + c.held) from run_credits c
       where c.execution_id = any (b.open_executions)), 0))::bigint as credits from batches b where b.id = $1`,
    [batchId],
  );
}

/** Counts the running rows of all batches of the workspace. */
export function countRunningRows(tx: Tx, workspace: string): Promise<number> {
  return firstNumber(
    tx,
    `select coalesce(sum(rows_running), 0)::bigint as count from batches
     where workspace = $1 and status in ('RUNNING', 'STOPPING')`,
    [workspace],
  );
}

/** Deletes the batch, its rows and its idempotency key. Its executions remain. */
export async function deleteBatch(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `with deleted as (delete from batches where id = $1 returning id, user_id, workflow_id)
     delete from idempotency_keys k using deleted d
     where k.user_id = d.user_id and k.workflow_id = d.workflow_id and k.route = 'batch' and k.execution_id = d.id`,
    [id],
  );
}
