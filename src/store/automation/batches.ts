// Stores batches.
import type { Tx } from '../db.ts';
import { selectQueuedJobs } from '../queue.ts';
import { all, first, firstNumber, lockName, type PageRange, updateRow } from '../rows.ts';
import type { NewDelivery } from '../runs.ts';
import type { AutomationOwner } from './automation.ts';
import { ROW_STATUSES, type RowStatus } from './batch-rows.ts';

export const BATCH_STATUSES = ['RUNNING', 'PAUSED', 'STOPPING', 'STOPPED', 'COMPLETED'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

export type BatchCounts = Readonly<Record<RowStatus, number>>;

export interface NewBatch {
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
  /** JSON text. */
  readonly metadata: string | null;
  /** JSON text of {url, secret}, with the secret encrypted. */
  readonly webhook: string | null;
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
  readonly first_rows: number | null;
  /** Increased by each change of the batch or its rows. */
  readonly seq: number;
  readonly finished_at: Date | null;
}

export type StoredBatch = NewBatch & BatchState & { readonly counts: BatchCounts };

const COLUMNS = `b.id, b.workflow_id, b.workflow_version, b.user_id, b.workspace, b.status, b.reason, b.total, b.concurrency,
  b.max_credits, b.stop_after_failures, b.failures_in_a_row, b.cancels_running, b.first_rows, b.estimated_credits, b.estimate_is_exact,
  b.axes, b.metadata, b.webhook, b.seq, b.created_at, b.finished_at,
  json_build_object(${ROW_STATUSES.map(status => `'${status}', b.rows_${status}`).join(', ')}) as counts`;

/** The condition that all rows of the batch `b` are stored. Nobody else reads a draft. */
const IS_PUBLISHED = 'b.draft_until is null';

export function findBatch(tx: Tx, id: string): Promise<StoredBatch | undefined> {
  return first(tx, `select ${COLUMNS} from batches b where b.id = $1 and ${IS_PUBLISHED}`, [id]);
}

/** Reads the batch and locks it until the transaction ends. */
export function lockBatch(tx: Tx, id: string): Promise<StoredBatch | undefined> {
  return first(tx, `select ${COLUMNS} from batches b where b.id = $1 and ${IS_PUBLISHED} for no key update`, [
    id,
  ]);
}

/** Lists the batches of a workflow, or the batches that the user started, newest first. */
export function listBatches(
  tx: Tx,
  owner: AutomationOwner,
  { after, limit }: PageRange<string>,
): Promise<readonly StoredBatch[]> {
  const [column, value] =
    'workflowId' in owner ? ['b.workflow_id', owner.workflowId] : ['b.user_id', owner.userId];
  return all(
    tx,
    `select ${COLUMNS} from batches b where ${column} = $1 and ${IS_PUBLISHED} and ($2::text is null or b.id < $2)
     order by b.id desc limit $3`,
    [value, after, limit],
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
    `select count(*) as count from batches where workspace = $1 and status in ('RUNNING', 'STOPPING')`,
    [workspace],
  );
}

/** Changes the batch, increases `seq`, and queues the webhook delivery. The caller must hold the batch's lock. */
export async function updateBatch(
  tx: Tx,
  id: string,
  state: Partial<Omit<BatchState, 'seq'>>,
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
