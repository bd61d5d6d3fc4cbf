// Claims the schedules that are due, and decides what each of them does.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId } from '../../lib/ids.ts';
import type { RunDeps } from '../../runs/deps.ts';
import {
  claimLostFirings,
  insertFirings,
  listOpenFirings,
  lockDueSchedules,
  type NewFiring,
  readNow,
  type StartableFiring,
  updateNextRuns,
} from '../../store/automation/schedules.ts';
import type { Tx } from '../../store/db.ts';
import { enqueue } from '../../store/queue.ts';
import { planFirings } from './plan-firings.ts';

/** How many schedules one transaction claims. */
export const CLAIM_LIMIT = 200;

export interface Claimed {
  /** How many schedules and lost firings were found: less than `CLAIM_LIMIT` if there are no more. */
  readonly count: number;
  readonly firings: readonly StartableFiring[];
}

/**
 * Stores the firings of schedules that are due, and when they are due next, in one commit. Returns the firings to start,
 * with those that other processes have lost. Several processes may call it at the same time: none claims what another
 * one has locked.
 */
export async function claimDue(deps: RunDeps): Promise<Claimed> {
  const due = await deps.runDb.transaction(tx => claimSchedules(deps, tx));
  const lost = await claimLostFirings(deps.runDb, CLAIM_LIMIT);
  return { count: Math.max(due.count, lost.length), firings: [...due.firings, ...lost] };
}

async function claimSchedules(deps: RunDeps, tx: Tx): Promise<Claimed> {
  const schedules = await lockDueSchedules(tx, CLAIM_LIMIT);
  if (schedules.length === 0) return { count: 0, firings: [] };
  // The database's clock decides: those of the machines may differ.
  const now = await readNow(tx);
  const open = Map.groupBy(
    await listOpenFirings(
      tx,
      schedules.map(({ id }) => id),
    ),
    firing => firing.schedule_id,
  );
  const firings: NewFiring[] = [];
  const nextRuns: { readonly id: string; readonly next_run_at: Date | null }[] = [];
  for (const schedule of schedules) {
    const plan = planFirings(schedule, open.get(schedule.id) ?? [], now);
    nextRuns.push({ id: schedule.id, next_run_at: plan.next_run_at });
    for (const [index, firing] of plan.firings.entries())
      firings.push({
        ...firing,
        // In the order of their due times, also within a millisecond.
        id: newId('firing', deps.now() + index),
        schedule_id: schedule.id,
        execution_id: firing.outcome === 'starting' ? newId('execution', deps.now()) : null,
      });
    if (plan.firings.some(({ outcome }) => outcome === 'waiting'))
      await enqueue(tx, 'automation', [schedule.id]);
    // Finding the times of an expression may take some milliseconds.
    await nextTurn();
  }
  const startable = await insertFirings(tx, firings);
  await updateNextRuns(tx, nextRuns);
  return { count: schedules.length, firings: startable };
}
