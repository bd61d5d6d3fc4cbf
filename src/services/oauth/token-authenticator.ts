// Authenticates access tokens of OAuth clients.
import type { Db } from '../../store/db.ts';
import { AGENT_SCOPES } from '../accounts/actor.ts';
import { type Authenticator, createAuthenticator } from '../accounts/authenticator.ts';
import { touchGrants } from './store/grants.ts';
import { findAccessToken } from './store/tokens.ts';

export type TokenAuthenticator = Authenticator<undefined>;

/** Creates the authenticator. Every process rejects a revoked token within five seconds. */
export function createTokenAuthenticator(db: Db, now: () => number, cacheMs: number): TokenAuthenticator {
  return createAuthenticator({
    now,
    cacheMs,
    recordUse: ids => touchGrants(db, ids),
    readCredential: async hash => {
      const row = await findAccessToken(db, hash, new Date(now()));
      if (row === undefined) return undefined;
      const { grant_id: id, user_id: userId, plan } = row;
      const grantedScopes = new Set(row.scope?.split(' '));
      const scopes = new Set(AGENT_SCOPES.filter(scope => grantedScopes.has(scope)));
      return {
        id,
        actor: {
          kind: 'user',
          userId,
          credential: { kind: 'token', id },
          scopes,
          accountPlan: plan,
          lacksSecondFactor: !row.has_second_factor,
          closedTeams: new Set(row.closed_teams),
        },
        expiresAtMs: row.expires_at.getTime(),
      };
    },
    reject: () => undefined,
  });
}
