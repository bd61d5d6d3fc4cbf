// Converts the period of a filter, such as the last week, to a time.
import { useMemo } from 'react';

export const DAY_MS = 86_400_000;

/** Returns when a period that ends now began, or undefined without a period. Stays the same until the period changes. */
export function usePeriodStart(ms: number | undefined): string | undefined {
  // Memoized, because a new time would reload the list with each render.
  return useMemo(() => (ms === undefined ? undefined : new Date(Date.now() - ms).toISOString()), [ms]);
}
