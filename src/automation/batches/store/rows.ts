// Stores the rows of batches. Each statement that changes the status of rows also changes the batch's counts, so that
// counts and rows always agree.
import type { Tx } from '../../../store/db.ts';
import { all, allValues, matches } from '../../../store/rows.ts';

export const ROW_STATUSES = ['waiting', 'running', 'completed', 'failed', 'cancelled', 'skipped'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

/** The values of a row, without the long ones, which batch-values.ts stores. */
export interface StoredRowValues {
  /** JSON text by node id. */
  readonly inputs: string;
  /** JSON text by node id; null if there is none. */
  readonly config: string | null;
  /** JSON text: the long values of the row, as [[node id, config field or null for an input, number]]; null if there are none. */
  readonly shared: string | null;
}

export interface NewRow extends StoredRowValues {
  readonly row_number: number;
  readonly key: string | null;
  /** The size of the inputs and the config, with their long values. */
  readonly bytes: number;
  readonly estimated_credits: number;
}

/** A row whose execution has just ended. */
export interface SettledRow {
  readonly row_number: number;
  readonly status: RowStatus;
}

/**
 * Builds a statement that runs `update` and adjusts the counts of the batch `$1`. `update` must return `old_status`,
 * `status` and the columns in `result`, which the statement returns.
 */
const buildStatusChange = (update: string, result: string): string => `
  with updated as (${update}),
  change as (select ${ROW_STATUSES.map(
    status =>
      `count(*) filter (where status = '${status}') - count(*) filter (where old_status = '${status}') as ${status}`,
  ).join(', ')} from updated),
  counted as (update batches b set ${ROW_STATUSES.map(
    status => `rows_${status} = b.rows_${status} + c.${status}`,
  ).join(', ')} from change c where b.id = $1 and exists (select from updated) returning b.id)
  select ${result}, (select count(*) from counted) as batches from updated`;

/** Settles the running rows whose executions have ended. Returns the rows in the order in which the executions ended. */
export async function settleRows(tx: Tx, batchId: string, seq: number): Promise<readonly SettledRow[]> {
  const settledRows = await all<SettledRow & { readonly execution_id: string }>(
    tx,
    `${buildStatusChange(
      `update batch_rows r set error = e.error, seq = $2,
         status = case e.status when 'COMPLETED' then 'completed' when 'CANCELLED' then 'cancelled' else 'failed' end
       from executions e
       where r.batch_id = $1 and r.status = 'running' and e.id = r.execution_id and e.finished_at is not null
       returning r.row_number, 'running' as old_status, r.status, r.execution_id, e.finished_at`,
      'row_number, status, execution_id, finished_at',
    )} order by finished_at, row_number`,
    [batchId, seq],
  );
  const executionIds = settledRows.map(({ execution_id }) => execution_id);
  if (executionIds.length > 0) await settleCredits(tx, batchId, executionIds);
  return settledRows;
}

/** Adds the final charges of ended executions to the batch. Executions that may still be charged stay open. */
async function settleCredits(tx: Tx, batchId: string, executionIds: readonly string[]): Promise<void> {
  await tx.query(
    `with ended as (
       select c.execution_id, c.charged, c.held > 0 or exists (
         select from calls k where k.execution_id = c.execution_id and k.job_id is not null and k.slot_at is not null
       ) as is_open
       from batches b join run_credits c on c.execution_id = any (b.open_executions || $2::text[]) where b.id = $1
     )
     update batches set
       credits_charged = credits_charged + coalesce((select sum(charged) from ended where not is_open), 0),
       open_executions = coalesce((select array_agg(execution_id) from ended where is_open), '{}')
     where id = $1 and exists (select from ended)`,
    [batchId, executionIds],
  );
}

/** SQL: the size of the inputs and the config of the row `r`. */
export const ROW_BYTES = 'coalesce(r.bytes, octet_length(r.inputs) + coalesce(octet_length(r.config), 0))';

/** A row without its values, which may be long. */
interface RowSize {
  readonly row_number: number;
  readonly bytes: number;
}

export interface RunningRow extends RowSize {
  readonly max_credits: number | null;
  readonly is_accepted: boolean;
  /** Whether the row was claimed so long ago that its run must be started again if it is not accepted. */
  readonly is_overdue: boolean;
}

/**
 * Lists the rows that run, and whether their executions were accepted. If a claimed row was not accepted within
 * `overdueMs`, the process that claimed it has died.
 */
export function listRunningRows(tx: Tx, batchId: string, overdueMs: number): Promise<readonly RunningRow[]> {
  return all(
    tx,
    `select r.row_number, r.max_credits, exists (select from executions e where e.id = r.execution_id) as is_accepted,
       r.claimed_at < now() - $2::float8 * interval '1 millisecond' as is_overdue, ${ROW_BYTES} as bytes
     from batch_rows r where r.batch_id = $1 and r.status = 'running' order by r.row_number`,
    [batchId, overdueMs],
  );
}

export interface WaitingRow extends RowSize {
  readonly estimated_credits: number;
}

/** Lists the next waiting rows up to the row number. */
export function listWaitingRows(
  tx: Tx,
  batchId: string,
  { maxRow, limit }: { readonly maxRow: number; readonly limit: number },
): Promise<readonly WaitingRow[]> {
  return all(
    tx,
    `select r.row_number, r.estimated_credits, ${ROW_BYTES} as bytes from batch_rows r
     where r.batch_id = $1 and r.status = 'waiting' and r.row_number <= $2 order by r.row_number limit $3`,
    [batchId, maxRow, limit],
  );
}

/** A row whose run starts. */
export interface ClaimedRow extends StoredRowValues {
  readonly row_number: number;
  readonly key: string | null;
  readonly max_credits: number | null;
  readonly attempt: number;
  readonly execution_id: string;
  readonly retried_execution_id: string | null;
}

/** Lists the rows with these numbers that run. */
export function listClaimedRows(
  tx: Tx,
  batchId: string,
  rowNumbers: readonly number[],
): Promise<readonly ClaimedRow[]> {
  return all(
    tx,
    `select r.row_number, r.key, r.inputs, r.config, r.shared, r.max_credits, r.attempt, r.execution_id, r.retried_execution_id
     from batch_rows r where r.batch_id = $1 and r.row_number = any ($2::int[]) and r.status = 'running'`,
    [batchId, rowNumbers],
  );
}

/** A claim of a waiting row, with the id of the execution that will be accepted for the row. */
export interface Claim extends RowSize {
  readonly execution_id: string;
  readonly max_credits: number | null;
}

/** Sets the waiting rows of the claims to `running`. */
export async function claimRows(
  tx: Tx,
  batchId: string,
  seq: number,
  claims: readonly Claim[],
): Promise<void> {
  await tx.query(
    buildStatusChange(
      `update batch_rows r set status = 'running', execution_id = i.execution_id, max_credits = i.max_credits,
         adds_values = true, claimed_at = now(), seq = $2
       from json_to_recordset($3::json) as i(row_number int, execution_id text, max_credits bigint)
       where r.batch_id = $1 and r.row_number = i.row_number and r.status = 'waiting'
       returning r.row_number, 'waiting' as old_status, r.status`,
      'row_number',
    ),
    [batchId, seq, JSON.stringify(claims)],
  );
}

/** Sets a row back to `waiting`, because its run was refused. */
export async function requeueRow(tx: Tx, batchId: string, rowNumber: number, seq: number): Promise<void> {
  await tx.query(
    buildStatusChange(
      `update batch_rows set status = 'waiting', execution_id = null, max_credits = null, seq = $3
       where batch_id = $1 and row_number = $2 and status = 'running'
       returning row_number, 'running' as old_status, status`,
      'row_number',
    ),
    [batchId, rowNumber, seq],
  );
}

/** Sets a row to `failed`, because its run was refused. `error` is JSON text. */
export async function failRow(
  tx: Tx,
  batchId: string,
  rowNumber: number,
  { seq, error }: { readonly seq: number; readonly error: string },
): Promise<void> {
  await tx.query(
    buildStatusChange(
      `update batch_rows set status = 'failed', execution_id = null, error = $4, seq = $3
       where batch_id = $1 and row_number = $2 and status = 'running'
       returning row_number, 'running' as old_status, status`,
      'row_number',
    ),
    [batchId, rowNumber, seq, error],
  );
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

/**
 * Sets failed rows back to `waiting`, and rows with another end that `choice` includes. A retried row reuses the completed
 * nodes of its last execution. Returns the number of rows.
 */
export async function retryRows(tx: Tx, batchId: string, seq: number, choice: RetryChoice): Promise<number> {
  const rows = await all(
    tx,
    buildStatusChange(
      `update batch_rows r set status = 'waiting', attempt = r.attempt + 1, error = null, max_credits = null, seq = $2,
         retried_execution_id = coalesce(r.execution_id, r.retried_execution_id), execution_id = null
       from batch_rows o where o.batch_id = r.batch_id and o.row_number = r.row_number and r.batch_id = $1 and (
         r.status = 'failed' and ($4 or coalesce(r.error::json ->> 'code', '') <> 'provider_outcome_unknown')
         or r.status = 'cancelled' and $3)
       returning r.row_number, o.status as old_status, r.status`,
      'row_number',
    ),
    [batchId, seq, choice.includeCancelled, choice.includeUnknown],
  );
  return rows.length;
}

/** Returns the ids of the batch's executions that have not ended. */
export function listActiveExecutions(tx: Tx, batchId: string): Promise<readonly string[]> {
  return allValues(
    tx,
    `select e.id from batch_rows r join executions e on e.id = r.execution_id
     where r.batch_id = $1 and r.status = 'running' and e.finished_at is null`,
    [batchId],
  );
}
