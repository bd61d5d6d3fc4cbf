// Ends everything with which a user could still act: sessions, keys, connections, links and sign-ins that have begun.
import { getAccountKey, notifyAccount } from '../../store/accounts.ts';
import type { Tx } from '../../store/db.ts';
import { revokeUserKeys } from '../../store/keys.ts';
import { deleteUserLink } from '../../store/people/password-links.ts';
import { deleteUserSessions } from '../../store/people/sessions.ts';
import type { Deps } from '../deps.ts';
import { deleteUserGrants } from '../oauth/store/grants.ts';
import { deleteUserChallenges } from '../second-factors/store.ts';

/** Ends the access of the user, also if the account is enabled again. Other processes hear of it when the transaction commits. */
export async function endAccess(tx: Tx, userId: number): Promise<void> {
  await endSignIns(tx, userId);
  await revokeUserKeys(tx, userId);
  await deleteUserGrants(tx, userId);
  await notifyAccount(tx, userId);
}

/** Ends the sessions, links and begun sign-ins of the user, but not the keys and connections. */
export async function endSignIns(tx: Tx, userId: number): Promise<void> {
  await deleteUserSessions(tx, userId);
  await deleteUserLink(tx, userId);
  await deleteUserChallenges(tx, userId);
}

type Authenticators = Partial<Pick<Deps, 'keys' | 'sessions' | 'accessTokens'>>;

/** Removes the user's credentials from the caches of this process. */
export const forgetUser = (authenticators: Authenticators, userId: number): void =>
  forgetUsers(authenticators, new Set([userId]));

/** Removes the credentials of all these users from the caches of this process. */
export function forgetUsers(
  { keys, sessions, accessTokens }: Authenticators,
  userIds: ReadonlySet<number>,
): void {
  for (const authenticator of [keys, sessions, accessTokens]) authenticator?.forgetUsers(userIds);
}

/** Calls back when the account was disabled, deleted or otherwise changed, in any process. Returns an unsubscribe function. */
export const followAccount = (
  { changeHub }: Pick<Deps, 'changeHub'>,
  userId: number,
  onChange: () => void,
): (() => void) => changeHub.subscribe(getAccountKey(userId), { onChange });
