// Keeps a fixed number of calls in flight until `count` are done, `ms` have passed, or `signal` fires.

export interface Load {
  readonly done: number;
  readonly seconds: number;
  /** Milliseconds of each call, ascending. */
  readonly latencies: readonly number[];
}

export async function load(
  connections: number,
  until: { readonly count?: number; readonly ms?: number; readonly signal?: AbortSignal },
  call: (index: number) => Promise<unknown>,
): Promise<Load> {
  const latencies: number[] = [];
  let next = 0;
  const began = performance.now();
  const isOver = (): boolean =>
    until.signal?.aborted === true ||
    next >= (until.count ?? Number.POSITIVE_INFINITY) ||
    performance.now() - began >= (until.ms ?? Number.POSITIVE_INFINITY);
  const loop = async (): Promise<void> => {
    while (!isOver()) {
      const start = performance.now();
      await call(next++);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  return {
    done: latencies.length,
    seconds: (performance.now() - began) / 1000,
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
