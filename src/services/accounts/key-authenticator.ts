// Authenticates API keys.
import { AppError } from '../../lib/errors.ts';
import type { Db } from '../../store/db.ts';
import { findKeyByHash, touchKeys } from '../../store/keys.ts';
import type { Scope } from './actor.ts';
import { type Authenticator, createAuthenticator } from './authenticator.ts';

const CHALLENGE = { 'www-authenticate': 'Bearer error="invalid_token"' };

/** `authenticate` throws 401 `invalid_api_key` or `expired_api_key`. */
export type KeyAuthenticator = Authenticator<never>;

export function createKeyAuthenticator(db: Db, now: () => number, cacheMs: number): KeyAuthenticator {
  return createAuthenticator({
    now,
    cacheMs,
    recordUse: ids => touchKeys(db, ids),
    readCredential: async hash => {
      const row = await findKeyByHash(db, hash);
      if (row === undefined) return undefined;
      const { id, user_id: userId, plan } = row;
      const scopes = new Set(row.scopes as Scope[]);
      // The scope works only while the user is an administrator.
      if (!row.is_admin) scopes.delete('instance:admin');
      return {
        id,
        actor: { kind: 'user', userId, credential: { kind: 'key', id }, scopes, accountPlan: plan },
        expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      };
    },
    reject: reason => {
      throw reason === 'unknown'
        ? new AppError('invalid_api_key', 'The API key is invalid.', { headers: CHALLENGE })
        : new AppError('expired_api_key', 'The API key has expired.', { headers: CHALLENGE });
    },
  });
}
