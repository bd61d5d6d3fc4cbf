// Stops, resumes, retries and deletes batches, and rates their rows.
import { AppError, createFieldError, requireFound } from '../../lib/errors.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { toTeamId } from '../../services/accounts/access.ts';
import { type Actor, requireScope, toSpender, type UserActor } from '../../services/accounts/actor.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { enqueue } from '../../store/queue.ts';
import { type SpenderColumns, toSpenderColumns } from '../../store/spenders.ts';
import type { ResumeBatchBody } from './batch.schema.ts';
import { authorizeBatch, presentBatch, presentRows } from './read-batch.ts';
import {
  type BatchHead,
  type BatchState,
  deleteBatch,
  findBatch,
  lockBatch,
  updateBatch,
} from './store/batches.ts';
import { type RowReview, reviewRow } from './store/row-lists.ts';
import { type RetryChoice, retryRows } from './store/rows.ts';
import { requireBatchSlot } from './store-batch.ts';

const BATCH_NOT_FOUND = 'Batch not found.';

type BatchChange = Partial<Omit<BatchState, 'seq'> & SpenderColumns>;

/** Locks the batch, writes the change that `decide` returns, if any, and queues the job that acts on it. */
async function changeBatch(
  deps: RunDeps,
  actor: Actor,
  id: string,
  decide: (
    batch: BatchHead,
    tx: Tx,
    user: UserActor,
  ) => Promise<BatchChange | undefined> | BatchChange | undefined,
) {
  const user = requireScope(actor, 'workflows:execute');
  await authorizeBatch(deps, user, id, 'run');
  const changed = await deps.db.transaction(async tx => {
    const batch = requireFound(await lockBatch(tx, id), BATCH_NOT_FOUND);
    const change = await decide(batch, tx, user);
    if (change !== undefined) {
      const isActive = batch.status === 'RUNNING' || batch.status === 'STOPPING';
      if (change.status === 'RUNNING' && !isActive) await requireBatchSlot(tx, batch.workspace);
      await updateBatch(tx, id, change);
      await enqueue(tx, 'batch', [id]);
    }
    // The batch is read before the commit, because another request may delete it afterwards.
    return requireFound(await findBatch(tx, id), BATCH_NOT_FOUND);
  });
  deps.wakeTimers.wake('background');
  deps.changeHub.notify(id);
  return presentBatch(deps, changed);
}

/** Stops starting rows. Running rows continue or are canceled. Has no effect on a batch that has ended. */
export function stopBatch(deps: RunDeps, actor: Actor, id: string, cancelRunning: boolean) {
  return changeBatch(deps, actor, id, batch => {
    if (batch.status === 'STOPPED' || batch.status === 'COMPLETED') return undefined;
    const reason = batch.status === 'STOPPING' ? batch.reason : null;
    return { status: 'STOPPING', reason, cancels_running: batch.cancels_running || cancelRunning };
  });
}

const RUNNING_STATE: BatchChange = {
  status: 'RUNNING',
  reason: null,
  failures_in_a_row: 0,
  cancels_running: false,
  finished_at: null,
};

/** Continues a batch with its waiting rows. Throws 409 `conflict` if the batch is running or complete. */
export function resumeBatch(
  deps: RunDeps,
  actor: Actor,
  id: string,
  { maxCredits, concurrency }: ResumeBatchBody,
) {
  return changeBatch(deps, actor, id, (batch, _, user) => {
    if (batch.status === 'RUNNING' || batch.status === 'COMPLETED')
      throw new AppError(
        'conflict',
        batch.status === 'RUNNING'
          ? 'The batch is running.'
          : 'The batch is complete. Retry it to run its failed rows again.',
      );
    const isRaised = maxCredits !== undefined && maxCredits > (batch.max_credits ?? 0);
    if (batch.reason === 'max_credits' && !isRaised)
      throw createFieldError(
        '/maxCredits',
        `must be more than ${batch.max_credits}, because the batch stopped when it reached that limit`,
      );
    return {
      ...RUNNING_STATE,
      ...toSpenderColumns(toSpender(user)),
      max_credits: maxCredits ?? batch.max_credits,
      concurrency: concurrency ?? batch.concurrency,
      first_rows: batch.status === 'PAUSED' ? null : batch.first_rows,
    };
  });
}

/** Runs failed rows again from their completed nodes. */
export function retryBatch(deps: RunDeps, actor: Actor, id: string, choice: RetryChoice) {
  return changeBatch(deps, actor, id, async (batch, tx, user) => {
    const count = await retryRows(tx, id, batch.seq + 1, choice);
    if (count === 0)
      throw new AppError(
        'conflict',
        'The batch has no rows to retry. See its counts, and the options of retry.',
      );
    return { ...RUNNING_STATE, ...toSpenderColumns(toSpender(user)) };
  });
}

/** Deletes a batch that has ended; its executions stay. Throws 409 `conflict` if it has not ended. */
export async function removeBatch(deps: RunDeps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'workflows:execute');
  const { workflow_id: workflowId, workspace } = await authorizeBatch(deps, user, id, 'run');
  await deps.db.transaction(async tx => {
    const batch = await lockBatch(tx, id);
    if (batch !== undefined && batch.status !== 'STOPPED' && batch.status !== 'COMPLETED')
      throw new AppError('conflict', 'The batch has not ended. Stop it first.');
    await deleteBatch(tx, id);
    recordAudit(tx, user, {
      action: 'batch.deleted',
      target: id,
      teamId: toTeamId(workspace),
      before: { workflowId },
    });
  });
}

/** Rates or picks a row. Throws 404 for an unknown row. */
export async function changeRow(
  deps: RunDeps,
  actor: Actor,
  id: string,
  rowNumber: number,
  review: RowReview,
) {
  const user = requireScope(actor, 'workflows:execute');
  const batch = await authorizeBatch(deps, user, id, 'run');
  const row = await deps.db.transaction(async tx => {
    const current = await lockBatch(tx, id);
    if (current === undefined) return undefined;
    await updateBatch(tx, id, {});
    return reviewRow(tx, id, rowNumber, { ...review, seq: current.seq + 1 });
  });
  if (row === undefined) throw new AppError('not_found', `The batch has no row ${rowNumber}.`);
  deps.changeHub.notify(id);
  const [presented] = await presentRows(deps, batch, [row]);
  return presented;
}
