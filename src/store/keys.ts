// Stores API keys, as hashes.
import type { Tx } from './db.ts';
import { all, first, insertRow, matches, type PageRange, updateRow } from './rows.ts';
import { MONTH_NOW } from './spenders.ts';

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
  /** In credits; null if there is no limit. */
  readonly monthly_credits: number | null;
  /** Credits charged to and reserved for the key's runs that were accepted this month (UTC). */
  readonly spent_this_month: number;
  readonly created_at: Date;
}

const LIST_COLUMNS = `id, name, scopes, expires_at, last_used_at, monthly_credits, created_at, coalesce((
    select sum(s.spent) from spender_months s
    where s.month = ${MONTH_NOW} and s.key_id = api_keys.id and s.key_id <> ''), 0)::bigint as spent_this_month`;

/** Returns the key, or undefined if the user has no such key or has revoked it. */
export function findKey(tx: Tx, id: string, userId: number): Promise<ApiKey | undefined> {
  return first(
    tx,
    `select ${LIST_COLUMNS} from api_keys where id = $1 and user_id = $2 and revoked_at is null`,
    [id, userId],
  );
}

/** Reads the key and locks it until the transaction ends. Returns undefined like `findKey`. */
export function lockKey(tx: Tx, id: string, userId: number): Promise<ApiKey | undefined> {
  return first(
    tx,
    `select ${LIST_COLUMNS} from api_keys where id = $1 and user_id = $2 and revoked_at is null for no key update`,
    [id, userId],
  );
}

export async function updateKey(
  tx: Tx,
  { id, name, monthly_credits }: Pick<ApiKey, 'id' | 'name' | 'monthly_credits'>,
): Promise<void> {
  await updateRow(tx, 'api_keys', id, { name, monthly_credits });
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

export interface NewKey extends Pick<ApiKey, 'id' | 'name' | 'scopes' | 'expires_at' | 'monthly_credits'> {
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
