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

export interface CredentialCache {
  /** The credential whose secret this is; undefined: there is none. */
  find(secret: string): Credential | undefined | Promise<Credential | undefined>;
  /** Notes that it was used, for `flush`. */
  use(credential: Credential): UserActor;
  /** This process asks the database again. */
  forget(hash: Buffer): void;
  /** Writes which were used since the last time. */
  flush(): Promise<void>;
}

export interface CredentialSource {
  readonly now: () => number;
  readonly read: (hash: Buffer) => Promise<Credential | undefined>;
  readonly touch: (ids: readonly string[]) => Promise<void>;
}

interface Cached {
  readonly credential: Credential | undefined;
  readonly readAtMs: number;
}

export function createCredentialCache({ now, read, touch }: CredentialSource): CredentialCache {
  // By hash, so that a memory dump contains no secret.
  const cache = createLru<Cached>(MAX_CACHED);
  const used = new Set<string>();
  const nameOf = (hash: Buffer): string => hash.toString('latin1');

  const readNow = async (hash: Buffer): Promise<Credential | undefined> => {
    // Before the query: what it saw is at least this old.
    const readAtMs = now();
    const credential = await read(hash);
    cache.set(nameOf(hash), { credential, readAtMs }, 1);
    return credential;
  };
  return {
    find(secret) {
      const hash = sha256(secret);
      const cached = cache.get(nameOf(hash));
      return cached !== undefined && now() - cached.readAtMs < CACHE_MS ? cached.credential : readNow(hash);
    },
    use({ id, actor }) {
      used.add(id);
      return actor;
    },
    forget: hash => cache.delete(nameOf(hash)),
    async flush() {
      if (used.size === 0) return;
      const ids = [...used];
      used.clear();
      await touch(ids);
    },
  };
}
