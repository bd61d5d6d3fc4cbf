// Limits rates over all processes: each process leases tokens from PostgreSQL in blocks of at most a tenth of the
// remaining ones, and one by one near the limit. So the limit is never exceeded, and most requests cost no query.

import { AppError, type ErrorCode, OutageError, toError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { addUses, listUses } from '../../store/rate-windows.ts';

export interface Allowance {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds at which the window ends. */
  readonly reset: number;
}

interface Bucket {
  readonly windowStart: number;
  limit: number;
  /** Leased tokens that are not used yet. A negative number counts uses without a limit that the database lacks. */
  tokens: number;
  /** Tokens of the window that no process had leased at the last read. */
  unleased: number;
  /** The query that leases, counts or returns tokens; later callers wait for its end. */
  pending: Promise<void> | undefined;
  /** When uses without a limit were last counted in the database. */
  countedAtMs: number;
}

/** Returns the response headers that describe the state of a limit. */
export function toRateHeaders({
  limit,
  remaining,
  reset,
}: Omit<Allowance, 'isAllowed'>): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
  };
}

/** An exhausted limit: its size, and the Unix time in seconds at which its window ends. */
export interface ExhaustedLimit {
  readonly limit: number;
  readonly reset: number;
}

/** Creates the error for a 429. `retryAfter` in the body equals X-RateLimit-Reset, while Retry-After is relative. */
export function createRateLimitError(
  code: ErrorCode,
  reason: string,
  { limit, reset }: ExhaustedLimit,
  nowMs: number,
): AppError {
  const seconds = Math.max(1, Math.ceil(reset - nowMs / 1000));
  const time = new Date(reset * 1000).toISOString().slice(0, 16).replace('T', ' ');
  const when = seconds > LONG_WAIT_SECONDS ? `after ${time} UTC` : `in ${seconds} s`;
  return new AppError(code, `${reason}. Try again ${when}.`, {
    details: { retryAfter: reset },
    headers: { 'retry-after': String(seconds), ...toRateHeaders({ limit, remaining: 0, reset }) },
  });
}

/** Longer waits are easier to read as a time. */
const LONG_WAIT_SECONDS = 600;

// When fewer tokens are left, each use is counted in the database.
const NEAR_LIMIT = 20;
const MAX_BUCKETS = 100_000;
const COUNT_EVERY_MS = 1000;

export class RateLimiter {
  readonly #db: Tx;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(db: Tx, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** Uses one of the key's `limit` tokens of the current window. Synchronous while a leased block lasts. */
  consume(key: string, limit: number, windowSeconds: number): Allowance | Promise<Allowance> {
    const bucket = this.#getBucket(key, limit, windowSeconds);
    if (limit === Number.POSITIVE_INFINITY) return this.#consumeUnlimited(key, bucket, windowSeconds);
    const isSettling = bucket.pending !== undefined && bucket.tokens <= 0;
    if (isSettling || (bucket.tokens === 0 && bucket.unleased > 0))
      return this.#consumeCounted(key, limit, windowSeconds);
    const isAllowed = bucket.tokens > 0;
    if (isAllowed) bucket.tokens--;
    return toAllowance(bucket, isAllowed, windowSeconds);
  }

