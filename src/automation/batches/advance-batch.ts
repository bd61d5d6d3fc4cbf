// Advances a batch: settles rows whose executions have ended, starts the next rows, and ends the batch. A job advances a
// batch whenever executions of the batch end.
import type { JsonObject } from '../../graph/types.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { JsonText } from '../../lib/json-text.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { cancelRuns } from '../../runs/end/cancel-run.ts';
import type { RunConfig } from '../../runs/prepare/run.schema.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import { getUserActor } from '../../services/accounts/user-actor.ts';
import type { Tx } from '../../store/db.ts';
import { enqueue } from '../../store/queue.ts';
import { getSpender } from '../../store/spenders.ts';
import { startForUser, toRefusal } from '../start-for-user.ts';
import { buildBatchDelivery } from './batch-event.ts';
import { notifyStop } from './batch-notice.ts';
import { joinValues } from './row-values.ts';
import {
  type BatchHead,
  countRunningRows,
  findBatch,
  lockBatch,
  type StoredBatch,
  sumSettledCredits,
  updateBatch,
} from './store/batches.ts';
import { sweepDraft } from './store/drafts.ts';
import {
  type Claim,
  type ClaimedRow,
  claimRows,
  failRow,
  hasWaitingRow,
  listActiveExecutions,
  listClaimedRows,
  listRunningRows,
  listWaitingRows,
  type RunningRow,
  requeueRow,
  type SettledRow,
  settleRows,
  type WaitingRow,
} from './store/rows.ts';

/** The codes of refusals that apply to the next rows as well. The batch stops with the code as its reason. */
const STOP_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'insufficient_credits',
  'daily_budget_exceeded',
  'daily_limit_exceeded',
  'member_limit_exceeded',
  'key_limit_exceeded',
  'daily_execution_limit',
  'provider_not_configured',
  'local_nodes_off',
  'comfyui_missing',
  'unpriced_model',
  'not_allowed_by_policy',
  'workflow_inactive',
  'forbidden',
  'not_found',
]);

/** Advances the batch once. Does nothing if it has ended or is paused. Deletes a draft that has expired. */
export async function advanceBatch(deps: RunDeps, id: string): Promise<void> {
  const advanced = await deps.runDb.transaction(tx => advance(deps, tx, id));
  if (advanced === undefined) return;
  deps.changeHub.notify(id);
  const { batch, rows } = advanced;
  if (advanced.cancelsRunning) await cancelRuns(deps, await listActiveExecutions(deps.runDb, id));
  if (advanced.nextAtMs !== undefined) deps.wakeTimers.set('background', advanced.nextAtMs);
  for (const numbers of groupBySize(rows)) await startRows(deps, batch, numbers);
}

/** Rows whose values have at most this size together are in memory at the same time. */
const MAX_STARTED_BYTES = 16_000_000;

