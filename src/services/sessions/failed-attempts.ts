// Limits guesses at passwords and links, counted over all processes: past a limit nothing is checked or hashed.
//
// A wrong password counts for its address, for the account at that network, and, at a network from which nobody has signed
// in to the account lately, for the account. So guesses from elsewhere do not lock a person out of where they sign in from,
// and guesses from many networks are still bounded.
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { type Allowance, rateLimitError } from '../accounts/rate-limits.ts';
import type { Deps } from '../deps.ts';

const WINDOW_SECONDS = 900;
const FAILURES: ReadonlySet<ErrorCode> = new Set(['invalid_credentials', 'invalid_link']);

interface Target {
  readonly key: string;
  readonly limit: number;
  readonly name: string;
}

export const attemptsFrom = (network: string): Target => ({
  key: `sign-in:address:${network}`,
  limit: 50,
  name: 'your address',
});

/** Whose password is tried, and from where. */
export interface Attempt {
  /** The id of a user, or the hash of an email without an account: both are counted alike. */
  readonly account: number | string;
  readonly network: string;
  /** Whether there was a good sign-in to the account from the network in the last 30 days. */
  readonly isKnown: boolean;
}

export const attemptsAt = ({ account, network, isKnown }: Attempt): readonly Target[] => [
  { key: `sign-in:account:${account}:${network}`, limit: 10, name: 'this account from your network' },
  ...(isKnown ? [] : [{ key: `sign-in:account:${account}`, limit: 50, name: 'this account' }]),
];

/**
 * Does the work unless the limit of a target is used up: then it throws 429. The attempt is counted before, so that
 * concurrent attempts cannot pass the limit, and taken back unless it failed for a wrong password or link.
 */
export async function limitFailures<T>(
  { limiter, now }: Pick<Deps, 'limiter' | 'now'>,
  targets: readonly Target[],
  work: () => Promise<T>,
): Promise<T> {
  const taken: (readonly [Target, Allowance])[] = [];
  let failed = false;
  try {
    for (const target of targets) {
      const allowance = await limiter.take(target.key, target.limit, WINDOW_SECONDS);
      if (!allowance.allowed)
        throw rateLimitError(
          'rate_limited',
          `More than ${target.limit} failed sign-ins at ${target.name} in 15 minutes`,
          allowance,
          now(),
        );
      taken.push([target, allowance]);
    }
    return await work();
  } catch (err) {
    failed = err instanceof AppError && FAILURES.has(err.code);
    throw err;
  } finally {
    if (!failed) for (const [{ key }, allowance] of taken) limiter.giveBack(key, WINDOW_SECONDS, allowance);
  }
}
