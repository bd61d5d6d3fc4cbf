// Advances a batch: settles rows whose executions have ended, starts the next ones, and ends the batch. A job does this
// whenever executions of the batch end.
import type { JsonObject } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { JsonText } from '../../lib/json-text.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { cancelRuns } from '../../runs/executions.ts';
import type { RunConfig } from '../../runs/run.schema.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import { getUserActor } from '../../services/accounts/user-actor.ts';
import {
  claimRows,
  failRow,
  hasWaitingRow,
  listActiveExecutions,
  listRowsToStart,
  listRunningRows,
  listWaitingRows,
  OVERDUE_SECONDS,
  type RunningRow,
  returnRow,
  type SettledRow,
  type StartableRow,
  settleRows,
} from '../../store/automation/batch-rows.ts';
import {
  type BatchRow,
  countRunningRows,
  lockBatch,
  sumSettledCredits,
  updateBatch,
} from '../../store/automation/batches.ts';
import type { Tx } from '../../store/db.ts';
import { enqueue } from '../../store/queue.ts';
import { startForUser, toRefusal } from '../start-for-user.ts';
import { buildBatchDelivery } from './batch-event.ts';
import { noticeStop } from './batch-notice.ts';

/** Codes of refusals that the next rows would get too. The batch stops with the code as its reason. */
const STOP_CODES: ReadonlySet<string> = new Set([
  'insufficient_credits',
  'daily_budget_exceeded',
  'daily_execution_limit',
  'provider_not_configured',
  'unpriced_model',
  'workflow_inactive',
  'forbidden',
  'not_found',
]);

/** The delay after which a batch without a slot tries again. */
const NO_SLOT_MS = 1000;

/** A row to start. Its execution has an id already, so that it is never started twice. */
interface ClaimedRow extends StartableRow {
  readonly execution_id: string;
}

/** Advances the batch once. Does nothing if it has ended or is paused. */
export async function advanceBatch(deps: RunDeps, id: string): Promise<void> {
  const advanced = await deps.runDb.transaction(tx => advance(deps, tx, id));
  if (advanced === undefined) return;
  deps.runNotifier.notify(id);
  const { batch, rows } = advanced;
  if (advanced.cancels) await cancelRuns(deps, await listActiveExecutions(deps.runDb, id));
  if (advanced.nextAtMs !== undefined) deps.wakeTimers.set('deliveries', advanced.nextAtMs);
  if (rows.length > 0) await startRows(deps, batch, rows);
}

interface Advanced {
  readonly batch: BatchRow;
  readonly rows: readonly ClaimedRow[];
  readonly cancels: boolean;
  readonly nextAtMs: number | undefined;
}

async function advance(deps: RunDeps, tx: Tx, id: string): Promise<Advanced | undefined> {
  const batch = await lockBatch(tx, id);
  if (batch === undefined || (batch.status !== 'RUNNING' && batch.status !== 'STOPPING')) return undefined;
  const seq = batch.seq + 1;
  const failures = countFailures(batch.failures_in_a_row, await settleRows(tx, id, seq));
  const running = await listRunningRows(tx, id);
  const lost = running.filter(row => !row.is_accepted && row.is_overdue).map(row => row.row_number);
  const lostRows = lost.length === 0 ? [] : await listRowsToStart(tx, id, lost);
  const hasFailedOften = batch.stop_after_failures > 0 && failures >= batch.stop_after_failures;
  const stops = batch.status === 'RUNNING' && hasFailedOften ? 'failures_in_a_row' : undefined;
  const next =
    batch.status === 'STOPPING' || stops !== undefined
      ? { rows: [], stops }
      : await claimNext(deps, tx, batch, running);
  const isIdle = running.length === 0 && next.rows.length === 0;
  const change = await chooseState(deps, tx, { batch, isIdle, stops: next.stops });
  const state = { failures_in_a_row: failures, ...change };
  const hasEnded = state.status === 'STOPPED' || state.status === 'COMPLETED';
  const delivery = hasEnded ? await buildBatchDelivery(tx, { ...batch, ...state }) : null;
  await updateBatch(tx, id, state, delivery);
  if (state.status === 'STOPPED') await noticeStop(tx, { ...batch, ...state });
  if (delivery !== null) deps.wakeTimers.set('deliveries', 0);
  // Other batches of the workspace may have every slot, and rows may have been lost with their process a moment ago.
  const isWaiting = state.status === undefined && isIdle;
  const mayBeLost = next.rows.length === 0 && running.some(row => !row.is_accepted && !row.is_overdue);
  const delayMs = isWaiting ? NO_SLOT_MS : mayBeLost ? OVERDUE_SECONDS * 1000 : undefined;
  const nextAtMs = delayMs === undefined ? undefined : deps.now() + delayMs;
  if (nextAtMs !== undefined) await enqueue(tx, 'batch', [id], new Date(nextAtMs));
  return {
    batch: { ...batch, seq },
    rows: [...lostRows.filter(isClaimed), ...next.rows],
    cancels: batch.cancels_running && running.length > 0,
    nextAtMs,
  };
}

