// How long to wait before the next retry: growing up to a limit, with jitter, so that many callers do not return at once.

export interface Backoff {
  /** Before the first retry. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Each delay is the one before it, this many times. */
  readonly factor: number;
  /** What chance may take from a delay or add to it, as shares of it: `[-0.2, 0]` shortens it by at most a fifth. */
  readonly jitter: readonly [number, number];
}

/** The delay before retry number `retries`, counted from 0. */
export function backoffMs(
  { firstMs, maxMs, factor, jitter: [least, most] }: Backoff,
  retries: number,
  random: number = Math.random(),
): number {
  const delayMs = Math.min(firstMs * factor ** retries, maxMs);
  // The limit applies after the jitter too.
  return Math.min(delayMs * (1 + least + (most - least) * random), maxMs);
}
