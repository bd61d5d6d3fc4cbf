// Sessions as credentials: who the token of a session cookie stands for.
import type { Db } from '../../store/db.ts';
import { findSessionByHash, touchSessions } from '../../store/people/sessions.ts';
import { SCOPES } from '../accounts/actor.ts';
import { type CredentialCache, createCredentialCache } from '../accounts/credential-cache.ts';

/** Ended sessions are refused by this process at once, by others within five seconds. */
export type SessionAuthenticator = CredentialCache<undefined>;

const ALL = new Set(SCOPES);
const ALL_BUT_ADMIN = new Set(SCOPES.filter(scope => scope !== 'instance:admin'));

export function createSessionAuthenticator(db: Db, now: () => number): SessionAuthenticator {
  return createCredentialCache({
    now,
    touch: ids => touchSessions(db, ids, new Date(now())),
    read: async hash => {
      const row = await findSessionByHash(db, hash, new Date(now()));
      if (row === undefined) return undefined;
      const { id, user_id: userId, plan } = row;
      const scopes = row.is_admin ? ALL : ALL_BUT_ADMIN;
      return {
        id,
        actor: {
          kind: 'user',
          userId,
          credential: { kind: 'session', id, provedAtMs: row.proved_at.getTime() },
          scopes,
          plan,
        },
        expiresAtMs: row.ends_at.getTime(),
      };
    },
    refuse: () => undefined,
  });
}
