// Keeps a fixed number of calls in flight for a number of calls or for a time.

export interface Load {
  readonly done: number;
  readonly seconds: number;
  /** The duration of each call in milliseconds, ascending. */
  readonly latencies: readonly number[];
}

/** Repeats the call until `count` calls have started, `ms` have passed, or `signal` is aborted. */
export async function load(
  connections: number,
  until: { readonly count?: number; readonly ms?: number; readonly signal?: AbortSignal },
  call: (index: number) => Promise<unknown>,
): Promise<Load> {
  const latencies: number[] = [];
  let next = 0;
  const startMs = performance.now();
  const isOver = (): boolean =>
    until.signal?.aborted === true ||
    next >= (until.count ?? Number.POSITIVE_INFINITY) ||
    performance.now() - startMs >= (until.ms ?? Number.POSITIVE_INFINITY);
  const loop = async (): Promise<void> => {
    while (!isOver()) {
      const callStartMs = performance.now();
      await call(next++);
      latencies.push(performance.now() - callStartMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  return {
    done: latencies.length,
    seconds: (performance.now() - startMs) / 1000,
    latencies: latencies.toSorted((a, b) => a - b),
  };
}

export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}
