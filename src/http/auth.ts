// Credentials → who is asking. Each kind of credential is a line of a table; the route's access says what it must be.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { type Actor, ANONYMOUS, requireScope, requireUser } from '../services/accounts/actor.ts';
import type { KeyAuthenticator } from '../services/accounts/key-authenticator.ts';
import { requireContentSecret } from '../services/content/content.ts';
import type { Deps } from '../services/deps.ts';
import type { Access } from './access.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before any route runs. */
    actor: Actor;
  }
}

/** The actor that a request's credential stands for; undefined where the request does not carry this kind. */
type Credential = (req: FastifyRequest) => Actor | Promise<Actor> | undefined;

export interface Authentication {
  /** Who asks. Throws 401 where a credential is there and wrong. */
  identify(req: FastifyRequest, access: Access): Promise<Actor>;
}

/** The first credential that a request carries decides. */
export function createAuthentication(deps: Pick<Deps, 'settings'>, keys: KeyAuthenticator): Authentication {
  const credentials: readonly Credential[] = [bearerKey(keys)];
  return {
    async identify(req, access) {
      if (access === 'public') return ANONYMOUS;
      if (access === 'content-secret') {
        requireContentSecret(deps, req.headers.authorization);
        return ANONYMOUS;
      }
      for (const credential of credentials) {
        const actor = credential(req);
        if (actor !== undefined) return actor;
      }
      return ANONYMOUS;
    },
  };
}

function bearerKey(keys: KeyAuthenticator): Credential {
  return ({ headers: { authorization } }) => {
    if (authorization === undefined) return undefined;
    const key = /^Bearer (sk-[\x21-\x7e]{1,256})$/i.exec(authorization)?.[1];
    if (key !== undefined) return keys.authenticate(key);
    throw new AppError('invalid_api_key', 'The Authorization header must have the form Bearer sk-….', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    });
  };
}

/** Throws 401 where the actor has not what the route's access asks for. */
export function requireAccess(actor: Actor, access: Access): void {
  if (access === 'public' || access === 'anyone' || access === 'content-secret') return;
  if (access === 'signed-in') requireUser(actor);
  else requireScope(actor, access);
}
