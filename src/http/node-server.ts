// Creates the Node server under Fastify with its limits, and responds to requests that never reach Fastify.
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../lib/errors.ts';
import { toErrorBody, translateError } from './errors.ts';
import { markAwaitingContinue } from './unread-body.ts';

/** The lifetime of a presigned upload URL, because 100 MB take a while. IDLE_TIMEOUT_MS ends idle connections sooner. */
const REQUEST_TIMEOUT_MS = 900_000;
const HEADERS_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUTS_MS = 2000;
const KEEP_ALIVE_MS = 72_000;
/** The time without a byte in either direction. Longer than the longest silent response (`Prefer: wait`, 60 s). */
const IDLE_TIMEOUT_MS = 120_000;
const HEADERS_MAX_BYTES = 16_384;

export interface RejectionOptions {
  /** Returns the headers of every response to an unauthenticated caller. */
  readonly headersFor: (address: string) => Readonly<Record<string, string>>;
  readonly onRejection: (err: Error, status: number, requestId: string) => void;
}

/** The open connections of each server. */
const connections = new WeakMap<Server, Set<Socket>>();

type RequestHandler = (req: IncomingMessage, res: ServerResponse) => void;
type Exchange = readonly [IncomingMessage, ServerResponse];

/**
 * Creates a server that rejects invalid HTTP, large headers, slow requests and CONNECT with the same error body as all
 * other errors.
 */
export function createNodeServer(handler: RequestHandler, options: RejectionOptions): Server {
  const latestExchanges = new WeakMap<Socket, Exchange>();
  const track: RequestHandler = (req, res) => {
    const [, previous] = latestExchanges.get(req.socket) ?? [];
    latestExchanges.set(req.socket, [req, res]);
    if (previous === undefined || previous.closed) handler(req, res);
    else previous.once('close', () => setImmediate(handlePipelined, req, res));
  };
  // Thousands of pipelined requests arrive in one read. Each waits for the response to the one before it and for another
  // turn of the event loop.
  const handlePipelined: RequestHandler = (req, res) => {
    if (!req.socket.destroyed) handler(req, res);
  };
  const rejectedSockets = new WeakSet<Socket>();
  const reject = (thrown: Error, socket: Socket): void => {
    // Bytes after invalid HTTP have no meaning, so each connection is rejected once.
    if (rejectedSockets.has(socket)) return;
    rejectedSockets.add(socket);
    const [req, res] = latestExchanges.get(socket) ?? [];
    if (isDisconnected(thrown, socket)) socket.destroy();
    else if (req === undefined || res === undefined) sendRaw(socket, thrown, options);
    else if (!req.complete) failBody(req, res, thrown);
    // Send earlier responses first. Otherwise the caller would take this one for the response to an earlier request.
    else if (res.writableFinished) sendRaw(socket, thrown, options);
    else res.once('finish', () => sendRaw(socket, thrown, options));
  };
  const server = createServer(
    {
      maxHeaderSize: HEADERS_MAX_BYTES,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_TIMEOUTS_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // A hook rejects a missing Host with our error body. Node would send none.
      requireHostHeader: false,
    },
    track,
  );
  server.setTimeout(IDLE_TIMEOUT_MS);
  const sockets = new Set<Socket>();
  connections.set(server, sockets);
  server.on('connection', socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('checkExpectation', track);
  server.on('checkContinue', (req, res) => {
    markAwaitingContinue(req);
    track(req, res);
  });
  server.on('connect', (_req, socket) => reject(CONNECT_NOT_SUPPORTED, socket as Socket));
  server.on('clientError', (err, socket) => reject(err, socket as Socket));
  return server;
}

const CONNECT_NOT_SUPPORTED = new AppError('method_not_allowed', 'CONNECT is not supported.', {
  headers: { allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT' },
});

function isDisconnected(err: Error & { code?: string }, socket: Socket): boolean {
  return err.code === 'ECONNRESET' || !socket.writable;
}

/** Makes reading the body fail, unless a response is already being sent. */
function failBody(req: IncomingMessage, res: ServerResponse, err: Error): void {
  // The rest of the body is being discarded.
  if (res.headersSent) {
    req.socket.destroySoon();
    return;
  }
  res.setHeader('connection', 'close');
  if (req.listenerCount('error') > 0) req.emit('error', err);
  else {
    req.on('newListener', name => {
      if (name === 'error') process.nextTick(() => req.emit('error', err));
    });
  }
}

function sendRaw(socket: Socket, thrown: Error, { headersFor, onRejection }: RejectionOptions): void {
  if (!socket.writable) return;
  const err = translateError(thrown);
  const requestId = getRequestId();
  const body = JSON.stringify(toErrorBody(err, requestId));
  const headers = {
    'x-request-id': requestId,
    ...headersFor(socket.remoteAddress ?? ''),
    ...err.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${err.status} ${STATUS_CODES[err.status]}\r\n${head.join('')}\r\n${body}`, () =>
    socket.destroySoon(),
  );
  onRejection(thrown, err.status, requestId);
}

const DRAIN_POLL_MS = 50;
const DRAIN_MS = 30_000;

/**
 * Closes connections as they become idle, and all of them after 30 s, so that stopping the server takes a bounded time.
 */
export function drain(server: Server): void {
  // A server that does not listen has no connections and emits no `close`.
  if (!server.listening) return;
  const poll = setInterval(() => {
    server.closeIdleConnections();
    // Node does not count a connection as idle before its first request. Browsers open such connections in advance.
    for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
  }, DRAIN_POLL_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  server.once('close', () => {
    clearInterval(poll);
    clearTimeout(deadline);
  });
}

/** Returns the caller's X-Request-Id if it is well formed, otherwise a new id. */
export function getRequestId(req?: Pick<IncomingMessage, 'headers'>): string {
  const id = req?.headers['x-request-id'];
  return typeof id === 'string' && /^[A-Za-z0-9._-]{8,128}$/.test(id) ? id : randomUUID();
}
