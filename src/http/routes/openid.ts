// Registers the routes for sign-in with an OpenID provider: redirect browsers to the provider and create a session when
// they return.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import { requireSession } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import { isSession, type SecondStep } from '../../services/second-factors/second-step.ts';
import {
  CALLBACK_PATH,
  createOpenIdSignIn,
  FLOW_SECONDS,
  type OpenIdSignIn,
} from '../../services/sessions/openid.ts';
import {
  BeginOpenIdQuery,
  OpenIdCallbackQuery,
  SignInMethods,
} from '../../services/sessions/session.schema.ts';
import { listSignInMethods } from '../../services/sessions/sign-in.ts';
import { createSignInCookie, formatSessionCookies } from '../cookies.ts';
import type { Server } from '../deps.ts';
import { wantsPage } from '../pages/page-responses.ts';
import { createDescriber } from '../route.ts';
import { splitUrl } from '../split-url.ts';
import { toVisitor } from './auth.ts';

const operation = createDescriber('Sign-in');
const REDIRECTED = Type.Unsafe<undefined>({ description: 'Redirects the browser' });
const START_PATH = '/api/v1/auth/oidc';

export function registerOpenId(server: Server, deps: Deps): void {
  const { BASE_URL } = deps.settings;
  const openId = createOpenIdSignIn(deps);
  const signInCookie = createSignInCookie(BASE_URL);
  server.get(
    '/api/v1/auth/methods',
    operation('listSignInMethods', 'public', {
      summary: 'List the sign-in methods',
      description: 'Returns the methods that the sign-in page offers.',
      response: { 200: SignInMethods },
      withoutSecondFactor: true,
      isUncacheable: true,
    }),
    () => listSignInMethods(deps, START_PATH),
  );
  server.get(
    START_PATH,
    operation('beginOpenIdSignIn', 'anyone', {
      summary: 'Start sign-in with the identity provider',
      description:
        'Redirects a browser to the identity provider. If that fails, the browser is redirected to `/sign-in?refused=…`. With `reauthenticate=true`, the provider asks for the credentials again, which confirms the identity of the current session.',
      errors: ['not_found', 'unauthorized'],
      querystring: BeginOpenIdQuery,
      response: { 302: REDIRECTED, 303: REDIRECTED },
      withoutSecondFactor: true,
      isUncacheable: true,
    }),
    (req, reply) =>
      redirectIfRejected(deps, { req, reply, next: req.query.next }, async () => {
        const { next, reauthenticate = false } = req.query;
        const sessionId = reauthenticate ? requireSession(req.actor).sessionId : undefined;
        const signIn = await requireOpenId(openId).begin({ next, sessionId });
        return reply
          .header('set-cookie', signInCookie.format(signIn.flow, FLOW_SECONDS))
          .redirect(signIn.url, 302);
      }),
  );
  server.get(
    CALLBACK_PATH,
    operation('completeOpenIdSignIn', 'anyone', {
      summary: 'Complete sign-in with the identity provider',
      description:
        'Receives the browser from the identity provider, creates a session cookie and redirects to `next`, or to `/sign-in?refused=…` on failure. Clients that do not accept HTML receive errors as JSON, with `reason`.',
      errors: ['not_found', 'sign_in_refused', 'conflict'],
      querystring: OpenIdCallbackQuery,
      response: { 303: REDIRECTED },
      withoutSecondFactor: true,
      isUncacheable: true,
    }),
    (req, reply) => {
      // The cookie can be used only once, whatever the outcome.
      reply.header('set-cookie', signInCookie.deleteHeader);
      const flowState = signInCookie.read(req.headers.cookie);
      return redirectIfRejected(deps, { req, reply, next: openId?.getNextPath(flowState) }, async () => {
        const callback = { search: splitUrl(req.url).query, flow: flowState };
        const { outcome, next } = await requireOpenId(openId).complete(
          callback,
          toVisitor(deps, req, reply),
          req.actor,
        );
        if (outcome === undefined) return reply.redirect(next, 303);
        if (!isSession(outcome)) return reply.redirect(formatSecondStepUrl(outcome, next), 303);
        reply.header('set-cookie', formatSessionCookies(BASE_URL, outcome));
        return reply.redirect(next, 303);
      });
    },
  );
}

function requireOpenId(openId: OpenIdSignIn | undefined): OpenIdSignIn {
  if (openId !== undefined) return openId;
  throw new AppError('not_found', 'No identity provider is set up. Sign in with a password.');
}

/** The page asks for the second factor. The fragment is not sent to servers. */
function formatSecondStepUrl(step: SecondStep, next: string): string {
  const fragment = Buffer.from(JSON.stringify(step)).toString('base64url');
  return `/sign-in?next=${encodeURIComponent(next)}#second-factor=${fragment}`;
}

interface SignInRequest {
  readonly req: FastifyRequest;
  readonly reply: FastifyReply;
  /** The path to open after sign-in. */
  readonly next: string | undefined;
}

/** Redirects rejected browsers to the sign-in page, which explains the reason. Other clients get the error. */
async function redirectIfRejected(
  { log }: Pick<Deps, 'log'>,
  { req, reply, next = '/' }: SignInRequest,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (err) {
    const reason = err instanceof AppError ? err.details?.reason : undefined;
    if (typeof reason !== 'string' || !wantsPage(req)) throw err;
    log.warn({ err, reason, requestId: req.id }, 'a sign-in at the identity provider was refused');
    // The sign-in page accepts only paths of this service in `next`.
    const nextQuery = next === '/' ? '' : `&next=${encodeURIComponent(next)}`;
    return reply.redirect(`/sign-in?refused=${reason}${nextQuery}`, 303);
  }
}
