// Claims the schedules that are due, and stores their firings.
import { newId } from '../../lib/ids.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import type { RunDeps } from '../../runs/deps.ts';
import type { Tx } from '../../store/db.ts';
import { enqueue } from '../../store/queue.ts';
import { planFirings } from './plan-firings.ts';
import {
  claimLostFirings,
  insertFirings,
  listOpenFirings,
  lockDueSchedules,
  type NewFiring,
  readNow,
  type StartableFiring,
  updateNextRuns,
} from './store.ts';

/** The maximum number of schedules that one transaction claims. */
export const CLAIM_LIMIT = 200;

export interface ClaimedFirings {
  /** The number of schedules or lost firings that were found. Fewer than `CLAIM_LIMIT` means that no more are due. */
  readonly count: number;
  readonly firings: readonly StartableFiring[];
}

/**
 * Stores the firings and next due times of schedules that are due, in one commit. Returns the firings to start, including
 * firings whose process died. Processes that call this function concurrently claim different schedules.
 */
export async function claimDue(deps: RunDeps): Promise<ClaimedFirings> {
  const due = await deps.runDb.transaction(tx => claimSchedules(deps, tx));
  const lost = await claimLostFirings(deps.runDb, CLAIM_LIMIT, deps.timing.firingRetryMs);
  return { count: Math.max(due.count, lost.length), firings: [...due.firings, ...lost] };
}

async function claimSchedules(deps: RunDeps, tx: Tx): Promise<ClaimedFirings> {
  const schedules = await lockDueSchedules(tx, CLAIM_LIMIT);
  if (schedules.length === 0) return { count: 0, firings: [] };
  // The clocks of machines may differ, so the clock of the database decides.
  const now = await readNow(tx);
  const ids = schedules.map(({ id }) => id);
  const openFirings = Map.groupBy(await listOpenFirings(tx, ids), firing => firing.schedule_id);
  const firings: NewFiring[] = [];
  const nextRuns: { readonly id: string; readonly next_run_at: Date | null }[] = [];
  for (const schedule of schedules) {
    const plan = planFirings(schedule, openFirings.get(schedule.id) ?? [], now);
    nextRuns.push({ id: schedule.id, next_run_at: plan.next_run_at });
    for (const [index, firing] of plan.firings.entries())
      firings.push({
        ...firing,
        // The index keeps ids in the order of the due times.
        id: newId('firing', deps.now() + index),
        schedule_id: schedule.id,
        execution_id: firing.outcome === 'starting' ? newId('execution', deps.now()) : null,
      });
    if (plan.firings.some(({ outcome }) => outcome === 'waiting'))
      await enqueue(tx, 'automation', [schedule.id]);
    // Finding the times of an expression may take some milliseconds.
    await yieldTurn();
  }
  const startable = await insertFirings(tx, firings, deps.timing.firingRetryMs);
  await updateNextRuns(tx, nextRuns);
  return { count: schedules.length, firings: startable };
}
