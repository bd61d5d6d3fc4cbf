// Credentials → who is asking. Each kind of credential is a line of a table; the route's access says what it must be.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import {
  type Actor,
  ANONYMOUS,
  requireScope,
  requireSession,
  requireUser,
} from '../services/accounts/actor.ts';
import { type AgentCallerDeps, authenticateAgent } from '../services/accounts/agent-caller.ts';
import { requireContentSecret } from '../services/content/content.ts';
import type { Deps } from '../services/deps.ts';
import { type Access, isKeyOnly, scopeOf } from './access.ts';
import { createSiteCheck } from './cross-site.ts';
import { sessionCookieOf } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before any route runs. */
    actor: Actor;
  }
}

/** The actor that a request's credential stands for; undefined where the request does not carry this kind. */
type Credential = (req: FastifyRequest) => MaybePromise<Actor | undefined>;
type MaybePromise<T> = T | Promise<T>;

export interface Authentication {
  /** Who asks. Throws 401 where a credential is there and wrong. */
  identify(req: FastifyRequest, access: Access): Promise<Actor>;
}

/** The first credential that a request carries decides. */
export function createAuthentication(
  deps: Pick<Deps, 'settings' | 'sessions' | 'keys'> & AgentCallerDeps,
): Authentication {
  const byKey = [bearerKey(deps)];
  const byAny: readonly Credential[] = [...byKey, sessionCookie(deps)];
  return {
    async identify(req, access) {
      if (access === 'public') return ANONYMOUS;
      if (access === 'content-secret') {
        requireContentSecret(deps, req.headers.authorization);
        return ANONYMOUS;
      }
      if (access === 'agent') return authenticateAgent(deps, req.headers.authorization);
      for (const credential of isKeyOnly(access) ? byKey : byAny) {
        const actor = await credential(req);
        if (actor !== undefined) return actor;
      }
      return ANONYMOUS;
    },
  };
}

function bearerKey({ keys }: Pick<Deps, 'keys'>): Credential {
  return ({ headers: { authorization } }) => {
    if (authorization === undefined) return undefined;
    const key = /^Bearer (sk-[\x21-\x7e]{1,256})$/i.exec(authorization)?.[1];
    if (key !== undefined) return keys.authenticate(key);
    throw new AppError('invalid_api_key', 'The Authorization header must have the form Bearer sk-….', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    });
  };
}

/**
 * A cookie that is cut, foreign, or of a session that has ended is none at all: browsers send it along until it expires,
 * and its bearer may see what everybody may. Throws 403 `cross_site_request`.
 */
function sessionCookie({ settings, sessions }: Pick<Deps, 'settings' | 'sessions'>): Credential {
  const cookie = sessionCookieOf(settings.BASE_URL);
  const isSameSite = createSiteCheck(settings.BASE_URL);
  return req => {
    const token = cookie.read(req.headers.cookie);
    if (token === undefined) return undefined;
    if (!isSameSite(req)) {
      const message = 'The session cookie came with a request that another site may have sent.';
      throw new AppError('cross_site_request', message);
    }
    return sessions.authenticate(token);
  };
}

/** Throws 401 where the actor has not what the route's access asks for. */
export function requireAccess(actor: Actor, access: Access): void {
  if (access === 'public' || access === 'anyone' || access === 'agent' || access === 'content-secret') return;
  if (access === 'signed-in') requireUser(actor);
  else if (access === 'session') requireSession(actor);
  else requireScope(actor, isKeyOnly(access) ? scopeOf(access) : access);
}
