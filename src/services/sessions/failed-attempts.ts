// Limits failed sign-ins across all processes. Past a limit, no password is checked or hashed.
//
// A wrong password counts toward the limit of the visitor's network and toward the limit of the account at this
// network. Unless somebody has recently signed in to the account from this network, it also counts toward the limit of
// the account at all networks. So guesses from unknown networks are limited, and do not lock people out of their usual
// network.
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import type { Allowance } from '../accounts/rate-limits.ts';
import type { Deps } from '../deps.ts';

const WINDOW_SECONDS = 900;
const COUNTED_CODES: ReadonlySet<ErrorCode> = new Set(['invalid_credentials', 'invalid_link']);

/** A limit of failed sign-ins: its key in the rate limiter, and what it counts, for the error message. */
interface AttemptLimit {
  readonly key: string;
  readonly limit: number;
  readonly name: string;
}

/** Returns the limit of a network for all accounts. */
export const getNetworkLimit = (network: string): AttemptLimit => ({
  key: `sign-in:address:${network}`,
  limit: 50,
  name: 'your address',
});

/** The account whose password is tried, and the network of the attempt. */
export interface Attempt {
  /** The id of a user, or the hash of an email without an account, so that both are limited alike. */
  readonly account: number | string;
  readonly network: string;
  /** Whether the account had a successful sign-in from the network in the last 30 days. */
  readonly isKnown: boolean;
}

/** Returns the limits of an account: at the network of the attempt, and at unknown networks together. */
export const listAccountLimits = ({ account, network, isKnown }: Attempt): readonly AttemptLimit[] => [
  { key: `sign-in:account:${account}:${network}`, limit: 10, name: 'this account from your network' },
  ...(isKnown ? [] : [{ key: `sign-in:account:${account}`, limit: 50, name: 'this account' }]),
];

/**
 * Runs the attempt, or throws 429 if a limit is reached. Counts the attempt first, so that concurrent attempts cannot
 * exceed the limit, and undoes the count unless the attempt failed because of a wrong password or link.
 */
export async function limitFailures<T>(
  { rateLimiter }: Pick<Deps, 'rateLimiter'>,
  limits: readonly AttemptLimit[],
  attempt: () => Promise<T>,
): Promise<T> {
  const reserved: (readonly [AttemptLimit, Allowance])[] = [];
  let isCounted = false;
  try {
    for (const attemptLimit of limits) {
      const { key, limit, name } = attemptLimit;
      const reason = `More than ${limit} failed sign-ins at ${name} in 15 minutes`;
      reserved.push([attemptLimit, await rateLimiter.requireToken(key, limit, WINDOW_SECONDS, reason)]);
    }
    return await attempt();
  } catch (err) {
    isCounted = err instanceof AppError && COUNTED_CODES.has(err.code);
    throw err;
  } finally {
    if (!isCounted)
      for (const [{ key }, allowance] of reserved) rateLimiter.returnToken(key, WINDOW_SECONDS, allowance);
  }
}
