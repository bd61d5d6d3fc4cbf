// Stores batches and their rows. The counts of a batch are read from its rows, so they always add up.
import type { Tx } from '../db.ts';
import { jobSpecs } from '../queue.ts';
import { type After, all, first, matches } from '../rows.ts';
import type { NewDelivery } from '../runs.ts';

export const BATCH_STATUSES = ['RUNNING', 'PAUSED', 'STOPPING', 'STOPPED', 'COMPLETED'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];
export const ROW_STATUSES = ['waiting', 'running', 'completed', 'failed', 'cancelled', 'skipped'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

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
  /** JSON text. */
  readonly metadata: string | null;
  /** JSON text of {url, secret}, with the secret encrypted. */
  readonly webhook: string | null;
  readonly created_at: Date;
}

/** What changes while a batch runs. */
export interface BatchState {
  readonly status: BatchStatus;
  /** Why it stops or stopped; null: a user stopped it. */
  readonly reason: string | null;
  readonly failures_in_a_row: number;
  /** Whether a batch that stops cancels the rows that run. */
  readonly cancels_running: boolean;
  readonly max_credits: number | null;
  readonly first_rows: number | null;
  /** Raised by each change of the batch and its rows. */
  readonly seq: number;
  readonly finished_at: Date | null;
}

export type BatchRow = NewBatch & BatchState;

const COLUMNS = `b.id, b.workflow_id, b.workflow_version, b.user_id, b.workspace, b.status, b.reason, b.total, b.concurrency,
  b.max_credits, b.stop_after_failures, b.failures_in_a_row, b.cancels_running, b.first_rows, b.estimated_credits, b.estimate_is_exact,
  b.metadata, b.webhook, b.seq, b.created_at, b.finished_at`;

export interface NewBatchRow {
  readonly row_number: number;
  readonly key: string | null;
  readonly inputs: string;
  readonly estimated_credits: number;
}

/** Stores a batch with its rows, and queues its job. */
export async function insertBatch(tx: Tx, batch: NewBatch, rows: readonly NewBatchRow[]): Promise<void> {
  await tx.query(
    `insert into batches (id, workflow_id, workflow_version, user_id, workspace, total, concurrency, max_credits,
       stop_after_failures, first_rows, estimated_credits, estimate_is_exact, metadata, webhook, created_at)
     select id, workflow_id, workflow_version, user_id, workspace, total, concurrency, max_credits,
       stop_after_failures, first_rows, estimated_credits, estimate_is_exact, metadata, webhook, created_at
     from json_populate_record(null::batches, $1::json)`,
    [JSON.stringify(batch)],
  );
  await tx.query(
    `insert into batch_rows (batch_id, row_number, key, inputs, estimated_credits)
     select $1, row_number, key, inputs, estimated_credits
     from json_to_recordset($2::json) as i(row_number int, key text, inputs text, estimated_credits bigint)`,
    [batch.id, JSON.stringify(rows)],
  );
  await enqueueBatch(tx, batch.id);
}

/** Queues the job of the batch, which starts and settles its rows. */
export async function enqueueBatch(tx: Tx, id: string, runAt: Date | null = null): Promise<void> {
  await tx.query(
    `select count(*) from (${jobSpecs("select 'batch' as task, $1::text as id, $2::timestamptz as run_at")}) as jobs`,
    [id, runAt],
  );
}

export function findBatch(tx: Tx, id: string): Promise<BatchRow | undefined> {
  return first(tx, `select ${COLUMNS} from batches b where b.id = $1`, [id]);
}

/** Reads the batch and locks it until the transaction ends. */
export function lockBatch(tx: Tx, id: string): Promise<BatchRow | undefined> {
  return first(tx, `select ${COLUMNS} from batches b where b.id = $1 for no key update`, [id]);
}

/** Newest first: the batches of a workflow, or those that the user started. */
export function listBatches(
  tx: Tx,
  owner: { readonly workflowId: string } | { readonly userId: number },
  { after, limit }: After<string>,
): Promise<readonly BatchRow[]> {
  const [column, value] =
    'workflowId' in owner ? ['b.workflow_id', owner.workflowId] : ['b.user_id', owner.userId];
  return all(
    tx,
    `select ${COLUMNS} from batches b where ${column} = $1 and ($2::text is null or b.id < $2)
     order by b.id desc limit $3`,
    [value, after, limit],
  );
}

