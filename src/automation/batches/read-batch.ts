// Reads and lists batches and their rows.
import type { JsonObject } from '../../graph/types.ts';
import { JsonText } from '../../lib/json-text.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { toVersionKey } from '../../runs/prepare/run-version.ts';
import { mergeSteps, readBoundedSteps, readPlan } from '../../runs/prepare/stored-run.ts';
import { presentOutputs } from '../../runs/read/present-execution.ts';
import { truncateRecord } from '../../runs/read/truncate-record.ts';
import type { WorkflowAction } from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import { byId, type Order, type PageQuery, readPage, readSizedPage } from '../../services/paging.ts';
import { presentColumns } from '../../services/present-columns.ts';
import { listStepsOfRuns } from '../../store/steps.ts';
import { authorizeAutomation, authorizeList } from '../access.ts';
import type { ListRowsQuery } from './batch.schema.ts';
import type { Axis } from './expand-rows.ts';
import { joinValues } from './row-values.ts';
import {
  type BatchHead,
  findBatch,
  findBatchHead,
  type ListedBatch,
  listBatches,
  type StoredBatch,
  sumCharged,
} from './store/batches.ts';
import { listRows, type RowDetails, type RowPosition } from './store/row-lists.ts';

/**
 * Returns the batch, without the values that may be long, if the user's role in its workflow allows the action. For `edit`,
 * which reads require, it is enough that the user started the batch and has any role. Throws 404 and 403.
 */
export async function authorizeBatch(
  deps: RunDeps,
  user: UserActor,
  id: string,
  action: BatchAction = 'edit',
): Promise<BatchHead> {
  return authorizeRow(deps, user, await findBatchHead(deps.db, id), action);
}

type BatchAction = Extract<WorkflowAction, 'edit' | 'run'>;

async function authorizeRow<R extends BatchHead>(
  deps: RunDeps,
  user: UserActor,
  row: R | undefined,
  action: BatchAction,
): Promise<R> {
  const isOwn = row?.user_id === user.userId;
  return (await authorizeAutomation(deps, user, row, { action, noun: 'batch', isOwn })).row;
}

/** Returns the whole batch if the user may read it. Throws 404 and 403. */
export async function getReadableBatch(deps: RunDeps, actor: Actor, id: string): Promise<StoredBatch> {
  const user = requireScope(actor, 'workflows:read');
  return authorizeRow(deps, user, await findBatch(deps.db, id), 'edit');
}

export async function readBatch(deps: RunDeps, actor: Actor, id: string) {
  return presentBatch(deps, await getReadableBatch(deps, actor, id));
}

/**
 * Lists, newest first, the batches of a workflow that the caller may edit, or the batches that the caller started in workflows
 * that the caller may still read.
 */
export async function listBatchPage(deps: RunDeps, actor: Actor, query: PageQuery, workflowId?: string) {
  const owner = await authorizeList(deps, actor, workflowId);
  const batchPage = await readPage(
    query,
    byId('batch'),
    page => listBatches(deps.db, owner, page),
    row => row,
  );
  const ids = batchPage.data.map(({ id }) => id);
  const charged = await sumCharged(deps.db, ids);
  return { ...batchPage, data: batchPage.data.map(row => presentWithCharge(deps, row, charged.get(row.id))) };
}

type PresentableBatch = StoredBatch & Partial<Pick<ListedBatch, 'is_truncated'>>;

export async function presentBatch(deps: RunDeps, batch: PresentableBatch) {
  return presentWithCharge(deps, batch, (await sumCharged(deps.db, [batch.id])).get(batch.id));
}

function presentWithCharge(deps: RunDeps, batch: PresentableBatch, charged = 0) {
  return {
    ...presentColumns(batch, 'id workflow_id workflow_name workflow_version status reason'),
    counts: { total: batch.total, ...batch.counts },
    ...presentColumns(batch, 'concurrency stop_after_failures first_rows max_credits'),
    credits: {
      estimated: batch.estimated_credits,
      exact: batch.estimate_is_exact,
      charged,
    },
    axes: batch.axes === null ? null : JsonText.trust<readonly Axis[]>(batch.axes),
    targets: batch.targets === null ? null : JsonText.trust<readonly string[]>(batch.targets),
    metadata: batch.metadata === null ? null : JsonText.trust<JsonObject>(batch.metadata),
    ...(batch.is_truncated ? { truncated: true } : {}),
    ...presentColumns(batch, 'created_at finished_at'),
    urls: presentBatchUrls(deps, batch.id),
  };
}

