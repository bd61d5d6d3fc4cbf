// Signs users in by password, and changes passwords.
import { sha256Hex } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { revokeUserKeys } from '../../store/keys.ts';
import { deleteUserLink } from '../../store/people/password-links.ts';
import { deleteUserSessions, knowsNetwork } from '../../store/people/sessions.ts';
import { canAnyUserSignIn, findPasswordHash, findSignIn, updateSignIn } from '../../store/users.ts';
import { type Actor, requireUser } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { deleteUserGrants } from '../oauth/store/grants.ts';
import { getNetworkLimit, limitFailures, listAccountLimits } from './failed-attempts.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { type StartedSession, startSession, type Visitor } from './start-session.ts';

/** Returns the sign-in methods that the page offers. */
export async function listSignInMethods({ db, settings }: Pick<Deps, 'db' | 'settings'>, startUrl: string) {
  const { OIDC_ISSUER: issuer } = settings;
  return {
    password: true,
    openid: issuer === undefined ? null : { issuer, startUrl },
    needsSetup: !(await canAnyUserSignIn(db)),
  };
}

/** Signs the user in. Throws 429, and 401 `invalid_credentials`, after the same time with or without an account. */
export async function signIn(
  deps: Deps,
  { email, password }: { readonly email: string; readonly password: string },
  visitor: Visitor,
): Promise<StartedSession> {
  const { network } = visitor;
  return limitFailures(deps, [getNetworkLimit(network)], async () => {
    const user = await findSignIn(deps.db, { email: email.trim(), network, now: new Date(deps.now()) });
    const account = user?.id ?? sha256Hex(email.trim().toLowerCase());
    const isKnown = user?.is_known ?? false;
    return limitFailures(deps, listAccountLimits({ account, network, isKnown }), async () => {
      const storedHash = user?.password ?? undefined;
      const isCorrect = await verifyPassword(storedHash, password, visitor.signal);
      if (!isCorrect || user === undefined || storedHash === undefined) throw createCredentialsError();
      const session = await startSession(deps.db, {
        userId: user.id,
        visitor,
        nowMs: deps.now(),
        passwordHash: storedHash,
      });
      if (session === undefined) throw createCredentialsError();
      return session;
    });
  });
}

const createCredentialsError = (message = 'Incorrect email or password.'): AppError =>
  new AppError('invalid_credentials', message, { headers: { 'www-authenticate': 'Bearer' } });

/** Checks the user's password. Throws 401 `invalid_credentials` if it is wrong, and 429 like a sign-in. */
export async function requirePassword(
  deps: Deps,
  userId: number,
  password: string,
  { network, signal }: Visitor,
): Promise<void> {
  const isKnown = await knowsNetwork(deps.db, userId, network, new Date(deps.now()));
  const limits = [getNetworkLimit(network), ...listAccountLimits({ account: userId, network, isKnown })];
  await limitFailures(deps, limits, async () => {
    if (!(await verifyPassword(await findPasswordHash(deps.db, userId), password, signal)))
      throw createCredentialsError('Incorrect password.');
  });
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
): Promise<StartedSession> {
  const { userId } = requireUser(actor);
  await requirePassword(deps, userId, current, visitor);
  const hash = await hashPassword(next, visitor.signal);
  return replacePassword(deps, visitor, {
    revokeKeys,
    write: async tx => {
      await updateSignIn(tx, userId, { password: hash, email: null, name: null });
      return userId;
    },
  });
}

export interface PasswordReplacement {
  /** Whether the user's API keys and connections are revoked too. */
  readonly revokeKeys: boolean;
  /** Sets a password and returns the user. */
  readonly write: (tx: Tx) => Promise<number>;
}

/** Sets the password, ends the user's sessions and link, and starts a new session, in one transaction. */
export async function replacePassword(
  deps: Deps,
  visitor: Visitor,
  { revokeKeys, write }: PasswordReplacement,
): Promise<StartedSession> {
  const [userId, session] = await deps.db.transaction(async tx => {
    const id = await write(tx);
    await deleteUserSessions(tx, id);
    await deleteUserLink(tx, id);
    if (revokeKeys) {
      await revokeUserKeys(tx, id);
      await deleteUserGrants(tx, id);
    }
    return [id, await startSession(tx, { userId: id, visitor, nowMs: deps.now() })] as const;
  });
  for (const authenticator of [deps.sessions, deps.keys, deps.accessTokens])
    authenticator?.forgetUser(userId);
  if (session === undefined) throw createCredentialsError('The account is disabled.');
  return session;
}
