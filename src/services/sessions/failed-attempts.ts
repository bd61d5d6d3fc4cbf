// Limits failed sign-ins across all processes. Past a limit, no password is checked or hashed.
//
// A wrong password counts for its address, for the account at that network and, at networks from which nobody has
// recently signed in to the account, for the account itself. So guesses from elsewhere do not lock people out of their
// usual network, and guesses from many networks are still bounded.
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import type { Allowance } from '../accounts/rate-limits.ts';
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

/** The account whose password is tried, and the network of the attempt. */
export interface Attempt {
  /** The id of a user, or the hash of an email without an account, so that both are counted alike. */
  readonly account: number | string;
  readonly network: string;
  /** Whether the account had a successful sign-in from the network in the last 30 days. */
  readonly isKnown: boolean;
}

export const attemptsAt = ({ account, network, isKnown }: Attempt): readonly Target[] => [
  { key: `sign-in:account:${account}:${network}`, limit: 10, name: 'this account from your network' },
  ...(isKnown ? [] : [{ key: `sign-in:account:${account}`, limit: 50, name: 'this account' }]),
];

/**
 * Runs the work, or throws 429 if the limit of a target is used up. The attempt is counted first, so that concurrent
 * attempts cannot exceed the limit, and undone unless it failed because of a wrong password or link.
 */
export async function limitFailures<T>(
  { limiter }: Pick<Deps, 'limiter'>,
  targets: readonly Target[],
  work: () => Promise<T>,
): Promise<T> {
  const reserved: (readonly [Target, Allowance])[] = [];
  let failed = false;
  try {
    for (const target of targets) {
      const { key, limit, name } = target;
      const reason = `More than ${limit} failed sign-ins at ${name} in 15 minutes`;
      reserved.push([target, await limiter.requireToken(key, limit, WINDOW_SECONDS, reason)]);
    }
    return await work();
  } catch (err) {
    failed = err instanceof AppError && FAILURES.has(err.code);
    throw err;
  } finally {
    if (!failed)
      for (const [{ key }, allowance] of reserved) limiter.returnToken(key, WINDOW_SECONDS, allowance);
  }
}
