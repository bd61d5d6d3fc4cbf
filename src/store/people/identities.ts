// Links accounts to identities at OpenID providers.
import type { Tx } from '../db.ts';
import { firstValue, insertMissingRow, lockName, matches } from '../rows.ts';

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

/** Returns whether an identity provider manages the account by SCIM. */
export function isManagedAccount(tx: Tx, userId: number): Promise<boolean> {
  return matches(tx, 'select from scim_users where user_id = $1 and deleted_at is null', [userId]);
}

/** Returns whether the account is linked to an identity of the provider. */
export function hasIdentityAt(tx: Tx, userId: number, issuer: string): Promise<boolean> {
  return matches(tx, 'select from identities where user_id = $1 and issuer = $2', [userId, issuer]);
}

/** Returns false if the account is linked to another identity of this provider, or the identity to another account. */
export function insertIdentity(
  tx: Tx,
  { issuer, subject, userId }: IdentityKey & { readonly userId: number },
): Promise<boolean> {
  return insertMissingRow(tx, 'identities', { issuer, subject, user_id: userId });
}
