// Tests rate limits while PostgreSQL is unavailable, and their errors.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OutageError } from '../../../src/lib/errors.ts';
import { createRateLimitError, RateLimiter } from '../../../src/services/accounts/rate-limits.ts';

const WINDOW_SECONDS = 60;

it('RateLimiter reports a failed token lease as an outage without a stored write', async () => {
  // The error with which the database reports a write of unknown outcome.
  const outage = new OutageError(true, new Error('Connection terminated unexpectedly'));
  const limiter = new RateLimiter({ query: () => Promise.reject(outage) }, Date.now);
  await assert.rejects(async () => limiter.consume('key', 100, WINDOW_SECONDS), {
    name: 'OutageError',
    mayHaveCommitted: false,
    message: outage.message,
  });
});

it('an exhausted limit says when its window ends, at the earliest in a second', () => {
  const refuse = (reset: number): unknown[] => {
    const { headers, details, message } = createRateLimitError(
      'rate_limited',
      'Too many requests',
      { limit: 5, reset },
      100_000,
    );
    return [headers?.['retry-after'], headers?.['x-ratelimit-reset'], details, message];
  };
  assert.deepEqual(refuse(100), ['1', '100', { retryAfter: 100 }, 'Too many requests. Try again in 1 s.']);
  assert.deepEqual(refuse(700), [
    '600',
    '700',
    { retryAfter: 700 },
    'Too many requests. Try again in 600 s.',
  ]);
  assert.deepEqual(refuse(701), [
    '601',
    '701',
    { retryAfter: 701 },
    'Too many requests. Try again after 1970-01-01 00:11 UTC.',
  ]);
});
