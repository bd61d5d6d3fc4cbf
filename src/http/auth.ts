// Authenticates requests: finds the actor of their API key or session cookie, on `/mcp` also of their access token, and
// checks the content secret.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import {
  type Actor,
  ANONYMOUS,
  requireScope,
  requireSession,
  requireUser,
} from '../services/accounts/actor.ts';
import { authenticateAgent } from '../services/accounts/agent-caller.ts';
import { requireContentSecret } from '../services/content/content.ts';
import type { Deps } from '../services/deps.ts';
import { requireScimToken } from '../services/scim/scim-token.ts';
import { type Access, getKeyScope, isKeyOnly } from './access.ts';
import { createSessionCookie } from './cookies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before any route runs. */
    actor: Actor;
  }
}

/** Returns the actor of the request, or undefined if the request has no credential of the reader's kind. */
type ActorReader = (req: FastifyRequest) => MaybePromise<Actor | undefined>;
type MaybePromise<T> = T | Promise<T>;

export interface Authentication {
  /** Returns the actor of a request. Throws 401 if its credential is invalid. */
  identify(req: FastifyRequest, access: Access): Promise<Actor>;
  /**
   * Returns the actor, or an anonymous one where that is enough, if the instance requires a second factor that the session or token
   * lacks. Throws 403 `second_factor_required` elsewhere.
   */
  requireSecondFactor(actor: Actor, access: Access | undefined): Actor;
}

/** Uses the first credential that a request has. */
export function createAuthentication(
  deps: Pick<Deps, 'db' | 'now' | 'settings' | 'sessions' | 'keys' | 'accessTokens'>,
): Authentication {
  const readKey = createKeyReader(deps);
  const readSession = createSessionReader(deps);
  return {
    async identify(req, access) {
      if (access === 'public') return ANONYMOUS;
      if (access === 'content-secret') {
        requireContentSecret(deps, req.headers.authorization);
        return ANONYMOUS;
      }
      if (access === 'scim') {
        await requireScimToken(deps, req.headers.authorization);
        return ANONYMOUS;
      }
      if (access === 'agent') return authenticateAgent(deps, req.headers.authorization);
      for (const readActor of isKeyOnly(access) ? [readKey] : [readKey, readSession]) {
        const actor = await readActor(req);
        if (actor !== undefined) return actor;
      }
      return ANONYMOUS;
    },
    requireSecondFactor(actor, access) {
      const isRequired = deps.settings.REQUIRE_SECOND_FACTOR === 'on';
      if (!isRequired || actor.kind === 'anonymous' || actor.lacksSecondFactor !== true) return actor;
      if (access === 'anyone') return ANONYMOUS;
      const message =
        'This service requires a second factor. Set one up at Settings → Security, or confirm it: POST /auth/reauthenticate.';
      throw new AppError('second_factor_required', message);
    },
  };
}

function createKeyReader({ keys }: Pick<Deps, 'keys'>): ActorReader {
  return ({ headers: { authorization } }) => {
    if (authorization === undefined) return undefined;
    const key = /^Bearer (sk-[\x21-\x7e]{1,256})$/i.exec(authorization)?.[1];
    if (key !== undefined) return keys.authenticate(key);
    throw new AppError(
      'invalid_api_key',
      'The Authorization header must be Bearer, followed by an API key that starts with sk-.',
      { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
    );
  };
}

/**
 * Ignores a malformed cookie and the cookie of an ended session, because browsers send a cookie until it expires, and its
 * owner may use public routes. Throws 403 `cross_site_request`.
 */
function createSessionReader({ settings, sessions }: Pick<Deps, 'settings' | 'sessions'>): ActorReader {
  const cookie = createSessionCookie(settings.BASE_URL);
  const isSameSite = createSiteCheck(settings.BASE_URL);
  return req => {
    const token = cookie.read(req.headers.cookie);
    if (token === undefined) return undefined;
    if (!isSameSite(req)) {
      const message =
        'The request has a session cookie but may come from another site. Send Sec-Fetch-Site: same-origin or the Origin of this service.';
      throw new AppError('cross_site_request', message);
    }
    return sessions.authenticate(token);
  };
}

/** Throws 401 if the actor does not have the access that the route requires. */
export function requireAccess(actor: Actor, access: Access): void {
  if (access === 'public' || access === 'anyone' || access === 'agent') return;
  // `identify` has checked these.
  if (access === 'content-secret' || access === 'scim') return;
  if (access === 'signed-in') requireUser(actor);
  else if (access === 'session') requireSession(actor);
  else requireScope(actor, isKeyOnly(access) ? getKeyScope(access) : access);
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns whether the session cookie of a request may be used. Only browsers set these headers, and pages cannot change
 * them.
 */
function createSiteCheck(baseUrl: string): (req: FastifyRequest) => boolean {
  const { origin } = new URL(baseUrl);
  return ({ method, headers }) =>
    SAFE_METHODS.has(method) || headers['sec-fetch-site'] === 'same-origin' || headers.origin === origin;
}
