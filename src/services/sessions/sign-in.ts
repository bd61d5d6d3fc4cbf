// Signs users in by password, and changes passwords.
import { sha256Hex } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { revokeUserKeys } from '../../store/keys.ts';
import { lockUser } from '../../store/people/delete-user.ts';
import { deleteUserLink } from '../../store/people/password-links.ts';
import { deleteUserSessions, findProof, knowsNetwork } from '../../store/people/sessions.ts';
import { canAnyUserSignIn, findPasswordHash, findSignIn, updateSignIn } from '../../store/users.ts';
import { type Actor, requireSession } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { deleteUserGrants } from '../oauth/store/grants.ts';
import { getRelyingParty } from '../second-factors/passkeys.ts';
import { isSession, type SignInOutcome, startSessionOrSecondStep } from '../second-factors/second-step.ts';
import { deleteUserChallenges } from '../second-factors/store.ts';
import {
  type AuditedAttempt,
  getFactorLimit,
  getNetworkLimit,
  limitFailures,
  listAccountLimits,
  recordFailures,
} from './failed-attempts.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { notifyOfPassword } from './security-notices.ts';
import { recordSignIn, toSignedIn, type Visitor } from './start-session.ts';

/** Returns the sign-in methods that the page offers. */
export async function listSignInMethods(
  { db, settings, mailer }: Pick<Deps, 'db' | 'settings' | 'mailer'>,
  startUrl: string,
) {
  const { OIDC_ISSUER: issuer } = settings;
  return {
    password: true,
    passkeys: getRelyingParty({ settings }) !== undefined,
    mail: mailer !== undefined,
    openid: issuer === undefined ? null : { issuer, startUrl },
    needsSetup: !(await canAnyUserSignIn(db)),
  };
}

/**
 * Signs the user in, or returns the second step of the sign-in. Throws 429, and 401 `invalid_credentials`, after the same time with
 * or without an account.
 */
export async function signIn(
  deps: Deps,
  { email, password }: { readonly email: string; readonly password: string },
  visitor: Visitor,
): Promise<SignInOutcome> {
  const { network } = visitor;
  return limitFailures(deps, [getNetworkLimit(network)], async () => {
    const user = await findSignIn(deps.db, { email: email.trim(), network, now: new Date(deps.now()) });
    const account = user?.id ?? sha256Hex(email.trim().toLowerCase());
    const isKnown = user?.is_known ?? false;
    const attempt = { userId: user?.id, method: 'password' } as const;
    return limitFailures(deps, listAccountLimits({ account, network, isKnown }), () =>
      recordFailures(deps, attempt, async () => {
        const storedHash = user?.password ?? undefined;
        const isCorrect = await verifyPassword(storedHash, password, visitor.signal);
        if (!isCorrect || user === undefined || storedHash === undefined) throw createCredentialsError();
        return deps.db.transaction(async tx => {
          const outcome = await startSessionOrSecondStep(tx, deps, {
            userId: user.id,
            visitor,
            passwordHash: storedHash,
          });
          if (outcome === undefined) throw createCredentialsError();
          if (isSession(outcome)) recordSignIn(tx, user.id, 'password');
          return outcome;
        });
      }),
    );
  });
}

const createCredentialsError = (message = 'Incorrect email or password.'): AppError =>
  new AppError('invalid_credentials', message, { headers: { 'www-authenticate': 'Bearer' } });

/** Checks the user's password. Throws 401 `invalid_credentials` if it is wrong, and 429 like a sign-in. */
export function requirePassword(
  deps: Deps,
  userId: number,
  password: string,
  visitor: Visitor,
): Promise<void> {
  return limitFailuresOf(deps, { userId, method: 'password' }, visitor, async () => {
    if (!(await verifyPassword(await findPasswordHash(deps.db, userId), password, visitor.signal)))
      throw createCredentialsError('Incorrect password.');
  });
}

/** Runs an attempt to prove that the caller is this user. Its failures count as failed sign-ins. */
export async function limitFailuresOf<T>(
  deps: Pick<Deps, 'db' | 'now' | 'rateLimiter'>,
  { userId, method }: AuditedAttempt & { readonly userId: number },
  { network }: Visitor,
  attempt: () => Promise<T>,
): Promise<T> {
  const isKnown = await knowsNetwork(deps.db, userId, network, new Date(deps.now()));
  const account = { account: userId, network, isKnown };
  const limits = [
    getNetworkLimit(network),
    ...(method === 'second factor' ? [getFactorLimit(account)] : []),
    ...listAccountLimits(account),
  ];
  return limitFailures(deps, limits, () => recordFailures(deps, { userId, method }, attempt));
}

interface PasswordChange {
  readonly current: string;
  readonly next: string;
  readonly revokeKeys?: boolean | undefined;
}

/** Sets a new password, ends all sessions of the user, and starts a new one. Throws like `requirePassword`. */
export async function changePassword(
  deps: Deps,
  actor: Actor,
  { current, next, revokeKeys = false }: PasswordChange,
  visitor: Visitor,
): Promise<SignInOutcome> {
  const { user, sessionId } = requireSession(actor);
  const { userId } = user;
  await requirePassword(deps, userId, current, visitor);
  const hash = await hashPassword(next, visitor.signal);
  const hasSecondFactor = (await findProof(deps.db, sessionId))?.has_second_factor === true;
  return replacePassword(deps, visitor, {
    revokeKeys,
    method: 'password',
    hasSecondFactor,
    write: async tx => {
      // A change by another session ends this one. Its password must not be replaced by whoever knew the earlier one.
      await lockUser(tx, userId);
      if ((await findProof(tx, sessionId)) === undefined)
        throw new AppError('unauthorized', 'The session has ended. Sign in again.');
      await updateSignIn(tx, userId, { password: hash, email: null, name: null });
      return { userId, hadPassword: true };
    },
  });
}

export interface PasswordReplacement {
  /** Whether the user's API keys and connections are revoked too. */
  readonly revokeKeys: boolean;
  /** How the user proved who they are. */
  readonly method: 'password' | 'link';
  /** Whether the user has proved a second factor. */
  readonly hasSecondFactor?: boolean;
  /** Sets a password. Returns the user, and whether the account had one before. */
  readonly write: (tx: Tx) => Promise<{ readonly userId: number; readonly hadPassword: boolean }>;
}

/**
 * Sets the password, ends the user's sessions, link and sign-ins that have begun, and starts a session or its second step, in one
 * transaction.
 */
export async function replacePassword(
  deps: Deps,
  visitor: Visitor,
  { revokeKeys, method, hasSecondFactor = false, write }: PasswordReplacement,
): Promise<SignInOutcome> {
  const [userId, outcome] = await deps.db.transaction(async tx => {
    const { userId: id, hadPassword } = await write(tx);
    recordAudit(tx, toSignedIn(id), {
      action: 'password.changed',
      target: toUserTarget(id),
      after: { method, revokeKeys },
    });
    await deleteUserSessions(tx, id);
    await deleteUserLink(tx, id);
    await deleteUserChallenges(tx, id);
    if (hadPassword) await notifyOfPassword(tx, id);
    if (revokeKeys) {
      await revokeUserKeys(tx, id);
      await deleteUserGrants(tx, id);
    }
    return [id, await startSessionOrSecondStep(tx, deps, { userId: id, visitor, hasSecondFactor })] as const;
  });
  for (const authenticator of [deps.sessions, deps.keys, deps.accessTokens])
    authenticator?.forgetUser(userId);
  if (outcome === undefined) throw createCredentialsError('The account is disabled.');
  return outcome;
}
