// Describes a schedule in words, such as "every weekday at 9:00, Berlin time".

/** When a schedule runs: one of `cron` and `everySeconds` is set. */
export interface Timing {
  readonly cron: string | null;
  readonly everySeconds: number | null;
  readonly timeZone: string;
}

const CRON_ALIASES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;
/** A schedule with more times or days than this is shown as its cron expression. */
const MAX_LISTED = 6;

export function describeTiming({ cron, everySeconds, timeZone }: Timing): string {
  if (everySeconds !== null) return describeInterval(everySeconds);
  const expression = (cron ?? '').trim();
  const words = describeCron(expression);
  // An expression that repeats within the hour means the same in every time zone.
  if (words !== undefined && !/ (?:at|from) /.test(words)) return words;
  return `${words ?? `at the times of "${expression}"`}, ${describeTimeZone(timeZone)}`;
}

/** `Europe/Berlin` → `Berlin time`. */
export function describeTimeZone(timeZone: string): string {
  if (/^(?:Etc\/)?(?:UTC|GMT)$/.test(timeZone)) return 'UTC';
  return `${(timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ')} time`;
}

function describeInterval(seconds: number): string {
  const [length, unit] = UNITS.find(([length]) => seconds % length === 0) ?? [1, 'second'];
  return describeEvery(seconds / length, unit);
}

const describeEvery = (count: number, unit: string): string =>
  count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;

/** Returns undefined for an expression that would be harder to read in words. */
function describeCron(expression: string): string | undefined {
  const fields = (CRON_ALIASES[expression.toLowerCase()] ?? expression).split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  if (fields.length !== 5) return undefined;
  const isEveryDay = day === '*' && month === '*' && weekday === '*';
  if (hour === '*' || hour.startsWith('*/')) return isEveryDay ? describeWithinDay(minute, hour) : undefined;
  const times = describeTimes(minute, hour);
  const days = describeDays(day, month, weekday);
  return times === undefined || days === undefined ? undefined : `${days} at ${times}`;
}

function describeWithinDay(minute: string, hour: string): string | undefined {
  const minutes = parseStep(minute, 60) ?? parseNumbers(minute, 0, 59);
  const hours = parseStep(hour, 24);
  if (minutes === undefined || hours === undefined) return undefined;
  const [firstMinute = 0] = minutes;
  if (hours.length === 24) {
    if (minutes.length > 1 && isRegular(minutes, 60)) return describeEvery(60 / minutes.length, 'minute');
    if (minutes.length > MAX_LISTED) return undefined;
    if (minutes.length > 1) return `every hour at ${joinWords(minutes.map(part => `:${padMinute(part)}`))}`;
    return firstMinute === 0 ? 'every hour' : `every hour, ${firstMinute} minutes past`;
  }
  if (hours.length * minutes.length <= MAX_LISTED) return `every day at ${listTimes(hours, minutes)}`;
  if (minutes.length > 1 || !isRegular(hours, 24)) return undefined;
  return `${describeEvery(24 / hours.length, 'hour')} from 0:${padMinute(firstMinute)}`;
}

// Returns the numbers of `*` or a step such as `*/15` below the limit.
function parseStep(field: string, limit: number): readonly number[] | undefined {
  const step = field === '*' ? 1 : Number(/^\*\/(\d{1,2})$/.exec(field)?.[1] ?? 0);
  if (step === 0) return undefined;
  return Array.from({ length: Math.ceil(limit / step) }, (_, index) => index * step);
}

// Returns whether a step has the same distance everywhere, also across the limit. `*/45` has not.
const isRegular = (numbers: readonly number[], limit: number): boolean =>
  limit % numbers.length === 0 && (numbers[1] ?? limit) - (numbers[0] ?? 0) === limit / numbers.length;

const padMinute = (minute: number): string => String(minute).padStart(2, '0');

const listTimes = (hours: readonly number[], minutes: readonly number[]): string =>
  joinWords(hours.flatMap(hour => minutes.map(minute => `${hour}:${padMinute(minute)}`)));

function describeTimes(minute: string, hour: string): string | undefined {
  const [minutes, hours] = [parseNumbers(minute, 0, 59), parseNumbers(hour, 0, 23)];
  if (minutes === undefined || hours === undefined || minutes.length * hours.length > MAX_LISTED)
    return undefined;
  return listTimes(hours, minutes);
}

function describeDays(day: string, month: string, weekday: string): string | undefined {
  if (weekday !== '*') return day === '*' && month === '*' ? describeWeekdays(weekday) : undefined;
  if (day === '*') return month === '*' ? 'every day' : undefined;
  const [days, months] = [parseNumbers(day, 1, 31), month === '*' ? [] : parseNumbers(month, 1, 12)];
  if (days === undefined || months === undefined || days.length + months.length > MAX_LISTED)
    return undefined;
  const numbers = `${days.length === 1 ? 'day' : 'days'} ${joinWords(days.map(String))}`;
  const names = months.map(number => MONTHS[number - 1] ?? '');
  return `on ${numbers} of ${months.length === 0 ? 'every month' : joinWords(names)}`;
}

function describeWeekdays(field: string): string | undefined {
  const numeric = field.replace(/[a-z]{3}/gi, name =>
    String(DAYS.findIndex(day => day.slice(0, 3).toLowerCase() === name.toLowerCase())),
  );
  const numbers = parseNumbers(numeric, 0, 7);
  if (numbers === undefined) return undefined;
  // Both 0 and 7 are Sunday. The days are listed from Monday on.
  const days = [...new Set(numbers.map(number => number % 7))].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  const key = days.join('');
  if (key === '1234560') return 'every day';
  if (key === '12345') return 'every weekday';
  if (key === '60') return 'every weekend day';
  return `every ${joinWords(days.map(number => DAYS[number] ?? ''))}`;
}

/** Parses lists and ranges such as `1-5,9`. */
function parseNumbers(field: string, min: number, max: number): readonly number[] | undefined {
  const numbers: number[] = [];
  for (const part of field.split(',')) {
    const match = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part);
    if (match === null) return undefined;
    const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (from < min || to > max || from > to) return undefined;
    for (let number = from; number <= to; number++) numbers.push(number);
  }
  return numbers;
}

const LIST = new Intl.ListFormat('en', { type: 'conjunction' });
const joinWords = (words: readonly string[]): string => LIST.format(words);
