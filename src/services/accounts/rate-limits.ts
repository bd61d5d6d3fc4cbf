// Rate limits over all processes: tokens are leased from PostgreSQL in blocks of at most a tenth of what is left,
// and one by one near the end, so that never more than the limit is admitted and most requests cost no query.

import { AppError, type ErrorCode, OutageError, toError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { countUses } from '../../store/rate-windows.ts';

export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds at which the window ends. */
  readonly reset: number;
}

interface Bucket {
  readonly windowStart: number;
  limit: number;
  /** Tokens left in this process; below zero, uses of a key without a limit that are not counted in the database yet. */
  tokens: number;
  /** Tokens of the window not yet leased by anybody, as last read. */
  unleased: number;
  /** One lease at a time; later callers wait for it. */
  leasing: Promise<void> | undefined;
  /** When uses without a limit were last counted. */
  countedAtMs: number;
}

/** The state of a limit as the headers of an answer carry it. */
export function rateHeaders({ limit, remaining, reset }: Omit<Allowance, 'allowed'>): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
  };
}

/** A limit that is used up: its size, and when it admits again in Unix seconds. */
export interface UsedUp {
  readonly limit: number;
  readonly reset: number;
}

/** The one form of 429: `retryAfter` in the body equals X-RateLimit-Reset, Retry-After is relative. */
export function rateLimitError(
  code: ErrorCode,
  what: string,
  { limit, reset }: UsedUp,
  nowMs: number,
): AppError {
  const seconds = Math.max(1, Math.ceil(reset - nowMs / 1000));
  return new AppError(code, `${what}. Try again in ${seconds} s.`, {
    details: { retryAfter: reset },
    headers: { 'retry-after': String(seconds), ...rateHeaders({ limit, remaining: 0, reset }) },
  });
}