function presentBatchUrls({ settings }: Pick<RunDeps, 'settings'>, id: string) {
  const self = `${settings.BASE_URL}/api/v1/batches/${id}`;
  return { self, rows: `${self}/rows`, events: `${self}/events`, stop: `${self}/stop` };
}

/** Lists the rows of a batch in order, with the outputs of completed ones. */
export async function listRowPage(deps: RunDeps, actor: Actor, id: string, query: ListRowsQuery) {
  const batch = await authorizeBatch(deps, requireScope(actor, 'workflows:read'), id);
  const { status, picked: isPicked, rows, sort } = query;
  const filter = { status, isPicked, rowNumbers: rows?.split(',').map(Number) };
  const rowPage = await readSizedPage(
    query,
    ROW_ORDER,
    page => listRows(deps.db, batch.id, filter, { ...page, ...PAGE_SIZE, sort }),
    row => row,
  );
  return { ...rowPage, data: await presentRows(deps, batch, rowPage.data) };
}

/** Orders rows by number, or by rating and then by number. */
const ROW_ORDER: Order<RowDetails, RowPosition> = {
  keyOf: row => row,
  encode: ({ rating, row_number }) => `${row_number}.${rating ?? 0}`,
  decode: text => {
    const [, row, rating] = /^(\d{1,5})\.([0-5])$/.exec(text) ?? [];
    return row === undefined ? undefined : { row_number: Number(row), rating: Number(rating) };
  },
};

/** The maximum size of one row's outputs in a list. Longer values are truncated. */
const MAX_LISTED_ROW_BYTES = 64_000;

/** The size of a page of rows. A larger row is a page of its own. */
export const PAGE_SIZE = { maxBytes: 15_000_000, outputBytes: MAX_LISTED_ROW_BYTES };

/** Presents rows with the outputs of their executions. */
export async function presentRows(
  deps: RunDeps,
  batch: Pick<StoredBatch, 'id' | 'workflow_id' | 'workflow_version' | 'targets'>,
  storedRows: readonly RowDetails[],
  maxRowBytes = MAX_LISTED_ROW_BYTES,
) {
  const rows = await joinValues(deps.db, batch.id, storedRows);
  const ids = rows.flatMap(({ status, execution_id }) =>
    status === 'completed' && execution_id !== null ? [execution_id] : [],
  );
  const plan = await readPlan(deps, toVersionKey(batch.workflow_id, batch.workflow_version, batch.targets));
  const runSteps =
    ids.length === 0 ? [] : await listStepsOfRuns(deps.db, ids, { maxBytes: MAX_LISTED_ROW_BYTES });
  const outputs = new Map<string, readonly object[]>();
  // Larger steps are read and truncated one after the other, so that only the steps of one run are in memory.
  for (const [index, id] of ids.entries()) {
    const stepRows = runSteps[index]?.rows;
    const steps = stepRows === undefined ? await readBoundedSteps(deps.db, id) : mergeSteps(stepRows);
    const record = { nodeStates: [], outputs: presentOutputs(plan, steps) };
    outputs.set(id, truncateRecord(record, maxRowBytes).outputs);
    await yieldTurn();
  }
  // The caller serializes the rows in one step.
  await yieldTurn();
  return rows.map(row => ({
    row: row.row_number,
    key: row.key,
    inputs: JsonText.trust(row.inputs),
    config: row.config === null ? null : JsonText.trust(row.config),
    status: row.status,
    executionId: row.execution_id,
    outputs: outputs.get(row.execution_id ?? '') ?? [],
    error: row.error === null ? null : JsonText.trust<{ code: string; message: string }>(row.error),
    credits: row.credits,
    rating: row.rating,
    isPicked: row.is_picked,
  }));
}

export type PresentedRow = Awaited<ReturnType<typeof presentRows>>[number];
