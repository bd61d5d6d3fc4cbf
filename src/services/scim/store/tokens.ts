// Stores the SCIM token, as a hash. There is at most one.
import type { Tx } from '../../../store/db.ts';
import { first, matches } from '../../../store/rows.ts';

export interface ScimToken {
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

export async function replaceToken(tx: Tx, hash: Buffer, createdAt: Date): Promise<void> {
  await tx.query(
    `insert into scim_tokens (id, hash, created_at) values (1, $1, $2)
     on conflict (id) do update set hash = $1, created_at = $2, last_used_at = null`,
    [hash, createdAt],
  );
}

export function findToken(tx: Tx): Promise<ScimToken | undefined> {
  return first(tx, 'select created_at, last_used_at from scim_tokens');
}

/** Returns false if there is no token. */
export function deleteToken(tx: Tx): Promise<boolean> {
  return matches(tx, 'delete from scim_tokens');
}

/** Returns whether the token has this hash. Records its use once a minute, so that most requests write nothing. */
export async function touchToken(tx: Tx, hash: Buffer, now: Date): Promise<boolean> {
  const token = await first<ScimToken>(
    tx,
    'select created_at, last_used_at from scim_tokens where hash = $1',
    [hash],
  );
  if (token === undefined) return false;
  if (now.getTime() - (token.last_used_at?.getTime() ?? 0) > 60_000)
    await tx.query('update scim_tokens set last_used_at = $2 where hash = $1', [hash, now]);
  return true;
}
