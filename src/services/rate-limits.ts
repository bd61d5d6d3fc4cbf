// Rate limits over all processes: tokens are leased from PostgreSQL in blocks of at most a tenth of what is left,
// and one by one near the end, so that never more than the limit is admitted and most requests cost no query.

import type { Tx } from '../store/db.ts';
import { countUses } from '../store/rate-windows.ts';

export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds at which the window ends. */
  readonly reset: number;
}

export interface RateLimiter {
  /** Uses one of the key's `limit` tokens of the current window. Synchronous while a leased block lasts. */
  take(key: string, limit: number, windowSeconds: number): Allowance | Promise<Allowance>;
  /** What `take` would say, without using anything; what other processes used since the last lease is not in it. */
  peek(key: string, limit: number, windowSeconds: number): Allowance;
}

interface Bucket {
  windowStart: number;
  /** Tokens in hand. */
  tokens: number;
  /** Tokens of the window not yet leased by anybody, as last heard. */
  unleased: number;
  /** One lease at a time; later callers wait for it. */
  leasing: Promise<void> | undefined;
}

// Below this many left, each use is counted in the database.
const NEAR_THE_END = 20;
const MAX_BUCKETS = 100_000;

export function createRateLimiter(db: Tx, now: () => number): RateLimiter {
  const buckets = new Map<string, Bucket>();

  const bucketOf = (key: string, limit: number, windowSeconds: number): Bucket => {
    const windowStart = Math.floor(now() / 1000 / windowSeconds) * windowSeconds;
    const found = buckets.get(key);
    if (found?.windowStart === windowStart) return found;
    if (buckets.size >= MAX_BUCKETS) dropOld(buckets, windowStart);
    const fresh: Bucket = { windowStart, tokens: 0, unleased: limit, leasing: undefined };
    buckets.set(key, fresh);
    return fresh;
  };

  const allowance = (bucket: Bucket, allowed: boolean, limit: number, windowSeconds: number): Allowance => ({
    allowed,
    limit,
    remaining: Math.max(0, bucket.tokens + bucket.unleased),
    reset: bucket.windowStart + windowSeconds,
  });

  const lease = async (key: string, bucket: Bucket, limit: number): Promise<void> => {
    const block = bucket.unleased <= NEAR_THE_END ? 1 : Math.max(1, Math.floor(bucket.unleased / 10));
    const used = await countUses(db, key, bucket.windowStart, block);
    bucket.tokens += Math.min(block, Math.max(0, limit - (used - block)));
    bucket.unleased = Math.max(0, limit - used);
  };

  const takeSlowly = async (key: string, limit: number, windowSeconds: number): Promise<Allowance> => {
    for (;;) {
      const bucket = bucketOf(key, limit, windowSeconds);
      if (bucket.tokens > 0) {
        bucket.tokens--;
        return allowance(bucket, true, limit, windowSeconds);
      }
      if (bucket.unleased <= 0) return allowance(bucket, false, limit, windowSeconds);
      bucket.leasing ??= lease(key, bucket, limit).finally(() => {
        bucket.leasing = undefined;
      });
      await bucket.leasing;
    }
  };

  return {
    take(key, limit, windowSeconds) {
      const bucket = bucketOf(key, limit, windowSeconds);
      if (bucket.tokens === 0 && bucket.unleased > 0) return takeSlowly(key, limit, windowSeconds);
      const allowed = bucket.tokens > 0;
      if (allowed) bucket.tokens--;
      return allowance(bucket, allowed, limit, windowSeconds);
    },
    peek(key, limit, windowSeconds) {
      const bucket = buckets.get(key);
      const windowStart = Math.floor(now() / 1000 / windowSeconds) * windowSeconds;
      const current =
        bucket?.windowStart === windowStart
          ? bucket
          : { windowStart, tokens: 0, unleased: limit, leasing: undefined };
      return allowance(current, true, limit, windowSeconds);
    },
  };
}

// Day windows outlive minute windows; those of the same or a later start stay.
function dropOld(buckets: Map<string, Bucket>, windowStart: number): void {
  for (const [key, bucket] of buckets) if (bucket.windowStart < windowStart - 86_400) buckets.delete(key);
  for (const key of buckets.keys()) {
    if (buckets.size < MAX_BUCKETS) break;
    buckets.delete(key);
  }
}
