// The Authorization header → who is asking.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import type { Actor } from '../services/accounts/actor.ts';
import { ANONYMOUS } from '../services/accounts/actor.ts';
import type { KeyAuthenticator } from '../services/accounts/key-authenticator.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before any route runs. */
    actor: Actor;
  }
}

/** Nobody where the header is absent; 401 where it is there and wrong. */
export function createAuthentication(keys: KeyAuthenticator): (req: FastifyRequest) => Promise<Actor> {
  return async req => {
    // The content webhook has a secret of its own in this header, and the CDN needs none.
    if (req.routeOptions.config.authentication === 'none') return ANONYMOUS;
    const header = req.headers.authorization;
    if (header === undefined) return ANONYMOUS;
    const key = /^Bearer (sk-[\x21-\x7e]{1,256})$/i.exec(header)?.[1];
    if (key === undefined) {
      throw new AppError('invalid_api_key', 'The Authorization header must have the form Bearer sk-….', {
        headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
      });
    }
    return keys.authenticate(key);
  };
}
