// The address that agents call, for both revisions of the Model Context Protocol: who may reach it, and how large a request is.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { isRecord } from '../../lib/record.ts';
import { requireUser, type UserActor } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import type { App } from '../app.ts';
import { onClosed } from '../close-signal.ts';
import type { Limits } from '../limits.ts';

/** A request that was admitted: who calls, and the JSON that was sent. */
export interface McpCall {
  readonly actor: UserActor;
  readonly body: unknown;
  /** Fires when the caller has gone or the service stops. */
  readonly signal: AbortSignal;
  /** Counts a stream of the caller's until the returned function is called. Throws 429 `too_many_streams`. */
  readonly takeStream: () => () => void;
}

/** Answers one request of the protocol on the response itself. */
export type McpMount = (req: IncomingMessage, res: ServerResponse, call: McpCall) => Promise<void>;

const BODY_LIMIT_BYTES = 1_048_576;

/** Of a batch; the protocol's library refuses larger ones before it looks at their messages. */
const MAX_BATCH = 100;

export function registerMcp(app: App, { settings }: Deps, limits: Limits, serve: McpMount): void {
  const fault = createSiteFault(settings.BASE_URL);
  app.post(
    '/mcp',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: { hide: true },
      config: { hasExactNumbers: true },
      onRequest: (req, _reply, done) => done(fault(req)),
    },
    async (req, reply) => {
      const { raw } = reply;
      const messages = Array.isArray(req.body) ? req.body : [req.body];
      await limits.countMessages(req, reply, Math.min(messages.length, MAX_BATCH));
      if (messages.some(isSubscription)) onClosed(raw, req.takeStream());
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) raw.setHeader(name, value);
      const call = {
        actor: requireUser(req.actor),
        body: req.body,
        signal: reply.closeSignal(),
        takeStream: () => req.takeStream(),
      };
      reply.hijack();
      await serve(req.raw, raw, call).catch((err: unknown) => {
        req.log.error({ err, requestId: req.id }, 'a request of the protocol failed');
        endFailed(raw);
      });
    },
  );
}

/** Whether the message asks for a stream that stays open until its caller hangs up. */
const isSubscription = (message: unknown): boolean =>
  isRecord(message) && message.method === 'subscriptions/listen';

/** Nothing else answers on a response that was taken over. */
function endFailed(raw: ServerResponse): void {
  if (raw.headersSent) {
    raw.destroy();
    return;
  }
  const error = { code: -32603, message: 'Something failed on our side. Try again in a moment.' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error });
  raw.writeHead(500, { 'content-type': 'application/json' }).end(body);
}

/**
 * A page of another site may have its own name resolve to this address, and then send what it likes: such requests name
 * that site as Host or Origin.
 */
function createSiteFault(baseUrl: string): (req: FastifyRequest) => AppError | undefined {
  const own = new URL(baseUrl).hostname;
  const isOurs = (hostname: string): boolean =>
    hostname === own || hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) > 0;
  return ({ hostname, headers: { origin } }) => {
    if (!isOurs(hostname.toLowerCase()))
      return refusal(`The Host ${hostname} is not this service: BASE_URL names ${own}.`);
    const page = origin === undefined ? own : URL.parse(origin)?.hostname;
    if (page === undefined || !isOurs(page)) return refusal('A page of another site sent this request.');
    return undefined;
  };
}

const refusal = (message: string): AppError => new AppError('cross_site_request', message);
