// Reads and lists batches and their rows.
import { JsonText } from '../../lib/json-text.ts';
import { cutRecord } from '../../runs/cut-record.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { mergeSteps, readBoundedSteps, readPlan } from '../../runs/executed-graph.ts';
import { presentOutputs } from '../../runs/present-execution.ts';
import { toPlainRun } from '../../runs/run-version.ts';
import { authorize, type WorkflowVerb } from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import { byId, type Order, type PageQuery, readPage } from '../../services/paging.ts';
import { listRows, type RowPlace, type ShownRow } from '../../store/automation/batch-rows.ts';
import { type BatchRow, findBatch, listBatches, sumCharged } from '../../store/automation/batches.ts';
import { listStepsOfRuns } from '../../store/steps.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import { authorizeAutomation } from '../access.ts';
import type { ListRowsQuery } from './batch.schema.ts';
import type { Axis } from './expand-rows.ts';

/**
 * Returns the batch for the user who started it and for users with the permission on its workflow. Throws 404 or 403.
 */
export async function getBatchRow(
  deps: RunDeps,
  user: UserActor,
  id: string,
  verb: Extract<WorkflowVerb, 'edit' | 'run'> = 'edit',
): Promise<BatchRow> {
  const batch = await findBatch(deps.db, id);
  const isOwn = batch?.user_id === user.userId;
  return (await authorizeAutomation(deps, user, batch, { verb, noun: 'batch', isOwn })).row;
}

export async function getBatch(deps: RunDeps, actor: Actor, id: string) {
  const batch = await getBatchRow(deps, requireScope(actor, 'workflows:read'), id);
  return presentBatch(deps, batch);
}

/** Lists, newest first, the batches of a workflow that the caller may edit, or those that the caller started. */
export async function listBatchPage(deps: RunDeps, actor: Actor, query: PageQuery, workflowId?: string) {
  const user = requireScope(actor, 'workflows:read');
  if (workflowId !== undefined)
    authorize(actor, 'edit', await findWorkflow(deps.db, workflowId, user.userId));
  const owner = workflowId === undefined ? { userId: user.userId } : { workflowId };
  const page = await readPage(
    query,
    byId('batch'),
    part => listBatches(deps.db, owner, part),
    row => row,
  );
  const ids = page.data.map(({ id }) => id);
  const charged = await sumCharged(deps.db, ids);
  return { ...page, data: page.data.map(row => present(deps, row, charged.get(row.id))) };
}

export async function presentBatch(deps: RunDeps, batch: BatchRow) {
  return present(deps, batch, (await sumCharged(deps.db, [batch.id])).get(batch.id));
}

function present(deps: RunDeps, batch: BatchRow, charged = 0) {
  return {
    id: batch.id,
    workflowId: batch.workflow_id,
    workflowVersion: batch.workflow_version,
    status: batch.status,
    reason: batch.reason,
    counts: { total: batch.total, ...batch.counts },
    concurrency: batch.concurrency,
    stopAfterFailures: batch.stop_after_failures,
    firstRows: batch.first_rows,
    maxCredits: batch.max_credits,
    credits: {
      estimated: batch.estimated_credits,
      exact: batch.estimate_is_exact,
      charged,
    },
    axes: batch.axes === null ? null : (JSON.parse(batch.axes) as readonly Axis[]),
    metadata: batch.metadata === null ? null : new JsonText(batch.metadata),
    createdAt: batch.created_at.toISOString(),
    finishedAt: batch.finished_at?.toISOString() ?? null,
    urls: presentBatchUrls(deps, batch.id),
  };
}

function presentBatchUrls({ settings }: Pick<RunDeps, 'settings'>, id: string) {
  const self = `${settings.BASE_URL}/api/v1/batches/${id}`;
  return { self, rows: `${self}/rows`, events: `${self}/events`, stop: `${self}/stop` };
}

/** Lists the rows of a batch in order, with the outputs of completed ones. */
export async function listRowPage(deps: RunDeps, actor: Actor, id: string, query: ListRowsQuery) {
  const batch = await getBatchRow(deps, requireScope(actor, 'workflows:read'), id);
  const { status = null, picked: isPicked = null, rows = null, sort } = query;
  const filter = { status, isPicked, rows: rows?.split(',').map(Number) ?? null };
  const page = await readPage(
    query,
    ROW_PLACE,
    part => listRows(deps.db, batch.id, filter, { ...part, ...(sort === undefined ? {} : { sort }) }),
    row => row,
  );
  return { ...page, data: await presentRows(deps, batch, page.data) };
}

/** Rows with equal ratings are in the order of their numbers. */
const ROW_PLACE: Order<ShownRow, RowPlace> = {
  keyOf: row => row,
  write: ({ rating, row_number }) => `${row_number}.${rating ?? 0}`,
  read: text => {
    const [, row, rating] = /^(\d{1,5})\.([0-5])$/.exec(text) ?? [];
    return row === undefined ? undefined : { row_number: Number(row), rating: Number(rating) };
  },
};

/** The size that the outputs of one row may have in a list. Longer values are cut. */
const MAX_ROW_BYTES = 64_000;

/** Presents rows with the outputs of their executions. */
export async function presentRows(
  deps: RunDeps,
  batch: Pick<BatchRow, 'workflow_id' | 'workflow_version'>,
  rows: readonly ShownRow[],
  maxRowBytes = MAX_ROW_BYTES,
) {
  const ids = rows.flatMap(({ status, execution_id }) =>
    status === 'completed' && execution_id !== null ? [execution_id] : [],
  );
  const plan = await readPlan(deps, toPlainRun(batch.workflow_id, batch.workflow_version));
  const stored = ids.length === 0 ? [] : await listStepsOfRuns(deps.db, ids, { maxBytes: MAX_ROW_BYTES });
  const outputs = new Map<string, readonly object[]>();
  // Longer states are read and cut one after the other, so that a page of them is never in memory.
  for (const [index, id] of ids.entries()) {
    const stepRows = stored[index]?.rows;
    const steps = stepRows === undefined ? await readBoundedSteps(deps.db, id) : mergeSteps(stepRows);
    const whole = { nodeStates: [], outputs: presentOutputs(plan, steps) };
    outputs.set(id, cutRecord(whole, maxRowBytes).outputs);
  }
  return rows.map(row => ({
    row: row.row_number,
    key: row.key,
    inputs: new JsonText(row.inputs),
    config: row.config === null ? null : new JsonText(row.config),
    status: row.status,
    executionId: row.execution_id,
    outputs: outputs.get(row.execution_id ?? '') ?? [],
    error: row.error === null ? null : (JSON.parse(row.error) as { code: string; message: string }),
    credits: row.credits,
    rating: row.rating,
    isPicked: row.is_picked,
  }));
}

export type PresentedRow = Awaited<ReturnType<typeof presentRows>>[number];