const isClaimed = (row: StartableRow): row is ClaimedRow => row.execution_id !== null;

function countFailures(before: number, settled: readonly SettledRow[]): number {
  let failures = before;
  for (const { status } of settled) {
    if (status === 'failed') failures++;
    if (status === 'completed') failures = 0;
  }
  return failures;
}

interface NextRows {
  readonly rows: readonly ClaimedRow[];
  /** Why the batch must stop. */
  readonly stops?: string | undefined;
}

/** Claims the next waiting rows, as many as the limits of the batch and its workspace and its credits allow. */
async function claimNext(
  deps: RunDeps,
  tx: Tx,
  batch: BatchRow,
  running: readonly RunningRow[],
): Promise<NextRows> {
  const free = Math.min(batch.concurrency - running.length, await countFreeSlots(deps, tx, batch.workspace));
  if (free <= 0) return { rows: [] };
  const maxRow = batch.first_rows ?? batch.total;
  const waiting = await listWaitingRows(tx, batch.id, { maxRow, limit: free });
  const affordable =
    batch.max_credits === null || waiting.length === 0
      ? waiting.map(row => ({ ...row, max_credits: null }))
      : chooseAffordable(waiting, await findRemaining(tx, batch, running), batch.estimate_is_exact);
  const rows = affordable.map(row => ({ ...row, execution_id: newId('execution', deps.now()) }));
  if (rows.length > 0) await claimRows(tx, batch.id, batch.seq + 1, rows);
  const isOut = rows.length === 0 && waiting.length > 0 && running.length === 0;
  return { rows, stops: isOut ? 'max_credits' : undefined };
}

/**
 * Counts how many more rows of batches may run in the workspace. A tenth of its runs, and at least one, is left to
 * others.
 */
async function countFreeSlots({ settings }: RunDeps, tx: Tx, workspace: string): Promise<number> {
  const limit = settings.MAX_CONCURRENT_RUNS;
  const share = Math.max(1, limit - Math.max(1, Math.ceil(limit / 10)));
  return share - (await countRunningRows(tx, workspace));
}

/** Returns the credits of the batch that are neither spent nor needed by the rows that run. */
async function findRemaining(tx: Tx, batch: BatchRow, running: readonly RunningRow[]): Promise<number> {
  const promised = running.reduce((sum, { max_credits }) => sum + (max_credits ?? 0), 0);
  return (batch.max_credits ?? 0) - (await sumSettledCredits(tx, batch.id)) - promised;
}

