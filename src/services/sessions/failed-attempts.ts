// Guesses at passwords and links, counted over all processes: past the limit none is looked at.
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { limitRefusal } from '../accounts/rate-limits.ts';
import type { Deps } from '../deps.ts';

const WINDOW_SECONDS = 900;
const FAILURES: ReadonlySet<ErrorCode> = new Set(['invalid_credentials', 'invalid_link']);

interface Target {
  readonly key: string;
  readonly limit: number;
  readonly name: string;
}

export const attemptsFrom = (address: string): Target => ({
  key: `sign-in:address:${address}`,
  limit: 50,
  name: 'your address',
});

/** `account`: the id of a user, or the hash of an email that nobody has. */
export const attemptsAt = (account: number | string): Target => ({
  key: `sign-in:account:${account}`,
  limit: 10,
  name: 'this account',
});

/**
 * Does the work unless the limit of the target is used up: then it throws 429. The attempt is counted before, so that
 * many at once are no way past the limit, and taken back unless it failed for a wrong password or link.
 */
export async function limitFailures<T>(
  { limiter, now }: Pick<Deps, 'limiter' | 'now'>,
  { key, limit, name }: Target,
  work: () => Promise<T>,
): Promise<T> {
  const taken = await limiter.take(key, limit, WINDOW_SECONDS);
  if (!taken.allowed)
    throw limitRefusal(
      'rate_limited',
      `More than ${limit} failed sign-ins at ${name} in 15 minutes`,
      taken,
      now(),
    );
  let failed = false;
  try {
    return await work();
  } catch (err) {
    failed = err instanceof AppError && FAILURES.has(err.code);
    throw err;
  } finally {
    if (!failed) limiter.giveBack(key, WINDOW_SECONDS, taken);
  }
}
