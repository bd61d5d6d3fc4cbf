// Keys on the way of each request: looked up by their hash, through a cache of five seconds.
import { sha256 } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { createLru } from '../../lib/lru.ts';
import type { Db } from '../../store/db.ts';
import { findKeyByHash, touchKeys } from '../../store/keys.ts';
import type { Scope, UserActor } from './actor.ts';

/** Revocation reaches every process within it. */
const CACHE_MS = 5000;
const MAX_CACHED_KEYS = 10_000;

const CHALLENGE = { 'www-authenticate': 'Bearer error="invalid_token"' };

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
  // By hash, so that a memory dump holds no key.
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
  const read = async (hash: Buffer, name: string): Promise<UserActor> => {
    // Before the query: what it saw is at least this old.
    const readAtMs = now();
    const row = await findKeyByHash(db, hash);
    const cached: CachedKey = {
      actor: row && {
        kind: 'user',
        userId: row.user_id,
        keyId: row.id,
        scopes: new Set(row.scopes as Scope[]),
        plan: row.plan,
      },
      expiresAtMs: row?.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      readAtMs,
    };
    cache.set(name, cached, 1);
    return check(cached);
  };
  return {
    authenticate(key) {
      const hash = sha256(key);
      const name = hash.toString('latin1');
      const cached = cache.get(name);
      return cached !== undefined && now() - cached.readAtMs < CACHE_MS ? check(cached) : read(hash, name);
    },
    async flush() {
      if (used.size === 0) return;
      const ids = [...used];
      used.clear();
      await touchKeys(db, ids);
    },
  };
}