  /** Uses a token like `consume`. Throws 429 with the reason if there is none. */
  async requireToken(
    key: string,
    limit: number,
    windowSeconds: number,
    reason: string,
    code: ErrorCode = 'rate_limited',
  ): Promise<Allowance> {
    const allowance = await this.consume(key, limit, windowSeconds);
    if (allowance.isAllowed) return allowance;
    throw createRateLimitError(code, reason, allowance, this.#now());
  }

  /** Returns the limit as of the last lease, without using a token. `isAllowed` is always true. */
  peek(key: string, limit: number, windowSeconds: number): Allowance {
    const bucket = this.#findBucket(key, limit, windowSeconds);
    return toAllowance(
      bucket ?? createBucket(this.#getWindowStart(windowSeconds), limit),
      true,
      windowSeconds,
    );
  }

  /** Returns the tokens left for the key that has the fewest, including those that other processes have not leased. */
  async countRemaining(keys: readonly string[], limit: number, windowSeconds: number): Promise<number> {
    const uses = await listUses(this.#db, keys, this.#getWindowStart(windowSeconds));
    const remaining = keys.map(key => {
      // Leased tokens count as used in the database.
      const leased = Math.max(0, this.#findBucket(key, limit, windowSeconds)?.tokens ?? 0);
      return Math.max(0, limit - (uses.get(key) ?? 0)) + leased;
    });
    return Math.min(limit, ...remaining);
  }

  /** Returns the token of an allowed `consume`, unless its window has ended. */
  returnToken(key: string, windowSeconds: number, { reset }: Allowance): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined || bucket.windowStart + windowSeconds !== reset) return;
    bucket.tokens++;
    // Near the limit each token matters for the other processes.
    if (bucket.unleased <= NEAR_LIMIT) this.#settle(key, bucket);
  }

  #getWindowStart(windowSeconds: number): number {
    return Math.floor(this.#now() / 1000 / windowSeconds) * windowSeconds;
  }

  #findBucket(key: string, limit: number, windowSeconds: number): Bucket | undefined {
    const bucket = this.#buckets.get(key);
    if (bucket?.windowStart !== this.#getWindowStart(windowSeconds)) return undefined;
    if (bucket.limit !== limit) {
      // The plan has changed: tokens leased under the old limit are returned, and uses without a limit are counted.
      bucket.limit = limit;
      this.#settle(key, bucket);
    }
    return bucket;
  }

  #getBucket(key: string, limit: number, windowSeconds: number): Bucket {
    const bucket = this.#findBucket(key, limit, windowSeconds);
    if (bucket !== undefined) return bucket;
    if (this.#buckets.size >= MAX_BUCKETS) dropOldest(this.#buckets);
    const newBucket = createBucket(this.#getWindowStart(windowSeconds), limit);
    // Keeps the newest buckets last.
    this.#buckets.delete(key);
    this.#buckets.set(key, newBucket);
    return newBucket;
  }

  /** Returns unused tokens to the database, or counts uses that it lacks. */
  #settle(key: string, bucket: Bucket): void {
    const { pending: previousLease, tokens } = bucket;
    bucket.tokens = 0;
    bucket.countedAtMs = this.#now();
    bucket.pending = this.#returnTokens(key, bucket, tokens, previousLease);
    // A caller that waits for the query receives the error. Without one, the next call of #settle tries again.
    bucket.pending.catch(() => undefined);
  }

  async #returnTokens(
    key: string,
    bucket: Bucket,
    tokens: number,
    previousLease: Promise<void> | undefined,
  ): Promise<void> {
    await previousLease?.catch(() => undefined);
    const returned = Math.max(0, bucket.tokens) + tokens;
    bucket.tokens = Math.min(0, bucket.tokens);
    try {
      bucket.unleased = bucket.limit - (await this.#addUses(key, bucket, -returned));
    } catch (err) {
      bucket.tokens += returned;
      throw err;
    } finally {
      bucket.pending = undefined;
    }
  }

  /** Uses a token without a limit. The use is counted in the database later, in case the plan changes in the window. */
  #consumeUnlimited(key: string, bucket: Bucket, windowSeconds: number): Allowance {
    bucket.tokens--;
    if (bucket.pending === undefined && this.#now() - bucket.countedAtMs >= COUNT_EVERY_MS)
      this.#settle(key, bucket);
    return toAllowance(bucket, true, windowSeconds);
  }

  async #consumeCounted(key: string, limit: number, windowSeconds: number): Promise<Allowance> {
    for (;;) {
      const bucket = this.#getBucket(key, limit, windowSeconds);
      if (bucket.pending !== undefined) {
        await bucket.pending;
        continue;
      }
      if (bucket.tokens > 0) {
        bucket.tokens--;
        return toAllowance(bucket, true, windowSeconds);
      }
      if (bucket.unleased <= 0) return toAllowance(bucket, false, windowSeconds);
      bucket.pending = this.#lease(key, bucket).finally(() => {
        bucket.pending = undefined;
      });
    }
  }

  /** Adds uses to the count in the database and returns the new count. Rejects if it is unknown whether they were added. */
  async #addUses(key: string, { windowStart }: Bucket, uses: number): Promise<number> {
    try {
      return await addUses(this.#db, key, windowStart, uses);
    } catch (err) {
      throw err instanceof OutageError ? new OutageError(false, toError(err.cause)) : err;
    }
  }

  async #lease(key: string, bucket: Bucket): Promise<void> {
    const share = Math.max(1, Math.floor(bucket.unleased / 10));
    // A process that has not leased any tokens yet does not know how many remain, and it loses its tokens if it ends.
    const isFirst = bucket.unleased === bucket.limit;
    const block = bucket.unleased <= NEAR_LIMIT ? 1 : isFirst ? Math.min(share, NEAR_LIMIT) : share;
    const usedByAll = await this.#addUses(key, bucket, block);
    bucket.tokens += Math.min(block, Math.max(0, bucket.limit - (usedByAll - block)));
    bucket.unleased = bucket.limit - usedByAll;
  }
}

const createBucket = (windowStart: number, limit: number): Bucket => ({
  windowStart,
  limit,
  tokens: 0,
  unleased: limit,
  pending: undefined,
  countedAtMs: 0,
});

const toAllowance = (bucket: Bucket, isAllowed: boolean, windowSeconds: number): Allowance => ({
  isAllowed,
  limit: bucket.limit,
  remaining: Math.max(0, bucket.tokens + bucket.unleased),
  reset: bucket.windowStart + windowSeconds,
});

// Drops a tenth of the buckets, so that not every caller from a new address causes a scan. The tokens of a dropped
// bucket are lost, but never used twice: they were counted when leased.
function dropOldest(buckets: Map<string, Bucket>): void {
  for (const key of buckets.keys().take(MAX_BUCKETS / 10)) buckets.delete(key);
}
