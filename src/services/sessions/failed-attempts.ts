// Limits failed sign-ins across all processes. Past a limit, no password is checked or hashed.
//
// A wrong password counts toward the limit of the visitor's network and toward the limit of the account at this
// network. Unless somebody has recently signed in to the account from this network, it also counts toward the limit of
// the account at all networks. So guesses from unknown networks are limited, and do not lock people out of their usual
// network.
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { recordAuditAlone, toUserTarget } from '../../store/audit/record-audit.ts';
import { ANONYMOUS } from '../accounts/actor.ts';
import type { Allowance } from '../accounts/rate-limits.ts';
import type { Deps } from '../deps.ts';

const WINDOW_SECONDS = 900;
const COUNTED_CODES: ReadonlySet<ErrorCode> = new Set(['invalid_credentials', 'invalid_link']);

/** A limit of failed sign-ins: its key in the rate limiter, and what it counts, for the error message. */
export interface AttemptLimit {
  readonly key: string;
  readonly limit: number;
  readonly name: string;
  /** Default: 15 minutes. */
  readonly windowSeconds?: number;
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

/** How somebody tried to prove who they are. */
export interface AuditedAttempt {
  /** Undefined if the attempt names no account. */
  readonly userId: number | undefined;
  readonly method: 'password' | 'second factor' | 'passkey' | 'link' | 'openid';
}

/** How many failures without an account are recorded in 15 minutes. Those of an account are limited by `listAccountLimits`. */
const MAX_RECORDED_UNKNOWN = 600;

/** Runs the attempt, and records it in the audit log if it fails because of a wrong password, proof or link. */
export async function recordFailures<T>(
  { db, rateLimiter }: Pick<Deps, 'db' | 'rateLimiter'>,
  { userId, method }: AuditedAttempt,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (err) {
    if (err instanceof AppError && (COUNTED_CODES.has(err.code) || err.code === 'sign_in_refused')) {
      // The email is not recorded, because people also type their password there.
      const target = userId === undefined ? null : toUserTarget(userId);
      if (userId !== undefined || (await mayRecordUnknown(rateLimiter)))
        await recordAuditAlone(db, ANONYMOUS, {
          action: 'session.failed',
          target,
          after: { method, reason: err.message },
        });
    }
    throw err;
  }
}

/** Keeps attempts from many networks from filling the log. */
async function mayRecordUnknown(rateLimiter: Deps['rateLimiter']): Promise<boolean> {
  try {
    await rateLimiter.requireToken(
      'audit:unknown',
      MAX_RECORDED_UNKNOWN,
      WINDOW_SECONDS,
      'Too many failures',
    );
    return true;
  } catch (err) {
    if (err instanceof AppError) return false;
    throw err;
  }
}
const DAY_SECONDS = 86_400;

/**
 * Returns the limit of wrong second factors of an account. Who gets this far knows the password, and a code has only six
 * digits: a hundred guesses a day find one of the three valid codes with a chance of 0.03%. A network from which the user
 * has signed in has a limit of its own, so that somebody else with the password does not lock the user out.
 */
export const getFactorLimit = ({ account, network, isKnown }: Attempt): AttemptLimit => ({
  key: `second-factor:${account}${isKnown ? `:${network}` : ''}`,
  limit: 100,
  name: 'the second factor of this account',
  windowSeconds: DAY_SECONDS,
});

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
      const { key, limit, name, windowSeconds = WINDOW_SECONDS } = attemptLimit;
      const period = windowSeconds === DAY_SECONDS ? '24 hours' : '15 minutes';
      const reason = `More than ${limit} failed sign-ins at ${name} in ${period}`;
      reserved.push([attemptLimit, await rateLimiter.requireToken(key, limit, windowSeconds, reason)]);
    }
    return await attempt();
  } catch (err) {
    isCounted = err instanceof AppError && COUNTED_CODES.has(err.code);
    throw err;
  } finally {
    if (!isCounted)
      for (const [{ key, windowSeconds = WINDOW_SECONDS }, allowance] of reserved)
        rateLimiter.returnToken(key, windowSeconds, allowance);
  }
}
