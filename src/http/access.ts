// Checks that every route declares who may call it, and that a session was recently confirmed where a route requires
// it.
import type { Scope } from '../services/accounts/actor.ts';
import { requireRecentFactor, requireRecentProof } from '../services/sessions/reauthenticate.ts';
import type { HttpDeps, Server } from './deps.ts';

/** Requires an API key with the scope. A session is not enough. */
type KeyOnly = `key with ${Scope}`;

/**
 * The credential that a route requires. It is checked before the body is read:
 * - a scope: a credential with this scope;
 * - `signed-in`: any credential of a user;
 * - `session`: a session, no API key;
 * - `anyone`: none. If an API key is sent, it must be valid; an invalid session cookie is ignored;
 * - `agent`: an API key or an OAuth access token, for MCP;
 * - `public`: none. Credentials are not read;
 * - `content-secret`: CONTENT_WEBHOOK_SECRET;
 * - `scim`: the SCIM token.
 */
export type Access =
  | Scope
  | KeyOnly
  | 'signed-in'
  | 'session'
  | 'agent'
  | 'anyone'
  | 'public'
  | 'content-secret'
  | 'scim';

const KEY_ONLY = 'key with ';
export const isKeyOnly = (access: Access): access is KeyOnly => access.startsWith(KEY_ONLY);
export const getKeyScope = (access: KeyOnly): Scope => access.slice(KEY_ONLY.length) as Scope;

/**
 * When a route requires a recently confirmed session. `to grant OWNER`: only if the `role` in the body is OWNER. `to change
 * requiresSecondFactor`: only if the body has it. `with a second factor`: only of users who have one.
 */
export type Reauthentication =
  | 'always'
  | 'to grant OWNER'
  | 'to change requiresSecondFactor'
  | 'with a second factor';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required. undefined only if no route matched. */
    access?: Access;
    /** Set on routes that change permissions, so that a stolen cookie alone is not enough. */
    reauthentication?: Reauthentication;
    /** Set on routes for users who lack a second factor that this instance requires. */
    withoutSecondFactor?: boolean;
  }
}

/**
 * Registers the checks of access. Must be called before the first route is registered. A route without access prevents
 * the service from starting.
 */
export function registerAccess(server: Server, deps: HttpDeps): void {
  server.addHook('onRoute', route => {
    // @fastify/cors registers a route for preflights.
    if (route.method === 'OPTIONS') route.config = { ...route.config, access: 'public' };
    const { access, reauthentication: when } = route.config ?? {};
    if (access === undefined)
      throw new Error(
        `${route.method} ${route.url} has no access. Add \`access\` to the config of the route.`,
      );
    if (when === undefined) return;
    // Runs after validation, because it may depend on the body.
    route.preHandler = async ({ actor, body }) => {
      if (when === 'with a second factor') await requireRecentFactor(deps, actor);
      else if (IS_SENSITIVE[when](body)) await requireRecentProof(deps, actor);
    };
  });
}

interface Body {
  readonly role?: unknown;
  readonly requiresSecondFactor?: unknown;
}

/** Returns whether a request with this body changes permissions. */
const IS_SENSITIVE: Readonly<
  Record<Exclude<Reauthentication, 'with a second factor'>, (body: unknown) => boolean>
> = {
  always: () => true,
  'to grant OWNER': body => (body as Body | undefined)?.role === 'OWNER',
  'to change requiresSecondFactor': body => (body as Body | undefined)?.requiresSecondFactor !== undefined,
};
