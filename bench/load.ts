// Repeats calls with a fixed concurrency or at a fixed rate, and computes quantiles of the results.
import { setTimeout as sleep } from 'node:timers/promises';

export interface LoadResult {
  readonly callCount: number;
  readonly seconds: number;
  /** The duration of each call in milliseconds. */
  readonly latencies: readonly number[];
}

/** Repeats the call until `count` calls have started, `ms` have passed, or `signal` is aborted. */
export async function runLoad(
  connections: number,
  limit: { readonly count?: number; readonly ms?: number; readonly signal?: AbortSignal },
  call: (index: number) => Promise<unknown>,
): Promise<LoadResult> {
  const latencies: number[] = [];
  let startedCount = 0;
  const startMs = performance.now();
  const isOver = (): boolean =>
    limit.signal?.aborted === true ||
    startedCount >= (limit.count ?? Number.POSITIVE_INFINITY) ||
    performance.now() - startMs >= (limit.ms ?? Number.POSITIVE_INFINITY);
  const loop = async (): Promise<void> => {
    while (!isOver()) {
      const callStartMs = performance.now();
      await call(startedCount++);
      latencies.push(performance.now() - callStartMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  return {
    callCount: latencies.length,
    seconds: (performance.now() - startMs) / 1000,
    latencies,
  };
}

/** Starts calls at a fixed rate, without waiting for earlier calls. Resolves to the results when all calls have ended. */
export async function callAtRate<T>(
  perSecond: number,
  seconds: number,
  call: (index: number) => Promise<T>,
): Promise<readonly T[]> {
  const calls: Promise<T>[] = [];
  const startMs = performance.now();
  for (let index = 0; index < perSecond * seconds; index++) {
    const delayMs = startMs + (index * 1000) / perSecond - performance.now();
    if (delayMs > 0) await sleep(delayMs);
    calls.push(call(index));
  }
  return Promise.all(calls);
}

export function quantile(values: readonly number[], share: number): number {
  const ascending = values.toSorted((a, b) => a - b);
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
