// Parses times from callers: ISO 8601 with a time zone, on a valid calendar day.

const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** A date alone is its first moment in UTC. Undefined for any other text, including `2026-02-30` and `24:00`. */
export function parseIsoTime(text: string): Date | undefined {
  const [, year, month, day, hour = 0, minute = 0, second = 0] = (ISO_TIME.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const isClock = (hour || 0) < 24 && (minute || 0) < 60 && (second || 0) < 60;
  return isClock && isDay(year, month, day) ? new Date(text) : undefined;
}

/** `Date` treats February 30 as March 2. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
