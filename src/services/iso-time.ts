// Times as callers send them: ISO 8601, with a zone, on a day that the calendar has.

const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** A date alone is its first moment in UTC. undefined for any other text, `2026-02-30` and `24:00` included. */
export function parseIsoTime(text: string): Date | undefined {
  const [, year, month, day, hour = 0, minute = 0, second = 0] = (ISO_TIME.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const isClock = (hour || 0) < 24 && (minute || 0) < 60 && (second || 0) < 60;
  return isClock && isDay(year, month, day) ? new Date(text) : undefined;
}

/** `Date` counts the 30th of February as the 2nd of March. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
