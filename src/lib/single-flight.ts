// Lets concurrent callers share one computation.
import { getOrCreate } from './get-or-create.ts';

/**
 * Returns a function that computes the value of a key, unless an earlier call still does: then it returns the promise of
 * that call. It keeps no values, so the next caller repeats a computation that has ended or failed.
 */
export function createSingleFlight<V>(): (key: string, compute: () => Promise<V>) => Promise<V> {
  const pending = new Map<string, Promise<V>>();
  return (key, compute) => getOrCreate(pending, key, () => compute().finally(() => pending.delete(key)));
}
