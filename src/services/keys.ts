// API keys: minted and shown once, kept as a hash, looked up on each request through a cache of five seconds.
import { mintApiKey, sha256 } from '../lib/crypto.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { createLru } from '../lib/lru.ts';
import type { Db, Tx } from '../store/db.ts';
import type { ListedKey } from '../store/keys.ts';
import { findKeyByHash, insertKey, listKeys, revokeKey, touchKeys } from '../store/keys.ts';
import type { Actor, Scope, UserActor } from './actor.ts';
import { requireScope, SCOPES } from './actor.ts';
import type { Deps } from './deps.ts';

/** Revocation reaches every process within it (decisions.md §3). */
const CACHE_MS = 5000;
const MAX_CACHED_KEYS = 10_000;

export interface KeyAuthenticator {
  /** The user of the key. Throws 401 `invalid_api_key` or `expired_api_key`. */
  authenticate(key: string): UserActor | Promise<UserActor>;
  /** Writes the times of use that have gathered. */
  flush(): Promise<void>;
}

interface CachedKey {
  readonly actor: UserActor | undefined;
  readonly expiresAtMs: number;
  readonly readAtMs: number;
}

export function createKeyAuthenticator(db: Db, now: () => number): KeyAuthenticator {
  const cache = createLru<CachedKey>(MAX_CACHED_KEYS);
  const used = new Set<string>();

  const check = (cached: CachedKey): UserActor => {
    if (cached.actor === undefined)
      throw new AppError('invalid_api_key', 'The API key is not valid.', { headers: CHALLENGE });
    if (cached.expiresAtMs <= now())
      throw new AppError('expired_api_key', 'The API key has expired.', { headers: CHALLENGE });
    used.add(cached.actor.keyId);
    return cached.actor;
  };
  const read = async (key: string): Promise<UserActor> => {
    const row = await findKeyByHash(db, sha256(key));
    const cached: CachedKey = {
      actor: row && {
        kind: 'user',
        userId: row.user_id,
        keyId: row.id,
        scopes: new Set(row.scopes as Scope[]),
        plan: row.plan,
      },
      expiresAtMs: row?.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      readAtMs: now(),
    };
    cache.set(key, cached, 1);
    return check(cached);
  };
  return {
    authenticate(key) {
      const cached = cache.get(key);
      return cached !== undefined && now() - cached.readAtMs < CACHE_MS ? check(cached) : read(key);
    },
    async flush() {
      if (used.size === 0) return;
      const ids = [...used];
      used.clear();
      await touchKeys(db, ids);
    },
  };
}

const CHALLENGE = { 'www-authenticate': 'Bearer error="invalid_token"' };

/** What the keys need of Deps; the command line has no more than this. */
type KeyDeps = Pick<Deps, 'db' | 'now'>;

export interface CreateKeyInput {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: string | undefined;
}

/** Mints a key for the caller; no scope that the caller's own key lacks. The key is in the answer and nowhere else. */
export async function createKey(
  deps: KeyDeps,
  actor: Actor,
  input: CreateKeyInput,
): Promise<PresentedKey & { readonly key: string }> {
  const user = requireScope(actor, 'account:admin');
  const missing = input.scopes.filter(scope => !user.scopes.has(scope));
  if (missing.length > 0)
    throw new AppError(
      'forbidden',
      `Your key lacks the scope ${missing.join(', ')}, so it cannot hand it on.`,
    );
  const expiresAt = input.expiresAt === undefined ? null : new Date(input.expiresAt);
  if (expiresAt !== null && !(expiresAt.getTime() > deps.now())) {
    throw new AppError('invalid_request', 'expiresAt must be a time to come, as ISO 8601.', {
      issues: [{ path: '/expiresAt', code: 'invalid_request', message: 'must lie in the future' }],
    });
  }
  const { key, ...row } = await storeKey(deps.db, {
    userId: user.userId,
    name: input.name,
    scopes: input.scopes,
    expiresAt,
    key: mintApiKey(),
  });
  return { ...presentKey(row), key };
}

/** Stores a key that is known already; used for the first user's. */
export async function storeKey(
  tx: Tx,
  key: {
    readonly userId: number;
    readonly name: string;
    readonly scopes: readonly Scope[];
    readonly expiresAt: Date | null;
    readonly key: string;
  },
): Promise<ListedKey & { readonly key: string }> {
  const id = newId('key');
  await insertKey(tx, {
    id,
    userId: key.userId,
    name: key.name,
    hash: sha256(key.key),
    scopes: key.scopes,
    expiresAt: key.expiresAt,
  });
  return {
    id,
    name: key.name,
    scopes: key.scopes,
    expires_at: key.expiresAt,
    last_used_at: null,
    created_at: new Date(),
    key: key.key,
  };
}

export async function listOwnKeys(deps: KeyDeps, actor: Actor): Promise<readonly PresentedKey[]> {
  const user = requireScope(actor, 'account:admin');
  return (await listKeys(deps.db, user.userId)).map(presentKey);
}

type PresentedKey = ReturnType<typeof presentKey>;

function presentKey(key: ListedKey) {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    expiresAt: key.expires_at?.toISOString() ?? null,
    lastUsedAt: key.last_used_at?.toISOString() ?? null,
    createdAt: key.created_at.toISOString(),
  };
}

export async function revokeOwnKey(deps: KeyDeps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'account:admin');
  if (!(await revokeKey(deps.db, id, user.userId)))
    throw new AppError('not_found', 'You have no key with this id.');
}

export const ALL_SCOPES: readonly Scope[] = SCOPES;
