// Registers the routes for the OAuth authorization server: metadata and endpoints.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toNetwork } from '../../../lib/addresses.ts';
import type { Deps } from '../../../services/deps.ts';
import type { Endpoint, OAuthMount } from '../../../services/oauth/oauth-server.ts';
import type { Server } from '../../deps.ts';
import { translateError } from '../../errors.ts';
import { getClientAddress } from '../../limits.ts';
import { sendErrorPage } from '../../pages/page-responses.ts';
import { readBytes } from '../../read-bytes.ts';
import { hijackWithHeaders } from '../../route.ts';
import { registerConsent } from './consent.ts';

const FORM = 'application/x-www-form-urlencoded';
const BODY_LIMIT_BYTES = 65_536;
const HOUR_SECONDS = 3600;
const MINUTE_SECONDS = 60;
/** High, because the applications of many people share an IP address, and nobody can guess a token. */
const REQUESTS_PER_MINUTE = 600;
const REGISTRATIONS_PER_HOUR = 20;
const HIDDEN = { hide: true } as const;

export function registerOAuth(server: Server, deps: Deps, oauth: OAuthMount): void {
  const documents: Readonly<Record<string, object>> = {
    '/.well-known/oauth-protected-resource': oauth.resourceMetadata,
    '/.well-known/oauth-protected-resource/mcp': oauth.resourceMetadata,
    '/.well-known/oauth-authorization-server': oauth.serverMetadata,
  };
  for (const [path, document] of Object.entries(documents))
    server.get(path, { schema: HIDDEN, config: { access: 'public', limit: 'none' } }, (_req, reply) =>
      reply.header('cache-control', 'public, max-age=300').send(document),
    );
  void server.register(async scope => {
    scope.addContentTypeParser(FORM, async (req: FastifyRequest, payload: IncomingMessage) =>
      String(await readBytes(req, payload)),
    );
    registerEndpoints(scope, deps, oauth);
    registerConsent(scope, oauth);
  });
}

function registerEndpoints(scope: Server, deps: Deps, oauth: OAuthMount): void {
  const options = {
    bodyLimit: BODY_LIMIT_BYTES,
    schema: HIDDEN,
    config: { access: 'public', limit: 'none' } as const,
  };
  const serve = (endpoint: Endpoint) => async (req: FastifyRequest, reply: FastifyReply) => {
    const respond = await (await oauth.getServer()).prepare(endpoint, req.raw, req.body);
    hijackWithHeaders(reply);
    await respond(reply.raw);
  };
  const onRequest = [createLimitHook(deps, 'requests', REQUESTS_PER_MINUTE, MINUTE_SECONDS)];
  const forBrowsers = { ...options, onRequest, errorHandler: sendErrorPage };
  const forClients = { ...options, onRequest, errorHandler: sendOAuthError };
  scope.get('/oauth/authorize', forBrowsers, serve('authorize'));
  scope.get('/oauth/authorize/:uid', forBrowsers, serve('resume'));
  scope.post('/oauth/token', forClients, serve('token'));
  scope.post('/oauth/revoke', forClients, serve('revoke'));
  scope.post(
    '/oauth/register',
    {
      ...forClients,
      onRequest: [createLimitHook(deps, 'registrations', REGISTRATIONS_PER_HOUR, HOUR_SECONDS)],
    },
    serve('register'),
  );
}

/** Limits requests by network, across all processes. */
function createLimitHook({ rateLimiter }: Deps, name: string, limit: number, seconds: number) {
  const reason = `More than ${limit} ${name} in ${seconds === HOUR_SECONDS ? 'an hour' : 'a minute'} from your IP address`;
  return async (req: FastifyRequest): Promise<void> => {
    const key = `oauth:${name}:${toNetwork(getClientAddress(req))}`;
    await rateLimiter.requireToken(key, limit, seconds, reason);
  };
}

/** Clients can repeat every request. At worst, the service rejects a code that was already used. */
const IDEMPOTENT_METHOD = 'PUT';

/** Sends an error in the form of OAuth (RFC 6749 §5.2), with our code and request id. */
function sendOAuthError(thrown: Error, req: FastifyRequest, reply: FastifyReply): void {
  const err = translateError(thrown, IDEMPOTENT_METHOD);
  if (err.status >= 500 && err.code !== 'unavailable') {
    reply.send(thrown);
    return;
  }
  const invalid = req.routeOptions.url === '/oauth/register' ? 'invalid_client_metadata' : 'invalid_request';
  const error = err.code === 'unavailable' ? 'temporarily_unavailable' : invalid;
  reply
    .code(err.status)
    .headers({ ...err.headers, 'cache-control': 'no-store' })
    .send({ error, error_description: err.message, code: err.code, requestId: req.id });
}
