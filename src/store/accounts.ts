// Notifies all processes that an account was disabled, deleted or otherwise changed, so that they check its requests and streams
// again, and forgets who disabled it.
import { CHANNELS, type Tx } from './db.ts';

const PREFIX = 'account:';

/** Returns the key under which streams of the user subscribe to changes of the account. */
export const getAccountKey = (userId: number): string => `${PREFIX}${userId}`;

/** Returns the user of a key. */
export const readAccountKey = (key: string): number => Number(key.slice(PREFIX.length));

export async function notifyAccount(tx: Tx, userId: number): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [CHANNELS.accounts, getAccountKey(userId)]);
}

/** Forgets that an identity provider deactivated the account, because an administrator decides now. */
export async function clearDeactivation(tx: Tx, userId: number): Promise<void> {
  await tx.query('update scim_users set is_deactivated = false where user_id = $1 and is_deactivated', [
    userId,
  ]);
}
