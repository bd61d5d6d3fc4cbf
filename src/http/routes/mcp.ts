// Registers the routes for the MCP endpoint, which check the origin of requests and limit their size and number of
// messages.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { isRecord } from '../../lib/record.ts';
import { requireUser } from '../../services/accounts/actor.ts';
import type { McpCall } from '../../services/accounts/agent-caller.ts';
import type { Deps } from '../../services/deps.ts';
import { onClosed } from '../close-signal.ts';
import type { Server } from '../deps.ts';
import type { Limits } from '../limits.ts';
import { hijackWithHeaders } from '../route.ts';
import { watchAccess } from '../watch-access.ts';

/** Handles one MCP request and writes to the raw response. */
export type McpHandler = (req: IncomingMessage, res: ServerResponse, call: McpCall) => Promise<void>;

const BODY_LIMIT_BYTES = 1_048_576;

/** The MCP library rejects batches with more messages before it reads the messages. */
const MAX_COUNTED_MESSAGES = 100;

export function registerMcp(server: Server, deps: Deps, limits: Limits, serve: McpHandler): void {
  const findCrossSiteError = createRebindingCheck(deps.settings.BASE_URL);
  server.post(
    '/mcp',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: { hide: true },
      // Each tool requires its own scope.
      config: { access: 'agent', inexactNumbers: 'keep' },
      onRequest: (req, _reply, done) => done(findCrossSiteError(req)),
    },
    async (req, reply) => {
      const { raw } = reply;
      const messages = Array.isArray(req.body) ? req.body : [req.body];
      await limits.countMessages(req, reply, Math.min(messages.length, MAX_COUNTED_MESSAGES));
      if (messages.some(isSubscription)) onClosed(raw, req.reserveStream());
      const actor = requireUser(req.actor);
      const stopWatching = watchAccess(
        deps,
        req,
        async () => undefined,
        () => raw.destroy(),
      );
      onClosed(raw, stopWatching);
      const call = {
        actor,
        body: req.body,
        // Fires too when the response is destroyed.
        signal: reply.closeSignal(),
        reserveStream: () => req.reserveStream(),
      };
      hijackWithHeaders(reply);
      await serve(req.raw, raw, call).catch((err: unknown) => {
        req.log.error({ err, requestId: req.id }, 'an MCP request failed');
        endWithError(raw);
      });
    },
  );
}

/** Returns whether the message requests a stream that stays open until its caller disconnects. */
const isSubscription = (message: unknown): boolean =>
  isRecord(message) && message.method === 'subscriptions/listen';

/** Ends a hijacked response, for which Fastify no longer sends errors. */
function endWithError(raw: ServerResponse): void {
  if (raw.headersSent) {
    raw.destroy();
    return;
  }
  const error = { code: -32603, message: 'Something went wrong on our side. Try again in a moment.' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error });
  raw.writeHead(500, { 'content-type': 'application/json' }).end(body);
}

/**
 * Prevents DNS rebinding: another site can make its own host name resolve to this service and send requests from its
 * pages. Such requests have that site as Host or Origin.
 */
function createRebindingCheck(baseUrl: string): (req: FastifyRequest) => AppError | undefined {
  const ownHost = new URL(baseUrl).hostname;
  const isOwnHost = (hostname: string): boolean =>
    hostname === ownHost || hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) > 0;
  return ({ hostname, headers: { origin } }) => {
    if (!isOwnHost(hostname.toLowerCase()))
      return createCrossSiteError(
        `The Host ${hostname} does not match BASE_URL. Send requests to ${ownHost}.`,
      );
    const originHost = origin === undefined ? ownHost : URL.parse(origin)?.hostname;
    if (originHost === undefined || !isOwnHost(originHost))
      return createCrossSiteError('Requests from pages of other sites are not allowed.');
    return undefined;
  };
}

const createCrossSiteError = (message: string): AppError => new AppError('cross_site_request', message);
