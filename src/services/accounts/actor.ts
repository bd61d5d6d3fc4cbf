// Defines the caller of a request: a user with a key or session, or an anonymous visitor.
import { AppError } from '../../lib/errors.ts';
import type { Spender } from '../../store/spenders.ts';

export const SCOPES = [
  'workflows:read',
  'workflows:write',
  'workflows:execute',
  'account:admin',
  'instance:admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that an agent can be granted, in the order in which they are requested. */
export const AGENT_SCOPES = [
  'workflows:read',
  'workflows:write',
  'workflows:execute',
] as const satisfies readonly Scope[];
export type AgentScope = (typeof AGENT_SCOPES)[number];

/** How a user authenticated. A `token` is accepted only by MCP. `operator` is the command line, without a service. */
export type ActorCredential =
  | { readonly kind: 'key' | 'token' | 'operator' | 'background'; readonly id: string }
  | {
      readonly kind: 'session';
      readonly id: string;
      /** When the session's user last confirmed their identity, by a password or a fresh sign-in. */
      readonly authenticatedAtMs: number;
    };

export interface UserActor {
  readonly kind: 'user';
  readonly userId: number;
  readonly credential: ActorCredential;
  readonly scopes: ReadonlySet<Scope>;
  readonly accountPlan: string;
  /** Whether the user of a session or token has no second factor, or has not proved it in the session. */
  readonly lacksSecondFactor?: boolean;
  /** The teams that require a second factor, if it is lacking. */
  readonly closedTeams?: ReadonlySet<string>;
}

export interface AnonymousActor {
  readonly kind: 'anonymous';
  readonly accountPlan: 'anonymous';
}

export type Actor = UserActor | AnonymousActor;

export const ANONYMOUS: AnonymousActor = { kind: 'anonymous', accountPlan: 'anonymous' };

/** Returns whether the actor has the scope. Only `workflows:execute` implies another: `workflows:read`. */
export function hasScope(actor: Actor, scope: Scope): boolean {
  if (actor.kind === 'anonymous') return false;
  return actor.scopes.has(scope) || (scope === 'workflows:read' && actor.scopes.has('workflows:execute'));
}

/** Returns the user of the request. Throws 401. */
export function requireUser(actor: Actor): UserActor {
  if (actor.kind === 'user') return actor;
  throw createUnauthorizedError(
    'Authentication is required. Send an API key (Authorization: Bearer sk-…) or sign in.',
  );
}

/** Creates a 401 error with the challenge that RFC 9110 requires. */
export const createUnauthorizedError = (message: string): AppError =>
  new AppError('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });

/** Returns whose monthly limits the runs of the user spend. */
export const toSpender = ({ userId, credential }: UserActor): Spender => ({
  userId,
  keyId: credential.kind === 'key' ? credential.id : null,
});

/** Returns whether the request comes from a browser session. */
export function hasSession(actor: Actor): boolean {
  return actor.kind === 'user' && actor.credential.kind === 'session';
}

/** Returns the user and the session of the request. Throws 401. */
export function requireSession(actor: Actor): { readonly user: UserActor; readonly sessionId: string } {
  if (actor.kind === 'user' && actor.credential.kind === 'session')
    return { user: actor, sessionId: actor.credential.id };
  throw createUnauthorizedError('A session is required. Sign in.');
}

/** Returns the user if the credential has the scope. Throws 401, also for a missing scope. */
export function requireScope(actor: Actor, scope: Scope): UserActor {
  const user = requireUser(actor);
  if (hasScope(user, scope)) return user;
  throw new AppError(
    'insufficient_scope',
    `The ${user.credential.kind === 'session' ? 'session' : 'API key'} does not have the scope ${scope}.`,
    {
      headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    },
  );
}
