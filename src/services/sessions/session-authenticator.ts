// Authenticates session cookies.
import type { Db } from '../../store/db.ts';
import { findSessionByHash, touchSessions } from '../../store/people/sessions.ts';
import { SCOPES } from '../accounts/actor.ts';
import { type Authenticator, createAuthenticator } from '../accounts/authenticator.ts';

/** Authenticates session cookies. This process rejects ended sessions immediately, others within five seconds. */
export type SessionAuthenticator = Authenticator<undefined>;

const ADMIN_SCOPES = new Set(SCOPES);
const USER_SCOPES = new Set(SCOPES.filter(scope => scope !== 'instance:admin'));

export function createSessionAuthenticator(db: Db, now: () => number, cacheMs: number): SessionAuthenticator {
  return createAuthenticator({
    now,
    cacheMs,
    recordUse: ids => touchSessions(db, ids, new Date(now())),
    readCredential: async hash => {
      const row = await findSessionByHash(db, hash, new Date(now()));
      if (row === undefined) return undefined;
      const { id, user_id: userId, plan } = row;
      const scopes = row.is_admin ? ADMIN_SCOPES : USER_SCOPES;
      return {
        id,
        actor: {
          kind: 'user',
          userId,
          credential: { kind: 'session', id, authenticatedAtMs: row.proved_at.getTime() },
          scopes,
          accountPlan: plan,
          lacksSecondFactor: !row.has_second_factor,
          closedTeams: new Set(row.closed_teams),
        },
        expiresAtMs: row.ends_at.getTime(),
      };
    },
    reject: () => undefined,
  });
}
