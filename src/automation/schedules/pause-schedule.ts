// Pauses a schedule that cannot run, and says so.
import { type ScheduleRow, skipWaiting, updateSchedule } from '../../store/automation/schedules.ts';
import type { Tx } from '../../store/db.ts';
import { notifyPause, type PauseReason } from '../pause.ts';
import { SKIP_REASONS } from './plan-firings.ts';

/** Pauses the schedule, which must be locked, if it is active. */
export async function pauseSchedule(tx: Tx, schedule: ScheduleRow, reason: PauseReason): Promise<void> {
  if (!schedule.is_active) return;
  await updateSchedule(tx, schedule.id, { is_active: false, paused_reason: reason, next_run_at: null });
  await skipWaiting(tx, schedule.id, SKIP_REASONS.paused);
  await notifyPause(tx, 'schedule_paused', schedule, reason);
}
