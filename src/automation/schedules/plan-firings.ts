// Plans the firings of a schedule that is due: which of its due times start, wait or are skipped, and when it is due next.
import type { FiringKind, FiringOutcome, OpenFiring, ScheduleRow } from './store.ts';
import { findNextTime, listLastTimes } from './times.ts';

/** A due time counts as missed if it is handled with a longer delay. */
const ON_TIME_MS = 60_000;
/** With `latest`, due times that were missed longer ago are skipped. */
const LATEST_WINDOW_MS = 86_400_000;
/** With `all`, at most this many missed due times run: the latest ones. */
const MAX_CATCH_UP = 100;

export const SKIP_REASONS = {
  overlap: 'The previous run had not ended.',
  queueFull: 'The previous run had not ended, and another one was waiting.',
  missed: 'No worker was running at that time.',
  paused: 'The schedule was paused.',
} as const;

export interface PlannedFiring {
  readonly kind: Extract<FiringKind, 'scheduled' | 'catch_up'>;
  readonly due_at: Date;
  readonly outcome: Extract<FiringOutcome, 'starting' | 'waiting' | 'skipped'>;
  readonly reason: string | null;
}

export interface FiringPlan {
  readonly firings: readonly PlannedFiring[];
  readonly next_run_at: Date | null;
}

/** Plans the firings of a due schedule. `openFirings` are its firings that wait or whose runs have not ended. */
export function planFirings(
  schedule: ScheduleRow,
  openFirings: readonly OpenFiring[],
  now: Date,
): FiringPlan {
  const { next_run_at: first, catch_up } = schedule;
  if (first === null) return { firings: [], next_run_at: null };
  const second = findNextTime(schedule, first);
  if (second === undefined || second > now)
    return { firings: [planFiring(schedule, openFirings, first, now)], next_run_at: second ?? null };
  const limit = catch_up === 'all' ? MAX_CATCH_UP : 1;
  const due = listLastTimes(schedule, { from: first, to: now }, limit);
  const next_run_at = findNextTime(schedule, now) ?? null;
  if (catch_up === 'all') {
    // These firings run one after the other. The job of the schedule starts the first one.
    const firings = due.map(
      due_at => ({ kind: 'catch_up', due_at, outcome: 'waiting', reason: null }) as const,
    );
    return { firings, next_run_at };
  }
  return { firings: due.map(due_at => planFiring(schedule, openFirings, due_at, now)), next_run_at };
}

function planFiring(
  { catch_up, overlap }: ScheduleRow,
  openFirings: readonly OpenFiring[],
  due_at: Date,
  now: Date,
): PlannedFiring {
  const lateMs = now.getTime() - due_at.getTime();
  const kind = lateMs > ON_TIME_MS ? 'catch_up' : 'scheduled';
  const skip = (reason: string): PlannedFiring => ({ kind, due_at, outcome: 'skipped', reason });
  const isMissed =
    kind === 'catch_up' && (catch_up === 'none' || (catch_up === 'latest' && lateMs > LATEST_WINDOW_MS));
  if (isMissed) return skip(SKIP_REASONS.missed);
  if (openFirings.length > 0 && overlap === 'skip') return skip(SKIP_REASONS.overlap);
  if (openFirings.length > 0 && overlap === 'queue') {
    const isFull = openFirings.some(firing => firing.is_waiting && firing.kind === 'scheduled');
    return isFull ? skip(SKIP_REASONS.queueFull) : { kind, due_at, outcome: 'waiting', reason: null };
  }
  return { kind, due_at, outcome: 'starting', reason: null };
}

/** Returns the waiting firing that starts next, if it may start now. */
export function chooseWaiting(
  { overlap }: Pick<ScheduleRow, 'overlap'>,
  openFirings: readonly OpenFiring[],
): OpenFiring | undefined {
  // A run that may overlap blocks no other firing. Catch-ups and backfills run one after the other.
  const isSequential = (firing: OpenFiring): boolean =>
    firing.kind === 'catch_up' || firing.kind === 'backfill';
  const mayOverlap = overlap === 'allow' || overlap === 'cancel_previous';
  const blocking = openFirings.filter(firing => !firing.is_waiting && (!mayOverlap || isSequential(firing)));
  if (blocking.length > 0) return undefined;
  const waiting = openFirings
    .filter(firing => firing.is_waiting)
    .toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime());
  return waiting.find(({ kind }) => kind === 'scheduled') ?? waiting[0];
}
