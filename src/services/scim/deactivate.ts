// Deactivates and activates accounts for an identity provider.
import type { Tx } from '../../store/db.ts';
import { isLastAdministrator } from '../accounts/administrators.ts';
import { endAccess } from '../accounts/end-access.ts';
import { createScimError } from './scim-error.ts';
import { type ScimUserRow, setDeactivated } from './store/users.ts';

/**
 * Disables the account, and ends its sessions, keys and connections for good, in every process within five seconds. Throws 400 for the last
 * administrator.
 */
export async function deactivate(tx: Tx, user: ScimUserRow): Promise<void> {
  if (await isLastAdministrator(tx, { ...user, id: user.user_id }))
    throw createScimError('mutability', 'The last administrator cannot be deactivated.');
  await setDeactivated(tx, user.user_id, true);
  await endAccess(tx, user.user_id);
}

/** Enables the account again. Throws 409 if an administrator has disabled it. */
export async function activate(tx: Tx, user: ScimUserRow): Promise<void> {
  if (!user.is_deactivated)
    throw createScimError(
      'uniqueness',
      'An administrator has disabled this account. Enable it at Settings → Users.',
    );
  await setDeactivated(tx, user.user_id, false);
}