function groupBySize(rows: readonly RowToStart[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  let groupBytes = Number.POSITIVE_INFINITY;
  for (const { row_number, bytes } of rows) {
    groupBytes += bytes;
    if (groupBytes > MAX_STARTED_BYTES) {
      groups.push([]);
      groupBytes = bytes;
    }
    groups.at(-1)?.push(row_number);
  }
  return groups;
}

/** A claimed row. The id of its execution is stored before the run starts, so that the row never starts twice. */
type RowToStart = Pick<RunningRow, 'row_number' | 'bytes'>;

interface AdvancedBatch {
  readonly batch: BatchHead;
  readonly rows: readonly RowToStart[];
  readonly cancelsRunning: boolean;
  /** When to advance the batch again, unless an execution ends earlier. */
  readonly nextAtMs: number | undefined;
}

async function advance(deps: RunDeps, tx: Tx, id: string): Promise<AdvancedBatch | undefined> {
  const batch = await lockBatch(tx, id);
  if (batch === undefined) await sweepDraft(tx, id);
  if (batch === undefined || (batch.status !== 'RUNNING' && batch.status !== 'STOPPING')) return undefined;
  const seq = batch.seq + 1;
  const failures = countFailures(batch.failures_in_a_row, await settleRows(tx, id, seq));
  const running = await listRunningRows(tx, id, deps.timing.rowOverdueMs);
  const lostRows = running.filter(row => !row.is_accepted && row.is_overdue);
  const hasTooManyFailures = batch.stop_after_failures > 0 && failures >= batch.stop_after_failures;
  const stopReason = batch.status === 'RUNNING' && hasTooManyFailures ? 'failures_in_a_row' : undefined;
  const next =
    batch.status === 'STOPPING' || stopReason !== undefined
      ? { rows: [], stopReason }
      : await claimNext(deps, tx, batch, running);
  const isIdle = running.length === 0 && next.rows.length === 0;
  const change = await chooseState(deps, tx, { batch, isIdle, stopReason: next.stopReason });
  const state = { failures_in_a_row: failures, ...change };
  const hasEnded = state.status === 'STOPPED' || state.status === 'COMPLETED';
  const storedBatch = hasEnded ? await findBatch(tx, id) : undefined;
  const endedBatch = storedBatch && { ...storedBatch, ...state };
  const delivery = endedBatch === undefined ? null : await buildBatchDelivery(tx, endedBatch);
  await updateBatch(tx, id, state, delivery);
  if (endedBatch?.status === 'STOPPED') await notifyStop(tx, endedBatch);
  if (delivery !== null) deps.wakeTimers.wake('background');
  // The end of an execution advances the batch. If none will end, because other batches use every slot or the process that
  // claimed a row has died, a timer advances the batch.
  const isWaiting = state.status === undefined && isIdle;
  const hasUnacceptedRows =
    next.rows.length === 0 && running.some(row => !row.is_accepted && !row.is_overdue);
  const delayMs = isWaiting
    ? deps.timing.batchRetryMs
    : hasUnacceptedRows
      ? deps.timing.rowOverdueMs
      : undefined;
  const nextAtMs = delayMs === undefined ? undefined : deps.now() + delayMs;
  if (nextAtMs !== undefined) await enqueue(tx, 'batch', [id], new Date(nextAtMs));
  return {
    batch,
    rows: [...lostRows, ...next.rows],
    cancelsRunning: batch.cancels_running && running.length > 0,
    nextAtMs,
  };
}

function countFailures(before: number, settled: readonly SettledRow[]): number {
  let failures = before;
  for (const { status } of settled) {
    if (status === 'failed') failures++;
    if (status === 'completed') failures = 0;
  }
  return failures;
}

interface NextRows {
  readonly rows: readonly RowToStart[];
  /** Set if the batch must stop. */
  readonly stopReason?: string | undefined;
}

/** Claims as many waiting rows as the limits of the batch, its workspace and its credits allow. */
async function claimNext(
  deps: RunDeps,
  tx: Tx,
  batch: BatchHead,
  running: readonly RunningRow[],
): Promise<NextRows> {
  const freeSlots = Math.min(
    batch.concurrency - running.length,
    await countFreeSlots(deps, tx, batch.workspace),
  );
  if (freeSlots <= 0) return { rows: [] };
  const maxRow = batch.first_rows ?? batch.total;
  const waiting = await listWaitingRows(tx, batch.id, { maxRow, limit: freeSlots });
  const affordable =
    batch.max_credits === null || waiting.length === 0
      ? waiting.map(toUnlimited)
      : chooseAffordable(waiting, await computeRemainingCredits(tx, batch, running), batch.estimate_is_exact);
  const rows = affordable.map((row): Claim => ({ ...row, execution_id: newId('execution', deps.now()) }));
  if (rows.length > 0) await claimRows(tx, batch.id, batch.seq + 1, rows);
  const isOutOfCredits = rows.length === 0 && waiting.length > 0 && running.length === 0;
  return { rows, stopReason: isOutOfCredits ? 'max_credits' : undefined };
}

type AffordableRow = Omit<Claim, 'execution_id'>;

const toUnlimited = ({ row_number, bytes }: WaitingRow): AffordableRow => ({
  row_number,
  bytes,
  max_credits: null,
});

/**
 * Returns how many more rows of batches may run in the workspace. A tenth of the workspace's slots, and at least one, is
 * reserved for other runs.
 */
async function countFreeSlots({ settings }: RunDeps, tx: Tx, workspace: string): Promise<number> {
  const limit = settings.MAX_CONCURRENT_RUNS;
  const maxRows = Math.max(1, limit - Math.max(1, Math.ceil(limit / 10)));
  return maxRows - (await countRunningRows(tx, workspace));
}

/** Returns the credits of the batch that are neither spent nor reserved for running rows. */
async function computeRemainingCredits(
  tx: Tx,
  batch: BatchHead,
  running: readonly RunningRow[],
): Promise<number> {
  const reserved = running.reduce((sum, { max_credits }) => sum + (max_credits ?? 0), 0);
  return (batch.max_credits ?? 0) - (await sumSettledCredits(tx, batch.id)) - reserved;
}

/** Returns the rows that the credits suffice for, each with its limit. Rows without exact prices share the rest. */
function chooseAffordable(
  waiting: readonly WaitingRow[],
  remaining: number,
  isExact: boolean,
): readonly AffordableRow[] {
  let creditsLeft = remaining;
  const rows: WaitingRow[] = [];
  for (const row of waiting) {
    if (row.estimated_credits > creditsLeft || (!isExact && creditsLeft <= 0)) break;
    creditsLeft -= row.estimated_credits;
    rows.push(row);
  }
  const extra = isExact ? 0 : Math.floor(creditsLeft / Math.max(1, rows.length));
  return rows.map(({ row_number, bytes, estimated_credits }) => ({
    row_number,
    bytes,
    max_credits: estimated_credits + extra,
  }));
}

async function chooseState(
  deps: RunDeps,
  tx: Tx,
  {
    batch,
    isIdle,
    stopReason,
  }: { readonly batch: BatchHead; readonly isIdle: boolean; readonly stopReason: string | undefined },
): Promise<Partial<Pick<StoredBatch, 'status' | 'reason' | 'finished_at'>>> {
  const finished_at = new Date(deps.now());
  const reason = stopReason ?? batch.reason;
  if (stopReason !== undefined || batch.status === 'STOPPING')
    return isIdle ? { status: 'STOPPED', reason, finished_at } : { status: 'STOPPING', reason };
  if (!isIdle || (await hasWaitingRow(tx, batch.id, batch.first_rows ?? batch.total))) return {};
  if (batch.first_rows !== null && (await hasWaitingRow(tx, batch.id, batch.total)))
    return { status: 'PAUSED' };
  return { status: 'COMPLETED', finished_at };
}

/** Starts the runs of claimed rows, and records refusals. A run that was already accepted is not repeated. */
async function startRows(deps: RunDeps, batch: BatchHead, numbers: readonly number[]): Promise<void> {
  const rows = await joinValues(deps.runDb, batch.id, await listClaimedRows(deps.runDb, batch.id, numbers));
  const actor = await getUserActor(deps, batch.user_id).catch(toRefusal);
  const outcomes = await Promise.all(
    rows.map(async row => ({
      row,
      refusal:
        actor instanceof AppError
          ? actor
          : await startRow(deps, actor, batch, row).then(() => undefined, toRefusal),
    })),
  );
  if (outcomes.every(({ refusal }) => refusal === undefined)) return;
  await deps.runDb.transaction(async tx => {
    const current = await lockBatch(tx, batch.id);
    if (current === undefined) return;
    const seq = current.seq + 1;
    let failures = current.failures_in_a_row;
    let stopCode: string | undefined;
    for (const { row, refusal } of outcomes) {
      if (refusal === undefined) continue;
      if (STOP_CODES.has(refusal.code)) {
        stopCode = refusal.code;
        await requeueRow(tx, batch.id, row.row_number, seq);
      } else {
        failures++;
        const error = JSON.stringify({ code: refusal.code, message: refusal.message, nodeId: null });
        await failRow(tx, batch.id, row.row_number, { seq, error });
      }
    }
    const state =
      stopCode !== undefined && current.status === 'RUNNING'
        ? ({ status: 'STOPPING', reason: stopCode } as const)
        : {};
    await updateBatch(tx, batch.id, { failures_in_a_row: failures, ...state });
    await enqueue(tx, 'batch', [batch.id]);
  });
  deps.wakeTimers.wake('background');
}

async function startRow(deps: RunDeps, actor: UserActor, batch: BatchHead, row: ClaimedRow): Promise<void> {
  const { execution_id: executionId, max_credits: maxCredits, retried_execution_id: retriedId } = row;
  const key = row.key ?? String(row.row_number);
  await startForUser(deps, actor, {
    workflowId: batch.workflow_id,
    versionNumber: batch.workflow_version,
    idempotencyScope: 'batch',
    request: {
      inputs: JsonText.trust<JsonObject>(row.inputs),
      ...(row.config === null ? {} : { config: JsonText.trust<RunConfig>(row.config) }),
      ...(batch.targets === null ? {} : { targets: JSON.parse(batch.targets) as string[] }),
      ...(maxCredits === null ? {} : { maxCredits }),
      ...(retriedId === null ? {} : { keep: { executionId: retriedId } }),
    },
    idempotencyKey: `${batch.id}:${row.row_number}${row.attempt === 1 ? '' : `:${row.attempt}`}`,
    trigger: 'batch',
    origin: { id: batch.id, key, executionId, spender: getSpender(batch) },
  });
}
