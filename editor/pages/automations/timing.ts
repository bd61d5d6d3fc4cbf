// Converts the fields of the schedule form to a cron expression or an interval, and back.
import type { Schedule } from '../../../sdk/src/schemas.ts';

export type Repeat = 'day' | 'weekdays' | 'week' | 'month' | 'hour' | 'interval' | 'cron';

export interface TimingFields {
  readonly repeat: Repeat;
  /** `HH:MM`. */
  readonly time: string;
  readonly minute: string;
  readonly weekday: string;
  readonly dayOfMonth: string;
  readonly count: string;
  readonly unitSeconds: string;
  readonly cron: string;
  readonly timeZone: string;
}

/** The timing as the service stores it: one of `cron` and `everySeconds` is set. */
export interface TimingBody {
  readonly cron?: string;
  readonly everySeconds?: number;
  readonly timeZone: string;
}

const getLocalTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const DEFAULTS = {
  repeat: 'weekdays',
  time: '09:00',
  minute: '0',
  weekday: '1',
  dayOfMonth: '1',
  count: '6',
  unitSeconds: '3600',
  cron: '0 9 * * 1-5',
} as const;

const UNIT_SECONDS = [86_400, 3600, 60];

/** Returns the fields of a schedule, or the defaults for a new one. */
export function toTimingFields(
  schedule: Pick<Schedule, 'cron' | 'everySeconds' | 'timeZone'> | undefined,
): TimingFields {
  if (schedule === undefined) return { ...DEFAULTS, timeZone: getLocalTimeZone() };
  const { cron, everySeconds, timeZone } = schedule;
  const base = { ...DEFAULTS, timeZone };
  if (everySeconds !== null) {
    const unit = UNIT_SECONDS.find(seconds => everySeconds % seconds === 0);
    if (unit === undefined)
      return { ...base, repeat: 'interval', count: String(everySeconds), unitSeconds: '1' };
    return { ...base, repeat: 'interval', count: String(everySeconds / unit), unitSeconds: String(unit) };
  }
  return { ...base, cron: cron ?? '', ...parseCron(cron ?? '') };
}

/** Returns the fields that the form converts to this expression. Any other expression is shown as text. */
function parseCron(cron: string): Partial<TimingFields> & Pick<TimingFields, 'repeat'> {
  const match = /^(\d{1,2}) (\d{1,2}|\*) (\d{1,2}|\*) \* (\*|1-5|[0-6])$/.exec(cron);
  if (match === null) return { repeat: 'cron' };
  const [, minute = '', hour = '', day = '', weekday = ''] = match;
  const isEveryDay = day === '*' && weekday === '*';
  if (hour === '*') return isEveryDay ? { repeat: 'hour', minute } : { repeat: 'cron' };
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (isEveryDay) return { repeat: 'day', time };
  if (day === '*')
    return weekday === '1-5' ? { repeat: 'weekdays', time } : { repeat: 'week', time, weekday };
  return weekday === '*' ? { repeat: 'month', time, dayOfMonth: day } : { repeat: 'cron' };
}

/** Matches a name or five fields, but no expression that is still being typed. */
const COMPLETE_CRON = /^(?:@\w+|\S+(?: +\S+){4})$/;

/** Returns what to store, or undefined while a field is empty or incomplete. */
export function toTimingBody(fields: TimingFields): TimingBody | undefined {
  const { repeat, minute, weekday, dayOfMonth, count, unitSeconds, timeZone } = fields;
  if (repeat === 'interval') {
    const everySeconds = Number(count) * Number(unitSeconds);
    return Number.isInteger(everySeconds) && everySeconds > 0 ? { everySeconds, timeZone } : undefined;
  }
  const cron =
    repeat === 'cron' ? fields.cron.trim() : toCron(repeat, fields.time, { minute, weekday, dayOfMonth });
  return cron === undefined || !COMPLETE_CRON.test(cron) ? undefined : { cron, timeZone };
}

const DAY_MS = 86_400_000;
const PERIOD_DAYS: Readonly<Record<Exclude<Repeat, 'interval'>, number>> = {
  hour: 1,
  day: 7,
  weekdays: 7,
  cron: 7,
  week: 35,
  month: 93,
};

/** Returns the length of a period in which a schedule has a few due times. */
export function getUsualPeriodMs(schedule: Pick<Schedule, 'cron' | 'everySeconds' | 'timeZone'>): number {
  const { repeat } = toTimingFields(schedule);
  return repeat === 'interval' ? 5000 * (schedule.everySeconds ?? 0) : PERIOD_DAYS[repeat] * DAY_MS;
}

function toCron(
  repeat: Exclude<Repeat, 'interval' | 'cron'>,
  time: string,
  { minute, weekday, dayOfMonth }: Pick<TimingFields, 'minute' | 'weekday' | 'dayOfMonth'>,
): string | undefined {
  const isNumber = (text: string): boolean => /^\d{1,2}$/.test(text);
  if (repeat === 'hour') return isNumber(minute) ? `${minute} * * * *` : undefined;
  const [hours, minutes] = time.split(':').map(Number);
  if (hours === undefined || minutes === undefined || Number.isNaN(hours + minutes)) return undefined;
  const minuteAndHour = `${minutes} ${hours}`;
  const expressions = {
    day: `${minuteAndHour} * * *`,
    weekdays: `${minuteAndHour} * * 1-5`,
    week: `${minuteAndHour} * * ${weekday}`,
    month: isNumber(dayOfMonth) ? `${minuteAndHour} ${dayOfMonth} * *` : undefined,
  };
  return expressions[repeat];
}
