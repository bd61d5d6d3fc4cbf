// Creates the Fastify instance: the hooks that every request passes, in order, and the error handler.
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { stringifyJson } from '../lib/json-text.ts';
import { MAX_BODY_BYTES } from '../lib/size-limits.ts';
import { toRateHeaders } from '../services/accounts/rate-limits.ts';
import type { OAuthMount } from '../services/oauth/oauth-server.ts';
import { registerAccess } from './access.ts';
import { registerAdmission } from './admission.ts';
import { createAuthentication } from './auth.ts';
import { registerBodyParsers, registerOptionalBodies } from './body.ts';
import { registerCloseSignals } from './close-signal.ts';
import { registerCompression } from './compression/compression.ts';
import { addVary } from './conditional.ts';
import type { HttpDeps, Server } from './deps.ts';
import { toErrorBody, translateError } from './errors.ts';
import { refuseInboundTrigger } from './inbound-trigger.ts';
import { createLimits, type Limits } from './limits.ts';
import { ROUTER_OPTIONS, registerMethodNotAllowed } from './method-not-allowed.ts';
import { createNodeServer, drain, getRequestId } from './node-server.ts';
import { createMetrics, type Metrics } from './observation/metrics.ts';
import { RequestObserver } from './observation/request-log.ts';
import { registerScopes } from './observation/request-scope.ts';
import { registerOpenStreams } from './open-streams.ts';
import { registerOpenApi } from './openapi.ts';
import { sendErrorPage, wantsPage } from './pages/page-responses.ts';
import { registerResponseLimit, registerResponseMemory } from './response-limits.ts';
import { type McpHandler, registerMcp } from './routes/mcp.ts';
import { registerOAuth } from './routes/oauth/endpoints.ts';
import { ROUTES, WORKER_ROUTES } from './routes.ts';
import { discardBody, sendContinue } from './unread-body.ts';
import { createValidator } from './validation.ts';

const CORS = {
  origin: '*',
  exposedHeaders: [
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
  ],
  maxAge: 86_400,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  strictPreflight: false,
};

/** Handlers of other protocols, which this folder does not import. */
export interface Mounts {
  readonly mcp: McpHandler;
  /** undefined if OAuth is off. */
  readonly oauth: OAuthMount | undefined;
}

/** Builds the server without listening. Requests pass: id → CORS → access → limits → body → schema → route. */
export async function createServer(deps: HttpDeps, mounts: Mounts): Promise<Server> {
  const limits = createLimits(deps);
  const metrics = createMetrics(deps);
  const server = createInstance(deps, limits, metrics);
  server.setValidatorCompiler(createValidator());
  // Responses are sent as the services return them. Response schemas only document.
  server.setSerializerCompiler(() => stringifyJson);
  registerScopes(server, deps.tracer);
  registerBodyParsers(server);
  registerOptionalBodies(server);
  registerCloseSignals(server);
  registerOpenStreams(server, deps);
  server.addHook('preClose', done => {
    drain(server.server);
    done();
  });
  await registerHooks(server, deps, limits);
  registerAccess(server, deps);
  registerAdmission(server, createAuthentication(deps), limits);
  // Runs after the hooks that reject requests.
  server.addHook('preParsing', ({ raw }, reply, _payload, done) => {
    sendContinue(raw, reply.raw);
    done();
  });
  server.setErrorHandler((err, req, reply) => {
    discardBody(req, reply);
    if (req.is404) addVary(reply, 'Accept');
    if (req.is404 && wantsPage(req)) sendErrorPage(err, req, reply);
    else sendError(deps, req, reply, err);
  });
  registerResponseLimit(server);
  registerCompression(server);
  registerResponseMemory(server);
  registerMethodNotAllowed(server);
  const isWorker = deps.settings.ROLE === 'worker';
  if (!isWorker) await registerOpenApi(server, deps);
  for (const register of isWorker ? WORKER_ROUTES : ROUTES) register(server, deps, metrics);
  if (!isWorker) registerMcp(server, deps, limits, mounts.mcp);
  if (!isWorker && mounts.oauth !== undefined) registerOAuth(server, deps, mounts.oauth);
  return server;
}

function createInstance(deps: HttpDeps, limits: Limits, metrics: Metrics): Server {
  const log = deps.log.child({ part: 'http' });
  const addressHeaders = (address: string): Record<string, string> => ({
    'access-control-allow-origin': '*',
    ...toRateHeaders(limits.peekAddress(address)),
  });
  return fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new RequestObserver(log, metrics),
    // A logger per request would be unused, and creating it takes longer than routing.
    childLoggerFactory: logger => logger,
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: deps.settings.TRUST_PROXY,
    genReqId: getRequestId,
    return503OnClosing: false,
    routerOptions: ROUTER_OPTIONS,
    serverFactory: handler =>
      createNodeServer(handler, {
        headersFor: addressHeaders,
        onRejection: (err, status, requestId) => {
          metrics.observeRejection(status);
          log.debug({ err: err.message, status, requestId }, 'a connection was rejected');
        },
      }),
    // The Node server handles these errors first.
    clientErrorHandler: () => undefined,
    frameworkErrors: (err, req, reply) => {
      reply.header('x-request-id', req.id).headers(addressHeaders(req.ip));
      sendError(deps, req, reply, err);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
}

/** Registers the hooks before admission: request id, Host, trigger path and preflights. */
async function registerHooks(server: Server, deps: HttpDeps, limits: Limits): Promise<void> {
  server.addHook('onRequest', (req, reply, done) => {
    reply.header('x-request-id', req.id);
    const fault = findHostFault(req);
    // These requests never reach admission, which sets the headers: this hook rejects a request without a Host, and the
    // CORS hook answers preflights.
    if (fault !== undefined || req.method === 'OPTIONS')
      reply.headers(toRateHeaders(limits.peekAddress(req.ip)));
    done(fault);
  });
  refuseInboundTrigger(server, deps);
  await server.register(cors, CORS);
}

/** Returns an error for HTTP/1.1 requests without a Host (RFC 9112 §3.2). */
function findHostFault({ raw, headers }: FastifyRequest): AppError | undefined {
  if (headers.host !== undefined || raw.httpVersion === '1.0') return undefined;
  return new AppError(
    'invalid_request',
    'The Host header is missing. Send it with the host name of this service.',
  );
}

function sendError(deps: HttpDeps, req: FastifyRequest, reply: FastifyReply, thrown: unknown): void {
  const err = translateError(thrown, req.method);
  if (err.status >= 500) deps.log.error({ err: err.cause ?? err, requestId: req.id }, 'a request failed');
  reply
    .code(err.status)
    .headers(err.headers ?? {})
    .send(toErrorBody(err, req.id));
}
