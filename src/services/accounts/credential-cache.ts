// Credentials on the way of each request: looked up by the hash of their secret, through a cache of five seconds.
import { sha256 } from '../../lib/crypto.ts';
import { createLru } from '../../lib/lru.ts';
import type { UserActor } from './actor.ts';

/** What was revoked is refused by every process after this time. */
const CACHE_MS = 5000;
const MAX_CACHED = 10_000;

export interface Credential {
  readonly id: string;
  readonly actor: UserActor;
  readonly expiresAtMs: number;
}

/** `R`: what is said of a secret that stands for nobody. */
export interface CredentialCache<R> {
  /** The user whose secret this is, or the refusal; it is noted that the credential was used, for `flush`. */
  authenticate(secret: string): UserActor | R | Promise<UserActor | R>;
  /** This process asks the database again. */
  forget(hashes: readonly Buffer[]): void;
  /** The same for all credentials of a user whose plan, role or standing changed. */
  forgetUser(userId: number): void;
  /** Writes which were used since the last time. */
  flush(): Promise<void>;
}

export interface CredentialSource<R> {
  readonly now: () => number;
  readonly read: (hash: Buffer) => Promise<Credential | undefined>;
  readonly touch: (ids: readonly string[]) => Promise<void>;
  /** Of a credential that has expired, or of none. */
  readonly refuse: (expired: Credential | undefined) => R;
}

interface Cached {
  readonly credential: Credential | undefined;
  readonly readAtMs: number;
}

export function createCredentialCache<R>({
  now,
  read,
  touch,
  refuse,
}: CredentialSource<R>): CredentialCache<R> {
  // By hash, so that a memory dump contains no secret.
  const cache = createLru<Cached>(MAX_CACHED);
  const used = new Set<string>();
  // Raised by each forgetting: a reading that began before it may be older than the change, so it is not kept.
  let generation = 0;
  const nameOf = (hash: Buffer): string => hash.toString('latin1');

  const readNow = async (hash: Buffer): Promise<Credential | undefined> => {
    // Before the query: what it saw is at least this old.
    const readAtMs = now();
    const readIn = generation;
    const credential = await read(hash);
    if (readIn === generation) cache.set(nameOf(hash), { credential, readAtMs }, 1);
    return credential;
  };
  const check = (credential: Credential | undefined): UserActor | R => {
    if (credential === undefined || credential.expiresAtMs <= now()) return refuse(credential);
    used.add(credential.id);
    return credential.actor;
  };
  return {
    authenticate(secret) {
      const hash = sha256(secret);
      const cached = cache.get(nameOf(hash));
      return cached !== undefined && now() - cached.readAtMs < CACHE_MS
        ? check(cached.credential)
        : readNow(hash).then(check);
    },
    forget: hashes => {
      generation++;
      for (const hash of hashes) cache.delete(nameOf(hash));
    },
    forgetUser: userId => {
      generation++;
      cache.deleteWhere(({ credential }) => credential?.actor.userId === userId);
    },
    async flush() {
      if (used.size === 0) return;
      const ids = [...used];
      used.clear();
      await touch(ids);
    },
  };
}
