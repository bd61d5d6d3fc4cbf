// Stores the rows of batches. Each statement that changes the status of rows also changes the batch's counts, so that
// counts and rows always agree.
import type { Tx } from '../db.ts';
import { all, allValues, first, matches, type PageRange } from '../rows.ts';

export const ROW_STATUSES = ['waiting', 'running', 'completed', 'failed', 'cancelled', 'skipped'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

export interface NewRow {
  readonly row_number: number;
  readonly key: string | null;
  /** JSON text by node id. */
  readonly inputs: string;
  /** JSON text by node id; null if there is none. */
  readonly config: string | null;
  readonly estimated_credits: number;
}

/** Stores rows of a new batch. */
export async function insertRows(tx: Tx, batchId: string, rows: readonly NewRow[]): Promise<void> {
  await tx.query(
    `insert into batch_rows (batch_id, row_number, key, inputs, config, estimated_credits)
     select $1, row_number, key, inputs, config, estimated_credits
     from json_to_recordset($2::json) as i(row_number int, key text, inputs text, config text, estimated_credits bigint)`,
    [batchId, JSON.stringify(rows)],
  );
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

/** A row that waits, or whose execution is not accepted yet. */
export interface StartableRow extends NewRow {
  readonly max_credits: number | null;
  readonly attempt: number;
  readonly execution_id: string | null;
  readonly retried_execution_id: string | null;
}

const STARTABLE = `r.row_number, r.key, r.inputs, r.config, r.estimated_credits, r.max_credits, r.attempt, r.execution_id,
  r.retried_execution_id`;

/** A row that runs, without its values, which may be long. */
export interface RunningRow extends Pick<StartableRow, 'row_number' | 'max_credits'> {
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
       r.claimed_at < now() - $2::float8 * interval '1 millisecond' as is_overdue
     from batch_rows r where r.batch_id = $1 and r.status = 'running' order by r.row_number`,
    [batchId, overdueMs],
  );
}

export function listRowsByNumber(
  tx: Tx,
  batchId: string,
  rowNumbers: readonly number[],
): Promise<readonly StartableRow[]> {
  return all(
    tx,
    `select ${STARTABLE} from batch_rows r where r.batch_id = $1 and r.row_number = any ($2::int[])`,
    [batchId, rowNumbers],
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

/** Sets waiting rows to `running`, each with the id of the execution that will be accepted for the row. */
export async function claimRows(
  tx: Tx,
  batchId: string,
  seq: number,
  rows: readonly Pick<StartableRow, 'row_number' | 'execution_id' | 'max_credits'>[],
): Promise<void> {
  const claims = rows.map(({ row_number, execution_id, max_credits }) => ({
    row_number,
    execution_id,
    max_credits,
  }));
  await tx.query(
    buildStatusChange(
      `update batch_rows r set status = 'running', execution_id = i.execution_id, max_credits = i.max_credits,
         claimed_at = now(), seq = $2
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

export interface RowDetails extends Omit<NewRow, 'estimated_credits'> {
  readonly status: RowStatus;
  readonly execution_id: string | null;
  readonly error: string | null;
  readonly credits: number;
  readonly rating: number | null;
  readonly is_picked: boolean;
  readonly seq: number;
}

const ROW_COLUMNS = `r.row_number, r.key, r.inputs, r.config, r.status, r.execution_id, r.error, r.rating, r.is_picked, r.seq,
  coalesce((select sum(c.charged) from executions e join run_credits c on c.execution_id = e.id
    where e.origin_id = r.batch_id and e.origin_key = coalesce(r.key, r.row_number::text)), 0)::bigint as credits`;

/** Omitted properties match every row. */
export interface RowFilter {
  readonly status?: RowStatus | undefined;
  readonly isPicked?: boolean | undefined;
  readonly rowNumbers?: readonly number[] | undefined;
}

export const ROW_SORTS = ['row', 'rating'] as const;
export type RowSort = (typeof ROW_SORTS)[number];

/** The position of a row in a list, for its cursor. */
export type RowPosition = Pick<RowDetails, 'rating' | 'row_number'>;

/** For each sort order: the columns to sort by, and their values in the last row of the previous page, which is `$2`. */
const SORTS: Readonly<Record<RowSort, readonly [order: string, values: string]>> = {
  row: ['r.row_number', '($2::int[])[2]'],
  // Rows without a rating are last.
  rating: ['5 - coalesce(r.rating, 0), r.row_number', '($2::int[])[1], ($2::int[])[2]'],
};

export function listRows(
  tx: Tx,
  batchId: string,
  { status, isPicked, rowNumbers }: RowFilter,
  { after, limit, sort = 'row' }: PageRange<RowPosition> & { readonly sort?: RowSort },
): Promise<readonly RowDetails[]> {
  const [order, values] = SORTS[sort];
  return all(
    tx,
    `select ${ROW_COLUMNS} from batch_rows r
     where r.batch_id = $1 and (${order}) > (${values}) and ($3::text is null or r.status = $3)
       and ($4::boolean is null or r.is_picked = $4) and ($5::int[] is null or r.row_number = any ($5))
     order by ${order} limit $6`,
    [
      batchId,
      after === null ? [-1, 0] : [5 - (after.rating ?? 0), after.row_number],
      status ?? null,
      isPicked ?? null,
      rowNumbers ?? null,
      limit,
    ],
  );
}

export interface ChangeRange {
  /** The last row that was read. */
  readonly after: { readonly seq: number; readonly row: number };
  /** The last change of the batch to read. */
  readonly maxSeq: number;
  readonly limit: number;
}

/** Lists the rows whose last change is in the range, oldest change first. */
export function listChangedRows(
  tx: Tx,
  batchId: string,
  { after, maxSeq, limit }: ChangeRange,
): Promise<readonly RowDetails[]> {
  return all(
    tx,
    `select ${ROW_COLUMNS} from batch_rows r
     where r.batch_id = $1 and (r.seq, r.row_number) > ($2, $3) and r.seq <= $4 order by r.seq, r.row_number limit $5`,
    [batchId, after.seq, after.row, maxSeq, limit],
  );
}

export interface RowReview {
  readonly rating?: number | null;
  readonly isPicked?: boolean;
}

/** Rates or picks a row. Returns undefined if there is no such row. The caller must hold the batch's lock. */
export function reviewRow(
  tx: Tx,
  batchId: string,
  rowNumber: number,
  { seq, rating, isPicked }: RowReview & { readonly seq: number },
): Promise<RowDetails | undefined> {
  return first(
    tx,
    `with reviewed as (
       update batch_rows set seq = $3, rating = case when $4 then $5 else rating end, is_picked = coalesce($6, is_picked)
       where batch_id = $1 and row_number = $2 returning *)
     select ${ROW_COLUMNS} from reviewed r`,
    [batchId, rowNumber, seq, rating !== undefined, rating ?? null, isPicked ?? null],
  );
}
