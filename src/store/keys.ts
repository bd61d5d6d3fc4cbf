// API keys, kept as hashes, and the users they stand for.
import type { Tx } from './db.ts';

export interface KeyRow {
  readonly id: string;
  readonly user_id: number;
  readonly scopes: readonly string[];
  readonly expires_at: Date | null;
  readonly plan: string;
}

/** The key and its user; undefined where it is unknown, revoked, or its user disabled. */
export async function findKeyByHash(tx: Tx, hash: Buffer): Promise<KeyRow | undefined> {
  const { rows } = await tx.query<KeyRow>(
    `select k.id, k.user_id, k.scopes, k.expires_at, u.plan
     from api_keys k join users u on u.id = k.user_id
     where k.hash = $1 and k.revoked_at is null and not u.disabled`,
    [hash],
  );
  return rows[0];
}

/** Whether the key was ever stored; a revoked one too. */
export async function hasKey(tx: Tx, hash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query('select from api_keys where hash = $1', [hash]);
  return rowCount === 1;
}

export interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
}

const LISTED = 'id, name, scopes, expires_at, last_used_at, created_at';

/** undefined where the user has no such key, or has revoked it. */
export async function findKey(tx: Tx, id: string, userId: number): Promise<ListedKey | undefined> {
  const { rows } = await tx.query<ListedKey>(
    `select ${LISTED} from api_keys where id = $1 and user_id = $2 and revoked_at is null`,
    [id, userId],
  );
  return rows[0];
}

/** The key under its new name; undefined as `findKey`. */
export async function renameKey(
  tx: Tx,
  key: { readonly id: string; readonly userId: number; readonly name: string },
): Promise<ListedKey | undefined> {
  const { rows } = await tx.query<ListedKey>(
    `update api_keys set name = $3 where id = $1 and user_id = $2 and revoked_at is null returning ${LISTED}`,
    [key.id, key.userId, key.name],
  );
  return rows[0];
}

/** Newest first, before the cursor. */
export async function listKeys(
  tx: Tx,
  userId: number,
  page: { readonly before: string | null; readonly limit: number },
): Promise<readonly ListedKey[]> {
  const { rows } = await tx.query<ListedKey>(
    `select ${LISTED} from api_keys
     where user_id = $1 and revoked_at is null and ($2::text is null or id < $2) order by id desc limit $3`,
    [userId, page.before, page.limit],
  );
  return rows;
}

export async function insertKey(
  tx: Tx,
  key: {
    readonly id: string;
    readonly userId: number;
    readonly name: string;
    readonly hash: Buffer;
    readonly scopes: readonly string[];
    readonly expiresAt: Date | null;
  },
): Promise<ListedKey> {
  const { rows } = await tx.query<ListedKey>(
    `insert into api_keys (id, user_id, name, hash, scopes, expires_at) values ($1, $2, $3, $4, $5, $6)
     returning ${LISTED}`,
    [key.id, key.userId, key.name, key.hash, key.scopes, key.expiresAt],
  );
  return rows[0] as ListedKey;
}

/** Returns false where the user has no such key. */
export async function revokeKey(tx: Tx, id: string, userId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update api_keys set revoked_at = now() where id = $1 and user_id = $2 and revoked_at is null',
    [id, userId],
  );
  return rowCount === 1;
}

/** Flushed in batches; `lastUsedAt` costs no write on the request. In one order, so that no two processes deadlock. */
export async function touchKeys(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update api_keys k set last_used_at = now()
     from (select id from api_keys where id = any ($1::text[]) order by id for no key update) used
     where k.id = used.id`,
    [ids],
  );
}
