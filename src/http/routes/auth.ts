// Registers the routes for sign-in, passwords and sessions.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { toNetwork } from '../../lib/addresses.ts';
import { LinkBody, PasswordLinkResponse, Success } from '../../services/accounts/account.schema.ts';
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import {
  ConfirmationOptions,
  ReauthenticateBody,
  SecondStepSchema,
} from '../../services/second-factors/second-factor.schema.ts';
import { isSession, type SignInOutcome } from '../../services/second-factors/second-step.ts';
import { requestNewPassword } from '../../services/sessions/forgotten-password.ts';
import { createLinkAsAdmin } from '../../services/sessions/password-links.ts';
import { beginConfirmation, reauthenticate } from '../../services/sessions/reauthenticate.ts';
import {
  AcceptInviteBody,
  ForgottenPasswordBody,
  OwnSession,
  PasswordBody,
  SessionPage,
  SessionParams,
  SetUpBody,
  SignInBody,
} from '../../services/sessions/session.schema.ts';
import { endOwnSession, listOwnSessions, readOwnSession, signOut } from '../../services/sessions/sessions.ts';
import { changePassword, signIn } from '../../services/sessions/sign-in.ts';
import type { Visitor } from '../../services/sessions/start-session.ts';
import { setPasswordByLink, setUpFirstUser } from '../../services/sessions/use-link.ts';
import { createSessionCookie, formatSessionCookies, readBrowserCookie } from '../cookies.ts';
import type { Server } from '../deps.ts';
import { getClientAddress } from '../limits.ts';
import { createDescriber, toSuccess } from '../route.ts';

const operation = createDescriber('Sign-in');
const adminOperation = createDescriber('Administration');
const SIGNED_IN = { 204: Type.Unsafe<undefined>({ description: 'Signed in. The session cookie is set.' }) };
const SIGNED_IN_OR_CHALLENGED = { 200: SecondStepSchema, ...SIGNED_IN };

