// Tests rate limits while PostgreSQL is unavailable: a request that waits for a token has not started, so it can be
// repeated.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OutageError } from '../../../src/lib/errors.ts';
import { RateLimiter } from '../../../src/services/accounts/rate-limits.ts';

const WINDOW_SECONDS = 60;

it('a request whose token lease is lost with PostgreSQL does nothing', async () => {
  // The error with which the database reports a write of unknown outcome.
  const lost = new OutageError(true, new Error('Connection terminated unexpectedly'));
  const limiter = new RateLimiter({ query: () => Promise.reject(lost) }, Date.now);
  await assert.rejects(async () => limiter.consume('key', 100, WINDOW_SECONDS), {
    name: 'OutageError',
    mayBeDone: false,
    message: lost.message,
  });
});
