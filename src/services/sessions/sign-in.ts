// Sign-in by password, and the change of a password by whoever knows it.
import { sha256Hex } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { deleteLinkOf } from '../../store/people/password-links.ts';
import { deleteSessionsOf } from '../../store/people/sessions.ts';
import { canAnybodySignIn, findPassword, findSignIn, updateSignIn } from '../../store/users.ts';
import { type Actor, requireUser } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { attemptsAt, attemptsFrom, limitFailures } from './failed-attempts.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { type StartedSession, startSession, type Visitor } from './start-session.ts';

/** What the sign-in page offers. */
export async function listSignInMethods({ db, settings }: Pick<Deps, 'db' | 'settings'>, startUrl: string) {
  const { OIDC_ISSUER: issuer } = settings;
  return {
    password: true,
    openid: issuer === undefined ? null : { issuer, startUrl },
    needsSetup: !(await canAnybodySignIn(db)),
  };
}

/** Throws 401 `invalid_credentials`, the same after the same time whether or not there is such an account, and 429. */
export async function signIn(
  deps: Deps,
  { email, password }: { readonly email: string; readonly password: string },
  visitor: Visitor,
): Promise<StartedSession> {
  return limitFailures(deps, attemptsFrom(visitor.network), async () => {
    const user = await findSignIn(deps.db, email.trim());
    const account = user?.id ?? sha256Hex(email.trim().toLowerCase());
    return limitFailures(deps, attemptsAt(account), async () => {
      const stored = user?.password ?? undefined;
      const isRight = await isPassword(stored, password, visitor.signal);
      if (!isRight || user === undefined || stored === undefined) throw invalidCredentials();
      const session = await startSession(deps.db, {
        userId: user.id,
        visitor,
        nowMs: deps.now(),
        password: stored,
      });
      if (session === undefined) throw invalidCredentials();
      return session;
    });
  });
}

const invalidCredentials = (message = 'The email or the password is wrong.'): AppError =>
  new AppError('invalid_credentials', message, { headers: { 'www-authenticate': 'Bearer' } });

/** Sets another password, ends all sessions of the user, and starts a new one. Throws as `signIn`. */
export async function changePassword(
  deps: Deps,
  actor: Actor,
  { current, next }: { readonly current: string; readonly next: string },
  visitor: Visitor,
): Promise<StartedSession> {
  const { userId } = requireUser(actor);
  const hash = await limitFailures(deps, attemptsAt(userId), async () => {
    const stored = await findPassword(deps.db, userId);
    if (!(await isPassword(stored, current, visitor.signal)))
      throw invalidCredentials('The current password is wrong.');
    return hashPassword(next, visitor.signal);
  });
  return replacePassword(deps, visitor, async tx => {
    await updateSignIn(tx, userId, { password: hash, email: null, name: null });
    return userId;
  });
}

/**
 * In one transaction: `write` sets a password and returns whose, the sessions and the link of that user end, and a new
 * session starts.
 */
export async function replacePassword(
  deps: Deps,
  visitor: Visitor,
  write: (tx: Tx) => Promise<number>,
): Promise<StartedSession> {
  const { session, ended } = await deps.db.transaction(async tx => {
    const userId = await write(tx);
    const hashes = await deleteSessionsOf(tx, userId);
    await deleteLinkOf(tx, userId);
    return { session: await startSession(tx, { userId, visitor, nowMs: deps.now() }), ended: hashes };
  });
  deps.sessions.forget(ended);
  if (session === undefined) throw invalidCredentials('The account is disabled.');
  return session;
}
