// The Fastify instance: what every request passes in order, and the one place where errors become answers.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger } from 'fastify';
import { fastify } from 'fastify';
import { toError } from '../lib/errors.ts';
import type { Deps } from '../services/deps.ts';
import type { KeyAuthenticator } from '../services/key-authenticator.ts';
import type { App } from './app.ts';
import { createAuthentication } from './auth.ts';
import { registerBodyParsers } from './body.ts';
import { errorBody, translateError } from './errors.ts';
import { createLimits, rateHeaders } from './limits.ts';
import { registerMethodNotAllowed } from './method-not-allowed.ts';
import { registerOpenApi } from './openapi.ts';
import { requestIdOf } from './request-id.ts';
import { ROUTES } from './routes.ts';
import { createValidator } from './validator.ts';

/** Contract, Limits: of any request body but those of the upload doors. */
export const BODY_LIMIT_BYTES = 4_194_304;
const REQUEST_TIMEOUT_MS = 120_000;
const HEADERS_MAX_BYTES = 16_384;

const EXPOSED_HEADERS = [
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'Idempotent-Replayed',
  'Preference-Applied',
  'Content-Range',
  'Accept-Ranges',
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** Builds the server; nothing listens yet. Requests walk: id → actor → limits → schema → route. */
export async function createServer(deps: Deps, keys: KeyAuthenticator): Promise<App> {
  const limits = createLimits(deps);
  const app = fastify({
    loggerInstance: deps.log.child({ part: 'http' }) as FastifyBaseLogger,
    disableRequestLogging: true,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: deps.settings.TRUST_PROXY,
    genReqId: requestIdOf,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    // A missing Host is refused by the hook below, in our form, instead of by Node in none.
    http: { maxHeaderSize: HEADERS_MAX_BYTES, requireHostHeader: false },
    frameworkErrors: (err, req, reply) => {
      reply.header('x-request-id', req.id).headers(rateHeaders(limits.peekAddress(req.ip)));
      sendError(deps, reply, req.id, err);
    },
    clientErrorHandler: (err, socket) => refuseRaw(deps, limits, err, socket),
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setValidatorCompiler(createValidator());
  // Answers are written as the services made them; schemas of answers document only.
  app.setSerializerCompiler(() => data => JSON.stringify(data));
  registerBodyParsers(app);

  const authenticate = createAuthentication(keys);
  app.decorateRequest('actor');
  app.addHook('onRequest', (req, reply, done) => {
    reply.header('x-request-id', req.id);
    authenticate(req)
      .then(
        actor => {
          req.actor = actor;
          return limits.admit(req, reply);
        },
        (err: unknown) => limits.admit(req, reply).then(() => Promise.reject(err)),
      )
      .then(() => done(), done);
  });
  app.setErrorHandler((err, req, reply) => sendError(deps, reply, req.id, err));
  app.server.on('checkExpectation', (req, res) => app.server.emit('request', req, res));

  await app.register(cors, {
    origin: '*',
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 86_400,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  });
  await registerOpenApi(app, deps);
  registerMethodNotAllowed(app);
  for (const register of ROUTES) register(app, deps);
  return app;
}

interface ErrorReply {
  code(status: number): ErrorReply;
  headers(headers: Readonly<Record<string, string>>): ErrorReply;
  send(body: never): unknown;
}

function sendError(deps: Deps, reply: ErrorReply, requestId: string, thrown: unknown): void {
  const err = translateError(thrown);
  if (err.status >= 500) deps.log.error({ err: err.cause ?? err, requestId }, 'a request failed');
  reply
    .code(err.status)
    .headers(err.headers ?? {})
    .send(errorBody(err, requestId) as never);
}

/** For what never became a request: broken HTTP, headers too large, or none in time. */
function refuseRaw(
  deps: Deps,
  limits: ReturnType<typeof createLimits>,
  thrown: Error & { code?: string },
  socket: Socket,
): void {
  // The peer is gone, or an answer is half sent already: nothing can be said.
  if (thrown.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const err = translateError(toError(thrown));
  const requestId = requestIdOf();
  const body = JSON.stringify(errorBody(err, requestId));
  const headers = {
    'x-request-id': requestId,
    ...rateHeaders(limits.peekAddress(socket.remoteAddress ?? '')),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${err.status} ${STATUS_CODES[err.status]}\r\n${head.join('')}\r\n${body}`);
  deps.log.debug({ err: thrown, requestId }, 'a connection did not speak HTTP');
}
