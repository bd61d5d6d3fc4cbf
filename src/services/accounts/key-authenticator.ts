// API keys as credentials: who a key stands for, or why it stands for nobody.
import { AppError } from '../../lib/errors.ts';
import type { Db } from '../../store/db.ts';
import { findKeyByHash, touchKeys } from '../../store/keys.ts';
import type { Scope, UserActor } from './actor.ts';
import { type Credential, createCredentialCache } from './credential-cache.ts';

const CHALLENGE = { 'www-authenticate': 'Bearer error="invalid_token"' };

export interface KeyAuthenticator {
  /** The user of the key. Throws 401 `invalid_api_key` or `expired_api_key`. */
  authenticate(key: string): UserActor | Promise<UserActor>;
  /** Writes the times of use that have gathered. */
  flush(): Promise<void>;
}

export function createKeyAuthenticator(db: Db, now: () => number): KeyAuthenticator {
  const cache = createCredentialCache({
    now,
    touch: ids => touchKeys(db, ids),
    read: async hash => {
      const row = await findKeyByHash(db, hash);
      if (row === undefined) return undefined;
      const { id, user_id: userId, plan } = row;
      const scopes = new Set(row.scopes as Scope[]);
      return {
        id,
        actor: { kind: 'user', userId, credential: { kind: 'key', id }, scopes, plan },
        expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      };
    },
  });
  const check = (key: Credential | undefined): UserActor => {
    if (key === undefined)
      throw new AppError('invalid_api_key', 'The API key is not valid.', { headers: CHALLENGE });
    if (key.expiresAtMs <= now())
      throw new AppError('expired_api_key', 'The API key has expired.', { headers: CHALLENGE });
    return cache.use(key);
  };
  return {
    authenticate(key) {
      const found = cache.find(key);
      return found instanceof Promise ? found.then(check) : check(found);
    },
    flush: cache.flush,
  };
}
