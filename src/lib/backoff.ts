// Computes the delay before the next retry: exponential up to a limit, with jitter so that many callers do not retry at
// the same time.

export interface Backoff {
  /** The delay before the first retry. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** The ratio of each delay to the previous delay. */
  readonly factor: number;
  /** The range of random change as a fraction of the delay: `[-0.2, 0]` shortens it by up to a fifth. */
  readonly jitter: readonly [number, number];
}

/** Returns the delay before retry number `retries`, counted from 0. */
export function computeBackoff(
  { firstMs, maxMs, factor, jitter: [minChange, maxChange] }: Backoff,
  retries: number,
  random: number = Math.random(),
): number {
  const delayMs = Math.min(firstMs * factor ** retries, maxMs);
  // The limit also applies after jitter.
  return Math.min(delayMs * (1 + minChange + (maxChange - minChange) * random), maxMs);
}
