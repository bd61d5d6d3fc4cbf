// Uses a password link: sets the account's password and deletes the link.
import { sha256 } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { claimLink, hasLink, type LinkKind } from '../../store/people/password-links.ts';
import { findPasswordHash, updateSignIn } from '../../store/users.ts';
import { parseEmail, parseName, translateEmailConflict } from '../accounts/names.ts';
import type { Deps } from '../deps.ts';
import type { SignInOutcome } from '../second-factors/second-step.ts';
import { getNetworkLimit, limitFailures, recordFailures } from './failed-attempts.ts';
import { hashPassword } from './passwords.ts';
import { replacePassword } from './sign-in.ts';
import type { Visitor } from './start-session.ts';

/** Sets email, name and password of the first user. Throws 400 `invalid_link`, 409 if the email is taken, and 429. */
export async function setUpFirstUser(
  deps: Deps,
  input: { readonly token: string; readonly email: string; readonly name: string; readonly password: string },
  visitor: Visitor,
): Promise<SignInOutcome> {
  const profile = { email: parseEmail(input.email), name: parseName(input.name) };
  return redeemLink(deps, { ...input, ...profile, kinds: ['setup'] }, visitor);
}

/** Sets the password of an invited user, or one who forgot it. Throws 400 `invalid_link` and 429. */
export async function setPasswordByLink(
  deps: Deps,
  input: { readonly token: string; readonly password: string; readonly revokeKeys?: boolean | undefined },
  visitor: Visitor,
): Promise<SignInOutcome> {
  return redeemLink(deps, { ...input, email: null, name: null, kinds: ['invite', 'reset'] }, visitor);
}

interface LinkUse {
  readonly token: string;
  readonly kinds: readonly LinkKind[];
  readonly password: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly revokeKeys?: boolean | undefined;
}

/** Uses a link. If two requests use it at the same time, one claims it and the other waits and is rejected. */
async function redeemLink(
  deps: Deps,
  { token, kinds, password, email, name, revokeKeys = false }: LinkUse,
  visitor: Visitor,
): Promise<SignInOutcome> {
  const link = { hash: sha256(token), kinds, now: new Date(deps.now()) };
  const attempt = { userId: undefined, method: 'link' } as const;
  return limitFailures(deps, [getNetworkLimit(visitor.network)], () =>
    recordFailures(deps, attempt, async () => {
      // Checked before hashing, which is expensive.
      if (!(await hasLink(deps.db, link))) throw createLinkError();
      const hash = await hashPassword(password, visitor.signal);
      return translateEmailConflict(
        replacePassword(deps, visitor, {
          revokeKeys,
          method: 'link',
          write: async tx => {
            const userId = await claimLink(tx, link);
            if (userId === undefined) throw createLinkError();
            const hadPassword = (await findPasswordHash(tx, userId)) !== undefined;
            await updateSignIn(tx, userId, { password: hash, email, name });
            return { userId, hadPassword };
          },
        }),
      );
    }),
  );
}

const createLinkError = (): AppError =>
  new AppError(
    'invalid_link',
    'This link has expired or was already used. Ask an administrator for a new one.',
  );
