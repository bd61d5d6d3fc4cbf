// Tests rate limits while PostgreSQL is unavailable.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OutageError } from '../../../src/lib/errors.ts';
import { RateLimiter } from '../../../src/services/accounts/rate-limits.ts';

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
