// Links accounts to identities at OpenID providers.
import type { Tx } from '../db.ts';
import { firstValue, insertMissingRow, lockName } from '../rows.ts';

interface IdentityKey {
  readonly issuer: string;
  readonly subject: string;
}

/** Serializes concurrent sign-ins of one identity until the transaction ends. */
export function lockIdentity(tx: Tx, { issuer, subject }: IdentityKey): Promise<void> {
  return lockName(tx, `identity ${issuer} ${subject}`);
}

export function findIdentity(tx: Tx, { issuer, subject }: IdentityKey): Promise<number | undefined> {
  return firstValue(tx, 'select user_id from identities where issuer = $1 and subject = $2', [
    issuer,
    subject,
  ]);
}

/** Returns false if the account is linked to another identity of this provider, or the identity to another account. */
export function insertIdentity(
  tx: Tx,
  { issuer, subject, userId }: IdentityKey & { readonly userId: number },
): Promise<boolean> {
  return insertMissingRow(tx, 'identities', { issuer, subject, user_id: userId });
}
