// Sessions as credentials: who the token of a session cookie stands for.
import type { Db } from '../../store/db.ts';
import { findSessionByHash, touchSessions } from '../../store/people/sessions.ts';
import { SCOPES, type UserActor } from '../accounts/actor.ts';
import { type Credential, createCredentialCache } from '../accounts/credential-cache.ts';

export interface SessionAuthenticator {
  /** The user of the session; undefined where there is no such session, or it has ended. */
  authenticate(token: string): UserActor | undefined | Promise<UserActor | undefined>;
  /** Ended sessions are refused by this process at once, by others within five seconds. */
  forget(hashes: readonly Buffer[]): void;
  /** Writes the times of use that have gathered. */
  flush(): Promise<void>;
}

const ALL = new Set(SCOPES);
const ALL_BUT_ADMIN = new Set(SCOPES.filter(scope => scope !== 'instance:admin'));

export function createSessionAuthenticator(db: Db, now: () => number): SessionAuthenticator {
  const cache = createCredentialCache({
    now,
    touch: ids => touchSessions(db, ids, new Date(now())),
    read: async hash => {
      const row = await findSessionByHash(db, hash, new Date(now()));
      if (row === undefined) return undefined;
      const { id, user_id: userId, plan } = row;
      const scopes = row.is_admin ? ALL : ALL_BUT_ADMIN;
      return {
        id,
        actor: { kind: 'user', userId, credential: { kind: 'session', id }, scopes, plan },
        expiresAtMs: row.ends_at.getTime(),
      };
    },
  });
  const check = (session: Credential | undefined): UserActor | undefined =>
    session === undefined || session.expiresAtMs <= now() ? undefined : cache.use(session);
  return {
    authenticate(token) {
      const found = cache.find(token);
      return found instanceof Promise ? found.then(check) : check(found);
    },
    forget: hashes => hashes.forEach(cache.forget),
    flush: cache.flush,
  };
}
