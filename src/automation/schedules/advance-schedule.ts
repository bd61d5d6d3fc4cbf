// Advances a schedule: records which runs have ended, pauses the schedule if too many failed, and starts the next waiting
// firing. A job advances a schedule whenever one of its runs has ended.
import { newId } from '../../lib/ids.ts';
import type { RunDeps } from '../../runs/deps.ts';
import type { Tx } from '../../store/db.ts';
import { MAX_FAILURES, updateFailureCount } from '../auto-pause.ts';
import { chooseWaiting } from './plan-firings.ts';
import { pauseSchedule, startFirings } from './start-firings.ts';
import {
  claimWaitingFiring,
  type EndedFiring,
  listOpenFirings,
  lockSchedule,
  type StartableFiring,
  settleCompleted,
  settleFirings,
  updateSchedule,
} from './store.ts';

export async function advanceSchedule(deps: RunDeps, id: string): Promise<void> {
  // In the usual case, one statement is enough.
  if (await settleCompleted(deps.runDb, id)) return;
  const next = await deps.runDb.transaction(tx => advance(deps, tx, id));
  if (next !== undefined) await startFirings(deps, [next]);
}

async function advance(deps: RunDeps, tx: Tx, id: string): Promise<StartableFiring | undefined> {
  const schedule = await lockSchedule(tx, id);
  if (schedule === undefined) return undefined;
  const endedFirings = await settleFirings(tx, id);
  const failures = countFailures(schedule.failures_in_a_row, endedFirings);
  if (failures !== schedule.failures_in_a_row) await updateSchedule(tx, id, { failures_in_a_row: failures });
  if (failures >= MAX_FAILURES) await pauseSchedule(tx, schedule, 'failures');
  const waiting = chooseWaiting(schedule, await listOpenFirings(tx, [id]));
  return (
    waiting && claimWaitingFiring(tx, waiting.id, newId('execution', deps.now()), deps.timing.firingRetryMs)
  );
}

/** Returns the number of failures in a row after these runs. Backfills and manual runs do not count. */
function countFailures(before: number, endedFirings: readonly EndedFiring[]): number {
  return endedFirings
    .filter(({ kind }) => kind === 'scheduled' || kind === 'catch_up')
    .reduce((failures, { status }) => updateFailureCount(failures, status), before);
}
