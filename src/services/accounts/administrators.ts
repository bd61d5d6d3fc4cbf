// Keeps at least one active administrator, whoever disables, demotes or deletes accounts at the same time.
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { lockName } from '../../store/rows.ts';
import { hasOtherAdmin } from '../../store/users.ts';

interface Administrator {
  readonly is_admin: boolean;
  readonly disabled: boolean;
}

/**
 * Returns whether the account is the only active administrator. Until the transaction ends, no other transaction gets an answer, so
 * that two cannot take the role from the last two. Call it under the lock of the account.
 */
export async function isLastAdministrator(
  tx: Tx,
  { id, is_admin, disabled }: Administrator & { readonly id: number },
): Promise<boolean> {
  if (!is_admin || disabled) return false;
  await lockName(tx, 'administrators');
  return !(await hasOtherAdmin(tx, id));
}

/** Throws 409 if the account is the only active administrator. Call it like `isLastAdministrator`. */
export async function requireOtherAdministrator(
  tx: Tx,
  user: Administrator & { readonly id: number },
): Promise<void> {
  if (await isLastAdministrator(tx, user))
    throw new AppError(
      'conflict',
      'This is the last active administrator. Give another account that role first.',
    );
}