export type BatchCounts = Readonly<Record<RowStatus, number>>;

/** Returns the counts of each batch by id, and the credits charged to its executions. */
export async function countBatches(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly counts: BatchCounts; readonly credits: number }>> {
  const counted = await all<{ batch_id: string; status: RowStatus; count: number }>(
    tx,
    `select batch_id, status, count(*) as count from batch_rows where batch_id = any ($1::text[]) group by batch_id, status`,
    [ids],
  );
  const charged = await all<{ batch_id: string; credits: number }>(
    tx,
    `select e.origin_id as batch_id, sum(c.charged)::bigint as credits from executions e
     join run_credits c on c.execution_id = e.id where e.origin_id = any ($1::text[]) group by e.origin_id`,
    [ids],
  );
  const credits = new Map(charged.map(row => [row.batch_id, row.credits]));
  const counts = Map.groupBy(counted, row => row.batch_id);
  return new Map(
    ids.map(id => {
      const own = new Map((counts.get(id) ?? []).map(({ status, count }) => [status, count]));
      const all = Object.fromEntries(ROW_STATUSES.map(status => [status, own.get(status) ?? 0]));
      return [id, { counts: all as BatchCounts, credits: credits.get(id) ?? 0 }];
    }),
  );
}

/** Writes what changed and raises `seq`. The batch must be locked. Queues the delivery of its webhook. */
export async function updateBatch(
  tx: Tx,
  id: string,
  state: Partial<Omit<BatchState, 'seq'>>,
  delivery: NewDelivery | null = null,
): Promise<void> {
  const columns = Object.keys(state);
  const set = ['seq = seq + 1', ...columns.map((column, index) => `${column} = $${index + 2}`)].join(', ');
  const { rows } = await tx.query<{ user_id: number }>(
    `update batches set ${set} where id = $1 returning user_id`,
    [id, ...Object.values(state)],
  );
  if (delivery === null) return;
  await tx.query(
    `with outbox as (
       insert into deliveries (id, batch_id, user_id, event_id, event, url, secret, body)
       values ($1, $2, $3, $4, $5, $6, decode($7, 'base64'), $8) returning id
     ), jobs as (${jobSpecs("select 'deliver' as task, id, null::timestamptz as run_at from outbox")})
     select count(*) from jobs`,
    [
      delivery.id,
      id,
      rows[0]?.user_id,
      delivery.event_id,
      delivery.event,
      delivery.url,
      delivery.secret,
      delivery.body,
    ],
  );
}

/** A row whose execution has just ended. */
export interface SettledRow {
  readonly row_number: number;
  readonly status: RowStatus;
}

/** Settles the running rows whose executions have ended. Returns them in the order in which they ended. */
export function settleRows(tx: Tx, batchId: string, seq: number): Promise<readonly SettledRow[]> {
  return all(
    tx,
    `with settled as (
       update batch_rows r set error = e.error, seq = $2,
         status = case e.status when 'COMPLETED' then 'completed' when 'CANCELLED' then 'cancelled' else 'failed' end
       from executions e
       where r.batch_id = $1 and r.status = 'running' and e.id = r.execution_id and e.finished_at is not null
       returning r.row_number, r.status, e.finished_at)
     select row_number, status from settled order by finished_at, row_number`,
    [batchId, seq],
  );
}

/** A claimed row whose run was not accepted after this time was lost with its process. */
export const OVERDUE_SECONDS = 5;

/** A row that waits, or whose execution is to be accepted. */
export interface StartableRow {
  readonly row_number: number;
  readonly key: string | null;
  readonly inputs: string;
  readonly estimated_credits: number;
  readonly max_credits: number | null;
  readonly attempt: number;
  readonly execution_id: string | null;
  readonly retried_execution_id: string | null;
}

const STARTABLE = `r.row_number, r.key, r.inputs, r.estimated_credits, r.max_credits, r.attempt, r.execution_id,
  r.retried_execution_id`;