// Below this many left, each use is counted in the database.
const NEAR_THE_END = 20;
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
  take(key: string, limit: number, windowSeconds: number): Allowance | Promise<Allowance> {
    const bucket = this.#bucketOf(key, limit, windowSeconds);
    if (limit === Number.POSITIVE_INFINITY) return this.#takeUnlimited(key, bucket, windowSeconds);
    const isSettling = bucket.leasing !== undefined && bucket.tokens <= 0;
    if (isSettling || (bucket.tokens === 0 && bucket.unleased > 0))
      return this.#takeSlowly(key, limit, windowSeconds);
    const allowed = bucket.tokens > 0;
    if (allowed) bucket.tokens--;
    return allowanceOf(bucket, allowed, windowSeconds);
  }

  /** What `take` would say, without using anything; what other processes used since the last lease is not in it. */
  peek(key: string, limit: number, windowSeconds: number): Allowance {
    const found = this.#findBucket(key, limit, windowSeconds);
    return allowanceOf(found ?? newBucket(this.#startOf(windowSeconds), limit), true, windowSeconds);
  }

  /** Undoes a `take` that was allowed; nothing where its window has ended. */
  giveBack(key: string, windowSeconds: number, { reset }: Allowance): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined || bucket.windowStart + windowSeconds !== reset) return;
    bucket.tokens++;
    // Near the end each one counts for the other processes too.
    if (bucket.unleased <= NEAR_THE_END) this.#settle(key, bucket);
  }

  #startOf(windowSeconds: number): number {
    return Math.floor(this.#now() / 1000 / windowSeconds) * windowSeconds;
  }

  #findBucket(key: string, limit: number, windowSeconds: number): Bucket | undefined {
    const found = this.#buckets.get(key);
    if (found?.windowStart !== this.#startOf(windowSeconds)) return undefined;
    if (found.limit !== limit) {
      // The plan has changed: tokens leased under the old one go back, or what was used is counted, before any more.
      found.limit = limit;
      this.#settle(key, found);
    }
    return found;
  }

  #bucketOf(key: string, limit: number, windowSeconds: number): Bucket {
    const found = this.#findBucket(key, limit, windowSeconds);
    if (found !== undefined) return found;
    if (this.#buckets.size >= MAX_BUCKETS) dropOldest(this.#buckets);
    const fresh = newBucket(this.#startOf(windowSeconds), limit);
    // The newest stand last.
    this.#buckets.delete(key);
    this.#buckets.set(key, fresh);
    return fresh;
  }

  /** Makes the database's count what was used; tokens left here are nobody's again. */
  #settle(key: string, bucket: Bucket): void {
    const { leasing: before, tokens } = bucket;
    bucket.tokens = 0;
    bucket.countedAtMs = this.#now();
    bucket.leasing = this.#count(key, bucket, tokens, before);
    // Whoever waits for it sees a failure; where nobody does, the next count makes up for it.
    bucket.leasing.catch(() => undefined);
  }

  async #count(
    key: string,
    bucket: Bucket,
    tokens: number,
    before: Promise<void> | undefined,
  ): Promise<void> {
    await before?.catch(() => undefined);
    const counted = Math.max(0, bucket.tokens) + tokens;
    bucket.tokens = Math.min(0, bucket.tokens);
    try {
      bucket.unleased = bucket.limit - (await this.#countUses(key, bucket, -counted));
    } catch (err) {
      bucket.tokens += counted;
      throw err;
    } finally {
      bucket.leasing = undefined;
    }
  }

  /** Uses without a limit are counted too, a moment later, so that another plan finds them. */
  #takeUnlimited(key: string, bucket: Bucket, windowSeconds: number): Allowance {
    bucket.tokens--;
    if (bucket.leasing === undefined && this.#now() - bucket.countedAtMs >= COUNT_EVERY_MS)
      this.#settle(key, bucket);
    return allowanceOf(bucket, true, windowSeconds);
  }

  async #takeSlowly(key: string, limit: number, windowSeconds: number): Promise<Allowance> {
    for (;;) {
      const bucket = this.#bucketOf(key, limit, windowSeconds);
      if (bucket.leasing !== undefined) {
        await bucket.leasing;
        continue;
      }
      if (bucket.tokens > 0) {
        bucket.tokens--;
        return allowanceOf(bucket, true, windowSeconds);
      }
      if (bucket.unleased <= 0) return allowanceOf(bucket, false, windowSeconds);
      bucket.leasing = this.#lease(key, bucket).finally(() => {
        bucket.leasing = undefined;
      });
    }
  }

  /** Where it is not known whether they were counted, the request that waits for them has not begun all the same. */
  async #countUses(key: string, { windowStart }: Bucket, uses: number): Promise<number> {
    try {
      return await countUses(this.#db, key, windowStart, uses);
    } catch (err) {
      throw err instanceof OutageError ? new OutageError(false, toError(err.cause)) : err;
    }
  }

  async #lease(key: string, bucket: Bucket): Promise<void> {
    const block = bucket.unleased <= NEAR_THE_END ? 1 : Math.max(1, Math.floor(bucket.unleased / 10));
    const used = await this.#countUses(key, bucket, block);
    bucket.tokens += Math.min(block, Math.max(0, bucket.limit - (used - block)));
    bucket.unleased = bucket.limit - used;
  }
}

const newBucket = (windowStart: number, limit: number): Bucket => ({
  windowStart,
  limit,
  tokens: 0,
  unleased: limit,
  leasing: undefined,
  countedAtMs: 0,
});

const allowanceOf = (bucket: Bucket, allowed: boolean, windowSeconds: number): Allowance => ({
  allowed,
  limit: bucket.limit,
  remaining: Math.max(0, bucket.tokens + bucket.unleased),
  reset: bucket.windowStart + windowSeconds,
});

// A tenth at once, so that callers from ever new addresses cost no scan each. What a dropped bucket had left is
// lost, never admitted twice: it was counted when it was leased.
function dropOldest(buckets: Map<string, Bucket>): void {
  let left = MAX_BUCKETS / 10;
  for (const key of buckets.keys()) {
    if (left-- === 0) break;
    buckets.delete(key);
  }
}
