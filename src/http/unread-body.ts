// Handles bodies that the service does not read: those of callers who wait for 100 Continue, and the rest of the body of a
// rejected request. If the rest is short, Node reads and discards it, and the connection stays open. Otherwise the service
// ends its side of the connection and discards incoming bytes for a second. It does not close the connection immediately,
// because incoming bytes would then reset the connection, and the sender would lose the response.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The largest rest of a body that Node reads to keep the connection open. */
const MAX_REST_BYTES = 65_536;
/** The time for the sender to notice that our side has ended. */
const DRAIN_MS = 1000;

/** Drains the rest of the request's body or closes the connection. Must be called before an error response is sent. */
export function discardBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  // Fastify closes the connection of each request whose body it rejects.
  if (isShort(raw) && !isAwaitingContinue(raw)) reply.removeHeader('connection');
  else reply.header('connection', 'close');
  // A sender with `Connection: close` may still be sending a short rest.
  if (!isRead(raw)) drainAtEnd(raw);
}

/** Returns whether the body was read completely. Injected requests have no `complete`. */
const isRead = (req: IncomingMessage): boolean => req.complete || req.readableEnded;

function isShort(req: IncomingMessage): boolean {
  if (isRead(req)) return true;
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
  return encoding === undefined && Number(length) <= MAX_REST_BYTES;
}

/** Replaces `destroySoon`, which Node calls after the last response and which does not wait for the sender. */
function drainAtEnd({ socket }: { readonly socket: Socket | null }): void {
  // The sender has disconnected.
  if (socket === null) return;
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), DRAIN_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}

const awaitingContinue = new WeakSet<IncomingMessage>();

/** Marks a request whose caller waits for 100 Continue. */
export function markAwaitingContinue(req: IncomingMessage): void {
  awaitingContinue.add(req);
}

/** Sends 100 Continue if the caller waits for it. */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (awaitingContinue.delete(req)) res.writeContinue();
}

/** Returns whether the caller waits for 100 Continue. Then it is unknown whether the body will arrive. */
const isAwaitingContinue = (req: IncomingMessage): boolean => awaitingContinue.has(req);
