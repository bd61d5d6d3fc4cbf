// Tests what counts toward a limit of failed sign-ins.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AppError } from '../../../src/lib/errors.ts';
import type { RateLimiter } from '../../../src/services/accounts/rate-limits.ts';
import { getNetworkLimit, limitFailures } from '../../../src/services/sessions/failed-attempts.ts';

const LIMIT = getNetworkLimit('192.0.2.0/24');

/** Runs the attempt and returns how many tokens it used up. */
async function countTokens(attempt: () => Promise<unknown>): Promise<number> {
  let used = 0;
  const rateLimiter: Pick<RateLimiter, 'requireToken' | 'returnToken'> = {
    requireToken: async () => {
      used++;
      return { isAllowed: true, limit: LIMIT.limit, remaining: 1, reset: 1 };
    },
    returnToken: () => {
      used--;
    },
  };
  await limitFailures({ rateLimiter: rateLimiter as RateLimiter }, [LIMIT], attempt).catch(() => undefined);
  return used;
}

it('counts wrong passwords and links, and no success, other refusal or failure of the service', async () => {
  const fail = (err: Error) => countTokens(() => Promise.reject(err));
  assert.equal(await fail(new AppError('invalid_credentials', 'Wrong.')), 1);
  assert.equal(await fail(new AppError('invalid_link', 'Expired.')), 1);
  assert.equal(await fail(new AppError('unavailable', 'No database.')), 0);
  assert.equal(await fail(new Error('a defect')), 0);
  assert.equal(await countTokens(async () => 'signed in'), 0);
});
