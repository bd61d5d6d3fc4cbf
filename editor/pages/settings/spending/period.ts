// Converts the periods that people choose to days (UTC).
const DAY_MS = 86_400_000;

/** A number is that many days up to today. `custom`: the days that the URL names. */
export type PeriodName = 'month' | 'last-month' | '30' | '90' | '366' | 'custom';

export interface Days {
  readonly from: string;
  readonly to: string;
}

const toDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function getDays(period: PeriodName, nowMs: number): Days {
  const today = toDate(nowMs);
  const firstOfMonth = `${today.slice(0, 8)}01`;
  if (period === 'last-month') {
    const lastOfMonth = toDate(Date.parse(firstOfMonth) - DAY_MS);
    return { from: `${lastOfMonth.slice(0, 8)}01`, to: lastOfMonth };
  }
  if (period === 'month' || period === 'custom') return { from: firstOfMonth, to: today };
  return { from: toDate(nowMs - (Number(period) - 1) * DAY_MS), to: today };
}
