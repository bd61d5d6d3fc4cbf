// Tokens of a limit while PostgreSQL is lost: the request that waits for them has not begun, so it may be repeated.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OutageError } from '../../../src/lib/errors.ts';
import { RateLimiter } from '../../../src/services/accounts/rate-limits.ts';

const WINDOW_SECONDS = 60;

it('a token whose lease was lost with PostgreSQL leaves nothing done', async () => {
  // As the database reports a write of which it is not known whether it was committed.
  const lost = new OutageError(true, new Error('Connection terminated unexpectedly'));
  const limiter = new RateLimiter({ query: () => Promise.reject(lost) }, Date.now);
  await assert.rejects(async () => limiter.consume('key', 100, WINDOW_SECONDS), {
    name: 'OutageError',
    mayBeDone: false,
    message: lost.message,
  });
});
