// Lists the rows of batches with their values, in pages that are limited by count and by size.
import type { Tx } from '../../../store/db.ts';
import { all, first, type PageRange } from '../../../store/rows.ts';
import { type NewRow, ROW_BYTES, type RowStatus } from './rows.ts';

export interface RowDetails extends Omit<NewRow, 'estimated_credits' | 'bytes'> {
  readonly status: RowStatus;
  readonly execution_id: string | null;
  readonly error: string | null;
  readonly credits: number;
  readonly rating: number | null;
  readonly is_picked: boolean;
  readonly seq: number;
}

const ROW_COLUMNS = `r.row_number, r.key, r.inputs, r.config, r.shared, r.status, r.execution_id, r.error, r.rating, r.is_picked,
  r.seq, coalesce((select sum(c.charged) from executions e join run_credits c on c.execution_id = e.id
    where e.origin_id = r.batch_id and e.origin_key = coalesce(r.key, r.row_number::text)), 0)::bigint as credits`;

/** How many rows a page has. It has at least one row, also if that row is larger. */
export interface PageSize {
  readonly limit: number;
  readonly maxBytes: number;
  /** The size that the outputs of a completed row may have in the page. */
  readonly outputBytes: number;
}

export interface RowPage {
  readonly rows: readonly RowDetails[];
  readonly hasMore: boolean;
}

/** Reads the rows that meet the condition in this order, as many as fit. The condition uses parameters from `$4` on. */
async function readRowPage(
  tx: Tx,
  { where, order }: { readonly where: string; readonly order: string },
  { limit, maxBytes, outputBytes }: PageSize,
  values: readonly unknown[],
): Promise<RowPage> {
  const rows = await all<RowDetails & { readonly found: number }>(
    tx,
    `select ${ROW_COLUMNS}, r.found from (
       select r.*, count(*) over () as found, row_number() over (order by ${order}) as position,
         sum(${ROW_BYTES} + case when r.status = 'completed' then $3::bigint else 0 end) over (order by ${order}) as page_bytes
       from (select r.* from batch_rows r where ${where} order by ${order} limit $1) r
     ) r where r.position = 1 or r.page_bytes <= $2::bigint order by ${order}`,
    [limit + 1, maxBytes, outputBytes, ...values],
  );
  const [firstRow] = rows;
  const pageRows = rows.slice(0, limit).map(({ found: _, ...row }) => row);
  return { rows: pageRows, hasMore: firstRow !== undefined && firstRow.found > pageRows.length };
}

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

/** For each sort order: the columns to sort by, and their values in the last row of the previous page, which is `$5`. */
const SORTS: Readonly<Record<RowSort, readonly [order: string, values: string]>> = {
  row: ['r.row_number', '($5::int[])[2]'],
  // Rows without a rating are last.
  rating: ['5 - coalesce(r.rating, 0), r.row_number', '($5::int[])[1], ($5::int[])[2]'],
};

export function listRows(
  tx: Tx,
  batchId: string,
  { status, isPicked, rowNumbers }: RowFilter,
  {
    after,
    sort = 'row',
    ...size
  }: PageRange<RowPosition> & PageSize & { readonly sort?: RowSort | undefined },
): Promise<RowPage> {
  const [order, lastValues] = SORTS[sort];
  const where = `r.batch_id = $4 and (${order}) > (${lastValues}) and ($6::text is null or r.status = $6)
    and ($7::boolean is null or r.is_picked = $7) and ($8::int[] is null or r.row_number = any ($8))`;
  return readRowPage(tx, { where, order }, size, [
    batchId,
    after === null ? [-1, 0] : [5 - (after.rating ?? 0), after.row_number],
    status ?? null,
    isPicked ?? null,
    rowNumbers ?? null,
  ]);
}

export interface ChangeRange extends PageSize {
  /** The last row that was read. */
  readonly after: { readonly seq: number; readonly row: number };
  /** The last change of the batch to read. */
  readonly maxSeq: number;
}

/** Lists the rows whose last change is in the range, oldest change first. */
export function listChangedRows(
  tx: Tx,
  batchId: string,
  { after, maxSeq, ...size }: ChangeRange,
): Promise<RowPage> {
  const where = 'r.batch_id = $4 and (r.seq, r.row_number) > ($5, $6) and r.seq <= $7';
  return readRowPage(tx, { where, order: 'r.seq, r.row_number' }, size, [
    batchId,
    after.seq,
    after.row,
    maxSeq,
  ]);
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