export interface RunningRow extends StartableRow {
  readonly is_accepted: boolean;
  /** Whether the process that claimed it has had time to start it. */
  readonly is_overdue: boolean;
}

/** Lists the rows that run, and whether their executions were accepted. */
export function listRunningRows(tx: Tx, batchId: string): Promise<readonly RunningRow[]> {
  return all(
    tx,
    `select ${STARTABLE}, exists (select from executions e where e.id = r.execution_id) as is_accepted,
       r.claimed_at < now() - interval '${OVERDUE_SECONDS} seconds' as is_overdue
     from batch_rows r where r.batch_id = $1 and r.status = 'running' order by r.row_number`,
    [batchId],
  );
}

/** Lists the next waiting rows up to the row number. */
export function listWaitingRows(
  tx: Tx,
  batchId: string,
  { maxRow, limit }: { readonly maxRow: number; readonly limit: number },
): Promise<readonly StartableRow[]> {
  return all(
    tx,
    `select ${STARTABLE} from batch_rows r
     where r.batch_id = $1 and r.status = 'waiting' and r.row_number <= $2 order by r.row_number limit $3`,
    [batchId, maxRow, limit],
  );
}

/** Marks waiting rows as running, each with the id of the execution that will be accepted for it. */
export async function claimRows(
  tx: Tx,
  batchId: string,
  seq: number,
  rows: readonly Pick<StartableRow, 'row_number' | 'execution_id' | 'max_credits'>[],
): Promise<void> {
  await tx.query(
    `update batch_rows r set status = 'running', execution_id = i.execution_id, max_credits = i.max_credits,
       claimed_at = now(), seq = $2
     from json_to_recordset($3::json) as i(row_number int, execution_id text, max_credits bigint)
     where r.batch_id = $1 and r.row_number = i.row_number`,
    [batchId, seq, JSON.stringify(rows)],
  );
}

/** Returns a row whose run was refused to the queue of the batch. */
export async function returnRow(tx: Tx, batchId: string, rowNumber: number, seq: number): Promise<void> {
  await tx.query(
    `update batch_rows set status = 'waiting', execution_id = null, max_credits = null, seq = $3
     where batch_id = $1 and row_number = $2 and status = 'running'`,
    [batchId, rowNumber, seq],
  );
}

/** Fails a row whose run was refused. `error`: JSON text. */
export async function failRow(
  tx: Tx,
  batchId: string,
  rowNumber: number,
  { seq, error }: { readonly seq: number; readonly error: string },
): Promise<void> {
  await tx.query(
    `update batch_rows set status = 'failed', execution_id = null, error = $4, seq = $3
     where batch_id = $1 and row_number = $2 and status = 'running'`,
    [batchId, rowNumber, seq, error],
  );
}

/** Returns the credits charged to and reserved for the executions of the batch that have ended. */
export async function sumEndedCredits(tx: Tx, batchId: string): Promise<number> {
  const row = await first<{ credits: number }>(
    tx,
    `select coalesce(sum(c.charged + c.held), 0)::bigint as credits from executions e
     join run_credits c on c.execution_id = e.id where e.origin_id = $1 and e.finished_at is not null`,
    [batchId],
  );
  return row?.credits ?? 0;
}

/** Counts the rows of all batches of the workspace that run. */
export async function countRunningRows(tx: Tx, workspace: string): Promise<number> {
  const row = await first<{ count: number }>(
    tx,
    `select count(*) as count from batches b join batch_rows r on r.batch_id = b.id
     where b.workspace = $1 and b.status in ('RUNNING', 'STOPPING') and r.status = 'running'`,
    [workspace],
  );
  return row?.count ?? 0;
}

export function hasWaitingRow(tx: Tx, batchId: string, maxRow: number): Promise<boolean> {
  return matches(
    tx,
    `select from batch_rows where batch_id = $1 and status = 'waiting' and row_number <= $2 limit 1`,
    [batchId, maxRow],
  );
}

export interface RetryChoice {
  readonly includeCancelled: boolean;
  readonly includeUnknown: boolean;
}

