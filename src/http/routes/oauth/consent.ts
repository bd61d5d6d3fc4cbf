// Serves the page where a person authorizes an application.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../../lib/errors.ts';
import { requireSession } from '../../../services/accounts/actor.ts';
import type { ConsentRequest, ConsentResult, OAuthMount } from '../../../services/oauth/oauth-server.ts';
import type { Server } from '../../deps.ts';
import { HTML, sendErrorPage } from '../../pages/page-responses.ts';

const BODY_LIMIT_BYTES = 65_536;

/** Registers the consent page. Must be called in a scope that parses forms as text. */
export function registerConsent(scope: Server, oauth: OAuthMount): void {
  const options = {
    bodyLimit: BODY_LIMIT_BYTES,
    schema: { hide: true, params: Type.Object({ uid: Type.String({ maxLength: 64 }) }) },
    errorHandler: sendError,
  } as const;
  // Visitors are redirected to sign-in.
  scope.get(
    '/oauth/interaction/:uid',
    {
      ...options,
      config: { access: 'anyone', limit: 'none', isUncacheable: true, withoutSecondFactor: true },
    },
    async (req, reply) => {
      const { uid } = req.params;
      if (req.actor.kind !== 'user' || req.actor.credential.kind !== 'session') {
        const next = encodeURIComponent(`/oauth/interaction/${encodeURIComponent(uid)}`);
        return reply.redirect(`/sign-in?next=${next}`, 303);
      }
      const server = await oauth.getServer();
      return sendResult(reply, await server.openConsent(toConsentRequest(req, reply, uid)));
    },
  );
  scope.post(
    '/oauth/interaction/:uid',
    { ...options, config: { access: 'session', limit: 'none', isUncacheable: true } },
    async (req, reply) => {
      if (typeof req.body !== 'string')
        throw new AppError(
          'unsupported_type',
          'The body must be a form: send Content-Type: application/x-www-form-urlencoded.',
        );
      const form = new URLSearchParams(req.body);
      const decision = {
        token: form.get('token') ?? '',
        isAllowed: form.get('decision') === 'allow',
        scopes: form.getAll('scope'),
      };
      const server = await oauth.getServer();
      return sendResult(reply, await server.decide(toConsentRequest(req, reply, req.params.uid), decision));
    },
  );
}

function toConsentRequest(req: FastifyRequest, reply: FastifyReply, uid: string): ConsentRequest {
  return { raw: req.raw, res: reply.raw, uid, actor: requireSession(req.actor).user };
}

function sendResult(reply: FastifyReply, result: ConsentResult): FastifyReply {
  if (result.kind === 'redirect') return reply.redirect(result.to, 303);
  return reply
    .headers({
      'content-type': HTML,
      'content-security-policy': result.contentSecurityPolicy,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
    })
    .send(result.html);
}

function sendError(thrown: Error, req: FastifyRequest, reply: FastifyReply): void {
  if (req.headers.accept?.includes('text/html') === true) sendErrorPage(thrown, req, reply);
  else reply.send(thrown);
}
