// Formats numbers, sizes, durations and times for the user's locale and time zone.

const NUMBER = new Intl.NumberFormat();
const IS_ENGLISH = new Intl.Locale(NUMBER.resolvedOptions().locale).language === 'en';
/**
 * The locale of words, such as names of months. They are in English, as the texts around them; numbers have the separators
 * of the user's locale. For other languages it is British English, whose dates have the day first and 24 hours.
 */
export const WORDS_LOCALE = IS_ENGLISH ? undefined : 'en-GB';
// British English shortens a million to `1m`, which reads as minutes.
const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });
const USD = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
});
const EXACT_TIME = new Intl.DateTimeFormat(WORDS_LOCALE, { dateStyle: 'full', timeStyle: 'long' });
const DAY = new Intl.DateTimeFormat(WORDS_LOCALE, { dateStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat(WORDS_LOCALE, { numeric: 'auto', style: 'short' });

export const formatNumber = (value: number): string => NUMBER.format(value);

/** Formats a number such as `12.3K`. Show the exact number in a tooltip. */
export const formatCompact = (value: number): string => COMPACT.format(value);

/** Formats an amount with up to four decimals, since one call may cost less than a cent. */
export const formatUsd = (usd: number): string => USD.format(usd);

/** Formats a fraction from 0 to 1. */
export const formatPercent = (fraction: number): string => PERCENT.format(fraction);

const BYTE_UNITS = ['byte', 'kB', 'MB', 'GB', 'TB'];

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), BYTE_UNITS.length - 1);
  const value = bytes / 1000 ** power;
  const maximumFractionDigits = power === 0 || value >= 100 ? 0 : 1;
  const number = new Intl.NumberFormat(undefined, { maximumFractionDigits }).format(value);
  return `${number} ${BYTE_UNITS[power]}${power === 0 && number !== '1' ? 's' : ''}`;
}

/** Formats a duration as `40 ms`, `0.4 s`, `12 s`, `3 min 20 s` or `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${NUMBER.format(Math.round(seconds * 10) / 10)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const totalSeconds = Math.round(seconds);
  const [hours, minutes] = [Math.floor(totalSeconds / 3600), Math.floor((totalSeconds % 3600) / 60)];
  return hours > 0 ? `${NUMBER.format(hours)} h ${minutes} min` : `${minutes} min ${totalSeconds % 60} s`;
}

const RELATIVE_UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const MAX_RELATIVE_MS = 7 * 86_400_000;

/** Formats a time as `now`, `5 min. ago` or `yesterday`, and as a date after a week. */
export function formatAgo(time: number, now: number): string {
  const distance = time - now;
  if (Math.abs(distance) >= MAX_RELATIVE_MS) return DAY.format(time);
  const match = RELATIVE_UNITS.find(([, ms]) => Math.abs(distance) >= ms);
  if (match === undefined) return RELATIVE.format(0, 'second');
  const [unit, unitMs] = match;
  return RELATIVE.format(Math.trunc(distance / unitMs), unit);
}

/** Formats a time as a date without the time of day. */
export const formatDay = (time: number): string => DAY.format(time);

/** Formats a time with weekday, seconds and time zone. */
export const formatExact = (time: number): string => EXACT_TIME.format(time);

const NAMES = new Intl.ListFormat('en');
const MAX_NAMES = 3;

/** Formats a list: `A`, `A and B`, or `A, B, C, and 2 more`. */
export const formatNames = (names: readonly string[]): string =>
  NAMES.format(
    names.length <= MAX_NAMES + 1
      ? names
      : [...names.slice(0, MAX_NAMES), `${names.length - MAX_NAMES} more`],
  );
