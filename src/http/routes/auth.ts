// Sign-in and sessions over HTTP.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { networkOf } from '../../lib/addresses.ts';
import { LinkAnswer, LinkBody, Success } from '../../services/accounts/account.schema.ts';
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import { createLink } from '../../services/sessions/mint-link.ts';
import {
  AcceptInviteBody,
  OwnSession,
  PasswordBody,
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
import { sessionCookieOf } from '../session-cookie.ts';

const tags = ['Sign-in'];
const SIGNED_IN = { 204: Type.Unsafe<undefined>({ description: 'Signed in: the session cookie is set' }) };
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
    {
      schema: {
        tags,
        summary: 'Set email, name and password of the first user, by the link that the first start prints',
        body: SetUpBody,
        response: SIGNED_IN,
      },
    },
    async (req, reply) => signedIn(reply, await setUp(deps, req.body, visitorOf(req, reply))),
  );
  app.post(
    '/api/v1/auth/accept-invite',
    {
      schema: {
        tags,
        summary: 'Set your password, by a link of an invitation or of a reset',
        body: AcceptInviteBody,
        response: SIGNED_IN,
      },
    },
    async (req, reply) => signedIn(reply, await acceptInvite(deps, req.body, visitorOf(req, reply))),
  );
  app.post(
    '/api/v1/auth/sign-in',
    { schema: { tags, summary: 'Sign in by password', body: SignInBody, response: SIGNED_IN } },
    async (req, reply) => signedIn(reply, await signIn(deps, req.body, visitorOf(req, reply))),
  );
  app.post(
    '/api/v1/auth/password',
    {
      schema: {
        tags,
        summary: 'Change your password; your other sessions end',
        body: PasswordBody,
        response: SIGNED_IN,
      },
    },
    async (req, reply) =>
      signedIn(reply, await changePassword(deps, req.actor, req.body, visitorOf(req, reply))),
  );
  app.post(
    '/api/v1/auth/sign-out',
    {
      schema: {
        tags,
        summary: 'End the session that asks',
        response: {
          204: Type.Unsafe<undefined>({ description: 'Signed out: the session cookie is cleared' }),
        },
      },
    },
    async (req, reply) => {
      await signOut(deps, req.actor);
      return reply.code(204).header('set-cookie', cookie.cleared).send();
    },
  );
  app.get(
    '/api/v1/auth/session',
    { schema: { tags, summary: 'Who is signed in', response: { 200: OwnSession } } },
    (req, reply) => {
      reply.header('cache-control', NO_STORE);
      return readOwnSession(deps, req.actor);
    },
  );
  app.get(
    '/api/v1/auth/sessions',
    {
      schema: { tags, summary: 'List your sessions', querystring: PageQuery, response: { 200: SessionPage } },
    },
    req => listOwnSessions(deps, req.actor, req.query),
  );
  app.delete(
    '/api/v1/auth/sessions/:id',
    {
      schema: {
        tags,
        summary: 'End a session, everywhere within 5 seconds',
        params: SessionParams,
        response: { 200: Success },
      },
    },
    async req => {
      await endOwnSession(deps, req.actor, req.params.id);
      return { success: true };
    },
  );
  app.post(
    '/api/v1/admin/password-links',
    {
      schema: {
        tags: ['Operator'],
        summary: 'Mint a link that sets a password, in place of the one the user has',
        body: LinkBody,
        response: { 200: LinkAnswer },
      },
    },
    async (req, reply) =>
      reply.header('cache-control', NO_STORE).send(await createLink(deps, req.actor, req.body)),
  );
}

/** Who asks, as a session's row has it. */
export function visitorOf(req: FastifyRequest, reply: FastifyReply): Visitor {
  const address = addressOf(req);
  return {
    address,
    network: networkOf(address),
    userAgent: req.headers['user-agent'],
    signal: reply.closeSignal(),
  };
}