/** Returns the rows that the credits pay for, each with its limit. What is left over is shared if prices vary. */
function chooseAffordable(
  waiting: readonly StartableRow[],
  remaining: number,
  isExact: boolean,
): readonly StartableRow[] {
  let left = remaining;
  const rows: StartableRow[] = [];
  for (const row of waiting) {
    if (row.estimated_credits > left || (!isExact && left <= 0)) break;
    left -= row.estimated_credits;
    rows.push(row);
  }
  const extra = isExact ? 0 : Math.floor(left / Math.max(1, rows.length));
  return rows.map(row => ({ ...row, max_credits: row.estimated_credits + extra }));
}

async function chooseState(
  deps: RunDeps,
  tx: Tx,
  {
    batch,
    isIdle,
    stops,
  }: { readonly batch: BatchRow; readonly isIdle: boolean; readonly stops: string | undefined },
): Promise<Partial<Pick<BatchRow, 'status' | 'reason' | 'finished_at'>>> {
  const finished_at = new Date(deps.now());
  const reason = stops ?? batch.reason;
  if (stops !== undefined || batch.status === 'STOPPING')
    return isIdle ? { status: 'STOPPED', reason, finished_at } : { status: 'STOPPING', reason };
  if (!isIdle || (await hasWaitingRow(tx, batch.id, batch.first_rows ?? batch.total))) return {};
  if (batch.first_rows !== null && (await hasWaitingRow(tx, batch.id, batch.total)))
    return { status: 'PAUSED' };
  return { status: 'COMPLETED', finished_at };
}

/** Starts the runs of claimed rows. A run that was accepted before is not started again. */
async function startRows(deps: RunDeps, batch: BatchRow, rows: readonly ClaimedRow[]): Promise<void> {
  const actor = await getUserActor(deps, batch.user_id).catch(toRefusal);
  const refusals = await Promise.all(
    rows.map(async row => {
      const refusal =
        actor instanceof AppError ? actor : await startRow(deps, actor, batch, row).catch(toRefusal);
      return refusal === undefined ? [] : [{ row, refusal }];
    }),
  );
  if (refusals.flat().length === 0) return;
  await deps.runDb.transaction(async tx => {
    const current = await lockBatch(tx, batch.id);
    if (current === undefined) return;
    const seq = current.seq + 1;
    let failures = current.failures_in_a_row;
    let stopCode: string | undefined;
    for (const { row, refusal } of refusals.flat()) {
      if (STOP_CODES.has(refusal.code)) {
        stopCode = refusal.code;
        await returnRow(tx, batch.id, row.row_number, seq);
      } else {
        failures++;
        const error = JSON.stringify({ code: refusal.code, message: refusal.message, nodeId: null });
        await failRow(tx, batch.id, row.row_number, { seq, error });
      }
    }
    const stops = stopCode !== undefined && current.status === 'RUNNING';
    const state = stops ? ({ status: 'STOPPING', reason: stopCode ?? null } as const) : {};
    await updateBatch(tx, batch.id, { failures_in_a_row: failures, ...state });
    await enqueue(tx, 'batch', [batch.id]);
  });
  deps.wakeTimers.set('deliveries', 0);
}

async function startRow(
  deps: RunDeps,
  actor: UserActor,
  batch: BatchRow,
  row: ClaimedRow,
): Promise<undefined> {
  const { execution_id: executionId, max_credits: maxCredits, retried_execution_id: retriedId } = row;
  const key = row.key ?? String(row.row_number);
  await startForUser(deps, actor, {
    workflowId: batch.workflow_id,
    version: batch.workflow_version,
    route: 'batch',
    request: {
      inputs: new JsonText<JsonObject>(row.inputs),
      ...(row.config === null ? {} : { config: new JsonText<RunConfig>(row.config) }),
      ...(maxCredits === null ? {} : { maxCredits }),
      ...(retriedId === null ? {} : { keep: { executionId: retriedId } }),
    },
    idempotencyKey: `${batch.id}:${row.row_number}${row.attempt === 1 ? '' : `:${row.attempt}`}`,
    trigger: 'batch',
    origin: { id: batch.id, key, executionId },
  });
  return undefined;
}
