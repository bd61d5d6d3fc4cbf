// The Node server under Fastify: its limits, and the answers to what never becomes a request of Fastify's.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../lib/errors.ts';
import { errorBody, translateError } from './errors.ts';
import { holdBody } from './expect-continue.ts';
import { requestIdOf } from './observation/request-id.ts';

/** As long as the address of a presigned upload works: 100 MB take a while. Silence ends sooner, see below. */
const REQUEST_TIMEOUT_MS = 900_000;
const HEADERS_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUTS_MS = 2000;
const KEEP_ALIVE_MS = 72_000;
/** Without a byte in either direction: longer than any answer may keep silent (`Prefer: wait`, 60 s). */
const IDLE_TIMEOUT_MS = 120_000;
const HEADERS_MAX_BYTES = 16_384;

export interface RefusalOptions {
  /** What every answer carries, for a caller of whom the address is all that is known. */
  readonly headersFor: (address: string) => Readonly<Record<string, string>>;
  readonly onRefusal: (err: Error, status: number, requestId: string) => void;
}

type Handler = (req: IncomingMessage, res: ServerResponse) => void;
type Exchange = readonly [IncomingMessage, ServerResponse];

/** Answers broken HTTP, over-long headers, slow requests and CONNECT in the form of every other refusal. */
export function createNodeServer(handler: Handler, options: RefusalOptions): Server {
  const newest = new WeakMap<Socket, Exchange>();
  const track: Handler = (req, res) => {
    newest.set(req.socket, [req, res]);
    handler(req, res);
  };
  const refused = new WeakSet<Socket>();
  const refuse = (thrown: Error, socket: Socket): void => {
    // What follows a fault on the wire has no meaning: a connection is refused once.
    if (refused.has(socket)) return;
    refused.add(socket);
    const [req, res] = newest.get(socket) ?? [];
    if (isGone(thrown, socket)) socket.destroy();
    else if (req === undefined || res === undefined) answerRaw(socket, thrown, options);
    else if (!req.complete) breakBody(req, res, thrown);
    // The answers before it come first, or the caller would take this one for theirs.
    else if (res.writableFinished) answerRaw(socket, thrown, options);
    else res.once('finish', () => answerRaw(socket, thrown, options));
  };
  const server = createServer(
    {
      maxHeaderSize: HEADERS_MAX_BYTES,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_TIMEOUTS_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // A missing Host is refused by a hook, in our form, instead of by Node in none.
      requireHostHeader: false,
    },
    track,
  );
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.on('checkExpectation', track);
  server.on('checkContinue', (req, res) => {
    holdBody(req);
    track(req, res);
  });
  server.on('connect', (_req, socket) => refuse(NO_PROXY, socket as Socket));
  server.on('clientError', (err, socket) => refuse(err, socket as Socket));
  return server;
}

const NO_PROXY = new AppError('method_not_allowed', 'This is no proxy: CONNECT leads nowhere from here.', {
  headers: { allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT' },
});

function isGone(err: Error & { code?: string }, socket: Socket): boolean {
  return err.code === 'ECONNRESET' || !socket.writable;
}

/** The fault is in the body of a request whose answer is still to come: it fails the reading of the body. */
function breakBody(req: IncomingMessage, res: ServerResponse, err: Error): void {
  // Answered already, the rest of the body being thrown away.
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

function answerRaw(socket: Socket, thrown: Error, { headersFor, onRefusal }: RefusalOptions): void {
  if (!socket.writable) return;
  const err = translateError(thrown);
  const requestId = requestIdOf();
  const body = JSON.stringify(errorBody(err, requestId));
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
  onRefusal(thrown, err.status, requestId);
}

const DRAIN_POLL_MS = 50;
const DRAIN_MS = 30_000;

/** Closes connections as they fall idle, and after half a minute all of them, so that the server's end is bounded. */
export function drain(server: Server): void {
  // It has no connections, and its end is no event.
  if (!server.listening) return;
  const poll = setInterval(() => server.closeIdleConnections(), DRAIN_POLL_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  server.once('close', () => {
    clearInterval(poll);
    clearTimeout(deadline);
  });
}
