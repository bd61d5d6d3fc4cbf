// Stores API keys, as hashes.
import type { Tx } from './db.ts';
import { all, first, insertRow, matches, type PageRange } from './rows.ts';

export interface KeyWithUser {
  readonly id: string;
  readonly user_id: number;
  readonly scopes: readonly string[];
  readonly expires_at: Date | null;
  readonly plan: string;
  readonly is_admin: boolean;
}

/** Returns the key and its user, or undefined if the key is unknown or revoked, or the user is disabled. */
export function findKeyByHash(tx: Tx, hash: Buffer): Promise<KeyWithUser | undefined> {
  return first(
    tx,
    `select k.id, k.user_id, k.scopes, k.expires_at, u.plan, u.is_admin
     from api_keys k join users u on u.id = k.user_id
     where k.hash = $1 and k.revoked_at is null and not u.disabled`,
    [hash],
  );
}

/** Returns whether the key exists or existed. */
export function wasKeyIssued(tx: Tx, hash: Buffer): Promise<boolean> {
  return matches(tx, 'select from api_keys where hash = $1', [hash]);
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
}

const LIST_COLUMNS = 'id, name, scopes, expires_at, last_used_at, created_at';

/** Returns the key, or undefined if the user has no such key or has revoked it. */
export function findKey(tx: Tx, id: string, userId: number): Promise<ApiKey | undefined> {
  return first(
    tx,
    `select ${LIST_COLUMNS} from api_keys where id = $1 and user_id = $2 and revoked_at is null`,
    [id, userId],
  );
}

/** Renames the key and returns it, or undefined if the user has no such key or has revoked it. */
export function renameKey(
  tx: Tx,
  key: { readonly id: string; readonly userId: number; readonly name: string },
): Promise<ApiKey | undefined> {
  return first(
    tx,
    `update api_keys set name = $3 where id = $1 and user_id = $2 and revoked_at is null returning ${LIST_COLUMNS}`,
    [key.id, key.userId, key.name],
  );
}

/** Lists the keys of a user, newest first, starting after the cursor. */
export function listKeys(tx: Tx, userId: number, page: PageRange<string>): Promise<readonly ApiKey[]> {
  return all(
    tx,
    `select ${LIST_COLUMNS} from api_keys
     where user_id = $1 and revoked_at is null and ($2::text is null or id < $2) order by id desc limit $3`,
    [userId, page.after, page.limit],
  );
}

export interface NewKey extends Pick<ApiKey, 'id' | 'name' | 'scopes' | 'expires_at'> {
  readonly user_id: number;
  readonly hash: Buffer;
}

export async function insertKey(tx: Tx, key: NewKey): Promise<ApiKey> {
  await insertRow(tx, 'api_keys', key);
  return (await findKey(tx, key.id, key.user_id)) as ApiKey;
}

/** Revokes the key and returns its name and hash, or undefined if the user has no such key. */
export function revokeKey(
  tx: Tx,
  id: string,
  userId: number,
): Promise<Pick<NewKey, 'name' | 'hash'> | undefined> {
  return first(
    tx,
    'update api_keys set revoked_at = now() where id = $1 and user_id = $2 and revoked_at is null returning name, hash',
    [id, userId],
  );
}

export async function revokeUserKeys(tx: Tx, userId: number): Promise<void> {
  await tx.query('update api_keys set revoked_at = now() where user_id = $1 and revoked_at is null', [
    userId,
  ]);
}

/**
 * Updates the time of last use of many keys, so that not every request writes. Locks them in order of their ids, so
 * that processes cannot deadlock.
 */
export async function touchKeys(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update api_keys k set last_used_at = now()
     from (select id from api_keys where id = any ($1::text[]) order by id for no key update) used
     where k.id = used.id`,
    [ids],
  );
}