/** Makes failed rows wait again, each to reuse the completed nodes of its execution. Returns how many. */
export async function retryRows(tx: Tx, batchId: string, seq: number, choice: RetryChoice): Promise<number> {
  const { rowCount } = await tx.query(
    `update batch_rows set status = 'waiting', attempt = attempt + 1, error = null, max_credits = null, seq = $2,
       retried_execution_id = coalesce(execution_id, retried_execution_id), execution_id = null
     where batch_id = $1 and (
       status = 'failed' and ($4 or coalesce(error::json ->> 'code', '') <> 'provider_outcome_unknown')
       or status = 'cancelled' and $3)`,
    [batchId, seq, choice.includeCancelled, choice.includeUnknown],
  );
  return rowCount;
}

/** The ids of the executions that the batch has started and that have not ended. */
export async function listActiveExecutions(tx: Tx, batchId: string): Promise<readonly string[]> {
  const rows = await all<{ id: string }>(
    tx,
    `select e.id from batch_rows r join executions e on e.id = r.execution_id
     where r.batch_id = $1 and r.status = 'running' and e.finished_at is null`,
    [batchId],
  );
  return rows.map(({ id }) => id);
}

export interface ShownRow {
  readonly row_number: number;
  readonly key: string | null;
  readonly inputs: string;
  readonly status: RowStatus;
  readonly execution_id: string | null;
  readonly error: string | null;
  readonly credits: number;
  readonly rating: number | null;
  readonly is_picked: boolean;
  readonly seq: number;
}

const ROW_COLUMNS = `r.row_number, r.key, r.inputs, r.status, r.execution_id, r.error, r.rating, r.is_picked, r.seq,
  coalesce((select sum(c.charged) from executions e join run_credits c on c.execution_id = e.id
    where e.origin_id = r.batch_id and e.origin_key = coalesce(r.key, r.row_number::text)), 0)::bigint as credits`;

export interface RowFilter {
  readonly status: RowStatus | null;
  readonly isPicked: boolean | null;
}

export function listRows(
  tx: Tx,
  batchId: string,
  { status, isPicked }: RowFilter,
  { after, limit }: After<number>,
): Promise<readonly ShownRow[]> {
  return all(
    tx,
    `select ${ROW_COLUMNS} from batch_rows r
     where r.batch_id = $1 and r.row_number > $2 and ($3::text is null or r.status = $3)
       and ($4::boolean is null or r.is_picked = $4)
     order by r.row_number limit $5`,
    [batchId, after ?? 0, status, isPicked, limit],
  );
}

/** The changes of a batch from one row of a change on, up to a change. */
export interface ChangeRange {
  readonly after: { readonly seq: number; readonly row: number };
  readonly maxSeq: number;
  readonly limit: number;
}

/** Lists the rows that changed last in the range, oldest change first. */
export function listChangedRows(
  tx: Tx,
  batchId: string,
  { after, maxSeq, limit }: ChangeRange,
): Promise<readonly ShownRow[]> {
  return all(
    tx,
    `select ${ROW_COLUMNS} from batch_rows r
     where r.batch_id = $1 and (r.seq, r.row_number) > ($2, $3) and r.seq <= $4 order by r.seq, r.row_number limit $5`,
    [batchId, after.seq, after.row, maxSeq, limit],
  );
}

export interface RowMark {
  readonly rating?: number | null;
  readonly isPicked?: boolean;
}

/** Changes the rating or the pick of a row. Returns undefined if there is no such row. The batch must be locked. */
export function markRow(
  tx: Tx,
  batchId: string,
  rowNumber: number,
  { seq, rating, isPicked }: RowMark & { readonly seq: number },
): Promise<ShownRow | undefined> {
  return first(
    tx,
    `with marked as (
       update batch_rows set seq = $3, rating = case when $4 then $5 else rating end, is_picked = coalesce($6, is_picked)
       where batch_id = $1 and row_number = $2 returning *)
     select ${ROW_COLUMNS} from marked r`,
    [batchId, rowNumber, seq, rating !== undefined, rating ?? null, isPicked ?? null],
  );
}

/** Deletes the batch with its rows; the executions stay. */
export async function deleteBatch(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from batches where id = $1', [id]);
}
