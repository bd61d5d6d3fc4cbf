// Routes of sign-in, passwords and sessions.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { toNetwork } from '../../lib/addresses.ts';
import { LinkBody, PasswordLinkResponse, Success } from '../../services/accounts/account.schema.ts';
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import { createLink } from '../../services/sessions/mint-link.ts';
import { reauthenticate } from '../../services/sessions/reauthenticate.ts';
import {
  AcceptInviteBody,
  OwnSession,
  PasswordBody,
  ReauthenticateBody,
  SessionPage,
  SessionParams,
  SetUpBody,
  SignInBody,
} from '../../services/sessions/session.schema.ts';
import { endOwnSession, listOwnSessions, readOwnSession, signOut } from '../../services/sessions/sessions.ts';
import { changePassword, signIn } from '../../services/sessions/sign-in.ts';
import type { StartedSession, Visitor } from '../../services/sessions/start-session.ts';
import { acceptInvite, setUp } from '../../services/sessions/use-link.ts';
import type { App } from '../app.ts';
import { addressOf } from '../limits.ts';
import { documented, done } from '../route.ts';
import { sessionCookieOf } from '../session-cookie.ts';

const about = documented('Sign-in');
const SIGNED_IN = { 204: Type.Unsafe<undefined>({ description: 'Signed in. The session cookie is set.' }) };
const NO_STORE = 'no-store';

export function registerAuth(app: App, deps: Deps): void {
  const cookie = sessionCookieOf(deps.settings.BASE_URL);
  const signedIn = (reply: FastifyReply, { token, expiresAt }: StartedSession): FastifyReply =>
    reply
      .code(204)
      .headers({ 'set-cookie': cookie.write(token, expiresAt), 'cache-control': NO_STORE })
      .send();

  app.post(
    '/api/v1/auth/setup',
    about('Set up the first user', SIGNED_IN, { body: SetUpBody }),
    async (req, reply) => signedIn(reply, await setUp(deps, req.body, visitorOf(req, reply))),
  );
  app.post(
    '/api/v1/auth/accept-invite',
    about('Set a password with a link', SIGNED_IN, {
      body: AcceptInviteBody,
    }),
    async (req, reply) => signedIn(reply, await acceptInvite(deps, req.body, visitorOf(req, reply))),
  );
  app.post(
    '/api/v1/auth/sign-in',
    about('Sign in with a password', SIGNED_IN, { body: SignInBody }),
    async (req, reply) => signedIn(reply, await signIn(deps, req.body, visitorOf(req, reply))),
  );
  app.post(
    '/api/v1/auth/password',
    about('Change your password', SIGNED_IN, { body: PasswordBody }),
    async (req, reply) =>
      signedIn(reply, await changePassword(deps, req.actor, req.body, visitorOf(req, reply))),
  );
  app.post(
    '/api/v1/auth/reauthenticate',
    about(
      'Confirm your identity with your password',
      { 204: Type.Unsafe<undefined>({ description: 'Confirmed for 15 minutes' }) },
      { body: ReauthenticateBody },
    ),
    async (req, reply) => {
      await reauthenticate(deps, req.actor, req.body, visitorOf(req, reply));
      return reply.code(204).header('cache-control', NO_STORE).send();
    },
  );
  app.post(
    '/api/v1/auth/sign-out',
    about('Sign out', {
      204: Type.Unsafe<undefined>({ description: 'Signed out. The session cookie is deleted.' }),
    }),
    async (req, reply) => {
      await signOut(deps, req.actor);
      return reply.code(204).header('set-cookie', cookie.cleared).send();
    },
  );
  app.get('/api/v1/auth/session', about('Read the current session', { 200: OwnSession }), (req, reply) => {
    reply.header('cache-control', NO_STORE);
    return readOwnSession(deps, req.actor);
  });
  app.get(
    '/api/v1/auth/sessions',
    about('List your sessions', { 200: SessionPage }, { querystring: PageQuery }),
    req => listOwnSessions(deps, req.actor, req.query),
  );
  app.delete(
    '/api/v1/auth/sessions/:id',
    about('End a session', { 200: Success }, { params: SessionParams }),
    req => done(endOwnSession(deps, req.actor, req.params.id)),
  );
  app.post(
    '/api/v1/admin/password-links',
    documented('Operator')('Create a password link', { 200: PasswordLinkResponse }, { body: LinkBody }),
    async (req, reply) =>
      reply.header('cache-control', NO_STORE).send(await createLink(deps, req.actor, req.body)),
  );
}

/** Returns the properties of the caller that a session stores. */
export function visitorOf(req: FastifyRequest, reply: FastifyReply): Visitor {
  const address = addressOf(req);
  return {
    address,
    network: toNetwork(address),
    userAgent: req.headers['user-agent'],
    signal: reply.closeSignal(),
  };
}
