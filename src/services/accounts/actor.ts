// Who is asking: a user by key or by session, or nobody in particular.
import { AppError } from '../../lib/errors.ts';

export const SCOPES = [
  'workflows:read',
  'workflows:write',
  'workflows:execute',
  'account:admin',
  'instance:admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/** What a user showed. `token`: an access token, which opens MCP alone. `operator`: the command line, on the database itself. */
export type Credential =
  | { readonly kind: 'key' | 'token' | 'operator'; readonly id: string }
  | {
      readonly kind: 'session';
      readonly id: string;
      /** When the session last proved who uses it, by a password or a fresh sign-in. */
      readonly provedAtMs: number;
    };

export interface UserActor {
  readonly kind: 'user';
  readonly userId: number;
  readonly credential: Credential;
  readonly scopes: ReadonlySet<Scope>;
  readonly plan: string;
}

export interface AnonymousActor {
  readonly kind: 'anonymous';
  readonly plan: 'anonymous';
}

export type Actor = UserActor | AnonymousActor;

export const ANONYMOUS: AnonymousActor = { kind: 'anonymous', plan: 'anonymous' };

/** Execute implies read; nothing else implies anything. */
export function hasScope(actor: Actor, scope: Scope): boolean {
  if (actor.kind === 'anonymous') return false;
  return actor.scopes.has(scope) || (scope === 'workflows:read' && actor.scopes.has('workflows:execute'));
}

/** The user behind the request, or 401. */
export function requireUser(actor: Actor): UserActor {
  if (actor.kind === 'user') return actor;
  throw new AppError(
    'unauthorized',
    'Authentication is required. Send an API key (Authorization: Bearer sk-…) or sign in.',
    {
      headers: { 'www-authenticate': 'Bearer' },
    },
  );
}

/** Whether a person in a browser asks. */
export function hasSession(actor: Actor): boolean {
  return actor.kind === 'user' && actor.credential.kind === 'session';
}

/** The user and the session behind the request, or 401. */
export function requireSession(actor: Actor): { readonly user: UserActor; readonly sessionId: string } {
  if (actor.kind === 'user' && actor.credential.kind === 'session')
    return { user: actor, sessionId: actor.credential.id };
  throw new AppError('unauthorized', 'A session is required. Sign in.', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** The user, if the credential has the scope; else 401, for a missing scope too. */
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
