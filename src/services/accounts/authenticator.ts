// Creates authenticators, which look up a credential by the hash of its secret. They cache credentials for a few seconds.
import { sha256 } from '../../lib/crypto.ts';
import { createLru } from '../../lib/lru.ts';
import type { UserActor } from './actor.ts';

const MAX_CACHED = 10_000;

export interface CachedCredential {
  readonly id: string;
  readonly actor: UserActor;
  readonly expiresAtMs: number;
}

/** Authenticates one kind of credential. `R` is the result for an invalid secret. */
export interface Authenticator<R> {
  /** Returns the user of the secret, or the rejection. Marks the credential as used, for `flush`. */
  authenticate(secret: string): UserActor | R | Promise<UserActor | R>;
  /** Removes the credentials with these hashes from the cache of this process. */
  forget(hashes: readonly Buffer[]): void;
  /** Removes all credentials of a user whose plan, role or status changed. */
  forgetUser(userId: number): void;
  /** Does the same for many users, in one pass over the cache. */
  forgetUsers(userIds: ReadonlySet<number>): void;
  /** Writes the times of use since the last flush. */
  flush(): Promise<void>;
}

export interface AuthenticatorOptions<R> {
  readonly now: () => number;
  /** How long credentials are cached. */
  readonly cacheMs: number;
  readonly readCredential: (hash: Buffer) => Promise<CachedCredential | undefined>;
  readonly recordUse: (ids: readonly string[]) => Promise<void>;
  readonly reject: (reason: 'unknown' | 'expired') => R;
}

interface CacheEntry {
  readonly credential: CachedCredential | undefined;
  readonly readAtMs: number;
}

export function createAuthenticator<R>({
  now,
  cacheMs,
  readCredential,
  recordUse,
  reject,
}: AuthenticatorOptions<R>): Authenticator<R> {
  // The keys are hashes, so that a memory dump contains no secret.
  const cache = createLru<CacheEntry>(MAX_CACHED);
  const usedIds = new Set<string>();
  // Incremented when entries are removed: a read that started earlier may be outdated, so its result is not cached.
  let generation = 0;
  const toCacheKey = (hash: Buffer): string => hash.toString('latin1');

  const readAndCache = async (hash: Buffer): Promise<CachedCredential | undefined> => {
    // Taken before the query, since the result is at least this old.
    const readAtMs = now();
    const startGeneration = generation;
    const credential = await readCredential(hash);
    if (startGeneration === generation) cache.set(toCacheKey(hash), { credential, readAtMs });
    return credential;
  };
  const check = (credential: CachedCredential | undefined): UserActor | R => {
    if (credential === undefined) return reject('unknown');
    if (credential.expiresAtMs <= now()) return reject('expired');
    usedIds.add(credential.id);
    return credential.actor;
  };
  const forgetUsers = (userIds: ReadonlySet<number>): void => {
    if (userIds.size === 0) return;
    generation++;
    cache.deleteWhere(({ credential }) => credential !== undefined && userIds.has(credential.actor.userId));
  };
  return {
    authenticate(secret) {
      const hash = sha256(secret);
      const cached = cache.get(toCacheKey(hash));
      return cached !== undefined && now() - cached.readAtMs < cacheMs
        ? check(cached.credential)
        : readAndCache(hash).then(check);
    },
    forget: hashes => {
      generation++;
      for (const hash of hashes) cache.delete(toCacheKey(hash));
    },
    forgetUser: userId => forgetUsers(new Set([userId])),
    forgetUsers,
    async flush() {
      if (usedIds.size === 0) return;
      const ids = [...usedIds];
      usedIds.clear();
      try {
        await recordUse(ids);
      } catch (err) {
        for (const id of ids) usedIds.add(id);
        throw err;
      }
    },
  };
}
