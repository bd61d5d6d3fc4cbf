// Computes when a schedule is due. All functions are pure: the caller passes the time of the database.
//
// A cron expression is read in a time zone. When daylight saving time begins or ends, a time of day without wildcards
// fires once: at the end of the hour that is skipped, or the first time in the hour that repeats. Other patterns and
// intervals go by elapsed time.
import { Cron } from 'croner';
import { AppError, createFieldError } from '../../lib/errors.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';

export interface Timing {
  readonly cron: string | null;
  readonly every_seconds: number | null;
  readonly time_zone: string;
  /** The start of the first interval. */
  readonly anchor_at: Date;
  /** Added to every time. It is constant for a schedule, so that its times keep their order and distance. */
  readonly offset_seconds: number;
}

/** Returns the first due time after a time, or undefined if there is none. */
export function findNextTime(timing: Timing, after: Date): Date | undefined {
  return withOffset(timing, after, from => {
    if (timing.every_seconds !== null)
      return getIntervalEnd(timing, Math.max(1, Math.floor(countIntervals(timing, from)) + 1));
    return findNextMatch(getPattern(timing), from);
  });
}

/** Returns at most `count` due times after a time. */
export function listNextTimes(timing: Timing, after: Date, count: number): readonly Date[] {
  const times: Date[] = [];
  for (let last = findNextTime(timing, after); last !== undefined; last = findNextTime(timing, last)) {
    times.push(last);
    if (times.length === count) break;
  }
  return times;
}

/** Returns the last due time before a time, or undefined if there is none. */
function findTimeBefore(timing: Timing, before: Date): Date | undefined {
  return withOffset(timing, before, from => {
    if (timing.every_seconds !== null)
      return getIntervalEnd(timing, Math.ceil(countIntervals(timing, from)) - 1);
    return getPattern(timing).cron.previousRuns(1, from)[0];
  });
}

/** Returns the last `count` due times from `from` to `to`, both included, in order. */
export function listLastTimes(
  timing: Timing,
  { from, to }: { readonly from: Date; readonly to: Date },
  count: number,
): readonly Date[] {
  const times: Date[] = [];
  let last = findTimeBefore(timing, new Date(to.getTime() + 1));
  while (last !== undefined && last >= from && times.length < count) {
    times.unshift(last);
    last = findTimeBefore(timing, last);
  }
  return times;
}

/** Subtracts the offset from the time, calls `find`, and adds the offset to the result. */
function withOffset(
  { offset_seconds }: Timing,
  time: Date,
  find: (from: Date) => Date | undefined,
): Date | undefined {
  const offsetMs = offset_seconds * 1000;
  const match = find(new Date(time.getTime() - offsetMs));
  return match && new Date(match.getTime() + offsetMs);
}

/** Returns the number of intervals between the anchor and the time. */
const countIntervals = ({ anchor_at, every_seconds }: Timing, time: Date): number =>
  (time.getTime() - anchor_at.getTime()) / ((every_seconds ?? 0) * 1000);

/** Returns the end of the interval with this number, counted from 1, or undefined for a lower number. */
function getIntervalEnd({ anchor_at, every_seconds }: Timing, count: number): Date | undefined {
  return count < 1 ? undefined : new Date(anchor_at.getTime() + count * (every_seconds ?? 0) * 1000);
}

interface Pattern {
  readonly cron: Cron;
  /** The result of the last search: no time after `from` and before `next` matches. */
  lastSearch: { readonly from: Date; readonly next: Date | undefined } | undefined;
}

/** Finds the next match. Reuses the last search, because many schedules have the same expression and a search takes 0.2 ms. */
function findNextMatch(pattern: Pattern, from: Date): Date | undefined {
  const { cron, lastSearch } = pattern;
  if (
    lastSearch !== undefined &&
    from >= lastSearch.from &&
    (lastSearch.next === undefined || from < lastSearch.next)
  )
    return lastSearch.next;
  const next = cron.nextRun(from) ?? undefined;
  pattern.lastSearch = { from, next };
  return next;
}

// Parsing an expression takes longer than finding a time.
const patterns = createLru<Pattern>(1000);

function getPattern({ cron, time_zone }: Pick<Timing, 'cron' | 'time_zone'>): Pattern {
  const key = `${time_zone} ${cron}`;
  const options = {
    timezone: time_zone,
    paused: true,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
  } as const;
  return getOrCreate(patterns, key, () => ({ cron: new Cron(cron ?? '', options), lastSearch: undefined }));
}

/** Throws 400 for an unknown time zone, and for an expression that is malformed or never fires. */
export function requireTiming(timing: Timing, now: Date): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timing.time_zone });
  } catch {
    throw createFieldError('/timeZone', 'must be a time zone such as Europe/Berlin');
  }
  if (timing.cron === null) return;
  let next: Date | undefined;
  try {
    next = findNextTime(timing, now);
  } catch (err) {
    if (err instanceof AppError) throw err;
    const reason = err instanceof Error ? err.message.replace(/^CronPattern: /, '') : '';
    throw createFieldError(
      '/cron',
      `must be five fields (minute, hour, day of the month, month, day of the week) such as "0 9 * * 1-5", or a name such as @daily: ${reason.replace(/\.$/, '')}`,
    );
  }
  if (next === undefined)
    throw createFieldError('/cron', 'names a date that does not exist, so it never fires');
}
