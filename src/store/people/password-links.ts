// Stores one-time links for setting the password of an account.
import type { Tx } from '../db.ts';
import { firstValue, insertRow, matches } from '../rows.ts';

export const LINK_KINDS = ['setup', 'invite', 'reset'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

export interface NewLink {
  readonly userId: number;
  readonly kind: LinkKind;
  readonly hash: Buffer;
  readonly expiresAt: Date | null;
}

/** Stores a link in place of the user's existing link. */
export function upsertLink(tx: Tx, { userId, kind, hash, expiresAt }: NewLink): Promise<void> {
  return insertRow(
    tx,
    'password_links',
    { user_id: userId, kind, hash, expires_at: expiresAt },
    'on conflict (user_id) do update set kind = excluded.kind, hash = excluded.hash, expires_at = excluded.expires_at',
  );
}

/** Stores a link unless the user has a password or a link. Returns whether it was stored. */
export function insertFirstLink(tx: Tx, link: NewLink): Promise<boolean> {
  return matches(
    tx,
    `insert into password_links (user_id, kind, hash, expires_at)
     select id, $2, $3, $4 from users where id = $1 and password is null
     on conflict (user_id) do nothing`,
    [link.userId, link.kind, link.hash, link.expiresAt],
  );
}

interface LinkQuery {
  readonly hash: Buffer;
  readonly kinds: readonly LinkKind[];
  readonly now: Date;
}

const VALID = `hash = $1 and kind = any ($2::text[]) and (expires_at is null or expires_at > $3)
  and exists (select from users where id = user_id and not disabled)`;

/** Returns whether the link can still be used. Those of disabled accounts cannot. */
export function hasLink(tx: Tx, { hash, kinds, now }: LinkQuery): Promise<boolean> {
  return matches(tx, `select from password_links where ${VALID}`, [hash, kinds, now]);
}

/** Consumes the link and returns its user. Returns undefined if the link is invalid, expired or already used. */
export function claimLink(tx: Tx, { hash, kinds, now }: LinkQuery): Promise<number | undefined> {
  return firstValue(tx, `delete from password_links where ${VALID} returning user_id`, [hash, kinds, now]);
}

export async function deleteUserLink(tx: Tx, userId: number): Promise<void> {
  await tx.query('delete from password_links where user_id = $1', [userId]);
}