export function registerAuth(server: Server, deps: Deps): void {
  const { BASE_URL } = deps.settings;
  const cookie = createSessionCookie(BASE_URL);
  const sendOutcome = (reply: FastifyReply, outcome: SignInOutcome): FastifyReply =>
    isSession(outcome)
      ? reply.code(204).header('set-cookie', formatSessionCookies(BASE_URL, outcome)).send()
      : reply.code(200).send(outcome);

  server.post(
    '/api/v1/auth/setup',
    operation('setUp', 'public', {
      summary: 'Set up the first user',
      description:
        'Sets the email, name and password of the first user with the setup link that the first start prints. The link can be used only once, even by concurrent requests.',
      errors: ['invalid_link', 'conflict', 'invalid_credentials'],
      body: SetUpBody,
      response: SIGNED_IN,
      isUncacheable: true,
    }),
    async (req, reply) =>
      sendOutcome(reply, await setUpFirstUser(deps, req.body, toVisitor(deps, req, reply))),
  );
  server.post(
    '/api/v1/auth/accept-invite',
    operation('acceptInvite', 'public', {
      summary: 'Set a password with a link',
      description:
        'Sets a password with an invitation or reset link. The link can be used only once. All existing sessions of the account end.',
      errors: ['invalid_link', 'invalid_credentials'],
      body: AcceptInviteBody,
      response: SIGNED_IN_OR_CHALLENGED,
      isUncacheable: true,
    }),
    async (req, reply) =>
      sendOutcome(reply, await setPasswordByLink(deps, req.body, toVisitor(deps, req, reply))),
  );
  server.post(
    '/api/v1/auth/sign-in',
    operation('signIn', 'public', {
      summary: 'Sign in with a password',
      description:
        'Creates a session. If the account has a second factor, returns 200 with a challenge instead, for POST /auth/second-factor. A wrong email and a wrong password return the same error. Returns 429 after ten failures in 15 minutes for an account from one network, after fifty for an account from all networks that have not signed in to it in the last 30 days, or after fifty from one IP address.',
      errors: ['invalid_credentials'],
      body: SignInBody,
      response: SIGNED_IN_OR_CHALLENGED,
      isUncacheable: true,
    }),
    async (req, reply) => sendOutcome(reply, await signIn(deps, req.body, toVisitor(deps, req, reply))),
  );
  server.post(
    '/api/v1/auth/forgotten-password',
    operation('requestNewPassword', 'public', {
      summary: 'Request a link for a forgotten password',
      description:
        'Mails a link that sets a new password, if an account has the email. The response is the same in any case. The link is valid for an hour. An address gets at most three mails an hour; a network can send 20 requests an hour. 409 if the service has no mail server.',
      errors: ['conflict'],
      body: ForgottenPasswordBody,
      response: { 202: Success },
      isUncacheable: true,
    }),
    async (req, reply) => {
      await requestNewPassword(deps, req.body, toVisitor(deps, req, reply));
      return reply.code(202).send({ success: true as const });
    },
  );
  server.post(
    '/api/v1/auth/password',
    operation('changePassword', 'session', {
      summary: 'Change your password',
      description:
        'Changes your password. Ends all sessions and starts a new one for you. `revokeKeys` also revokes all API keys and connections.',
      reauthentication: 'with a second factor',
      errors: ['invalid_credentials'],
      body: PasswordBody,
      response: SIGNED_IN,
      withoutSecondFactor: true,
      isUncacheable: true,
    }),
    async (req, reply) =>
      sendOutcome(reply, await changePassword(deps, req.actor, req.body, toVisitor(deps, req, reply))),
  );
  server.post(
    '/api/v1/auth/reauthenticate',
    operation('reauthenticate', 'session', {
      summary: 'Confirm your identity',
      description:
        'Confirms the identity of the current session: with the second factor if the account has one, else with the password. Requests that need this, such as creating a key, return 403 `reauthentication_required` if the last confirmation or sign-in is older than 15 minutes. Failures are limited as for sign-in. Accounts without a password use `GET /api/v1/auth/oidc?reauthenticate=true` in the browser.',
      errors: ['invalid_credentials', 'conflict'],
      body: ReauthenticateBody,
      response: { 204: Type.Unsafe<undefined>({ description: 'Confirmed for 15 minutes' }) },
      withoutSecondFactor: true,
      isUncacheable: true,
    }),
    async (req, reply) => {
      await reauthenticate(deps, req.actor, req.body, toVisitor(deps, req, reply));
      return reply.code(204).send();
    },
  );
  server.post(
    '/api/v1/auth/reauthenticate/options',
    operation('getReauthenticationOptions', 'session', {
      summary: 'Read how to confirm your identity',
      description:
        'Returns how you can confirm your identity, with the request for a passkey if you have one.',
      response: { 200: ConfirmationOptions },
      withoutSecondFactor: true,
      isUncacheable: true,
    }),
    req => beginConfirmation(deps, req.actor),
  );
  server.post(
    '/api/v1/auth/sign-out',
    operation('signOut', 'anyone', {
      summary: 'Sign out',
      description: 'Ends the current session. Without a session, nothing changes.',
      response: {
        204: Type.Unsafe<undefined>({ description: 'Signed out. The session cookie is deleted.' }),
      },
      withoutSecondFactor: true,
    }),
    async (req, reply) => {
      await signOut(deps, req.actor);
      return reply.code(204).header('set-cookie', cookie.deleteHeader).send();
    },
  );
  server.get(
    '/api/v1/auth/session',
    operation('getSession', 'session', {
      summary: 'Read the current session',
      description:
        'Returns your user, your active workspace and its credits, your teams, and when the session expires.',
      response: { 200: OwnSession },
      withoutSecondFactor: true,
      isUncacheable: true,
    }),
    req => readOwnSession(deps, req.actor),
  );
  server.get(
    '/api/v1/auth/sessions',
    operation('listSessions', 'account:admin', {
      summary: 'List your sessions',
      description: 'Returns your active sessions, newest first.',
      querystring: PageQuery,
      response: { 200: SessionPage },
    }),
    req => listOwnSessions(deps, req.actor, req.query),
  );
  server.delete(
    '/api/v1/auth/sessions/:id',
    operation('endSession', 'account:admin', {
      summary: 'End a session',
      description: 'Ends a session. This process rejects it immediately, others within 5 s.',
      errors: ['not_found'],
      params: SessionParams,
      response: { 200: Success },
    }),
    req => toSuccess(endOwnSession(deps, req.actor, req.params.id)),
  );
  server.post(
    '/api/v1/admin/password-links',
    adminOperation('createPasswordLink', 'instance:admin', {
      summary: 'Create a password link',
      description:
        'Creates a link to set a password, which replaces an earlier link of the user. `setup` is for the first user and takes no `email`. `invite` and `reset` require an `email`.',
      reauthentication: 'always',
      errors: ['not_found'],
      body: LinkBody,
      response: { 200: PasswordLinkResponse },
      isUncacheable: true,
    }),
    req => createLinkAsAdmin(deps, req.actor, req.body),
  );
}

/** Returns the properties of the caller that a session stores. */
export function toVisitor(
  { settings }: Pick<Deps, 'settings'>,
  req: FastifyRequest,
  reply: FastifyReply,
): Visitor {
  const ipAddress = getClientAddress(req);
  return {
    ipAddress,
    network: toNetwork(ipAddress),
    userAgent: req.headers['user-agent'],
    browser: readBrowserCookie(settings.BASE_URL, req.headers.cookie),
    signal: reply.closeSignal(),
  };
}
