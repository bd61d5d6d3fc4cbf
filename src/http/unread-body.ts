// Handles bodies that are not read: those that a caller holds back until 100 Continue, and the rest of a rejected
// request. Node reads and discards a short rest, and the connection stays open. Otherwise the connection is closed.
// Closing it while bytes arrive would reset it, and the sender would lose the response. So this side ends the connection
// first, and discards incoming bytes for a moment.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The largest rest of a body that is read to keep the connection. */
const MAX_REST_BYTES = 65_536;
/** The time for the sender to notice that our side has ended. */
const DRAIN_MS = 1000;

/** Drains the rest of the request's body or closes the connection. Must be called before an error response is sent. */
export function discardBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  // Fastify closes the connection of each request whose body it rejects.
  if (isShort(raw) && !isBodyHeld(raw)) reply.removeHeader('connection');
  else reply.header('connection', 'close');
  // Also for a short rest: a sender with `Connection: close` may still be sending.
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
export function markBodyHeld(req: IncomingMessage): void {
  awaitingContinue.add(req);
}

/** Sends 100 Continue if the caller waits for it. */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (awaitingContinue.delete(req)) res.writeContinue();
}

/** Returns whether 100 Continue has not been sent: then it is unknown whether the body will arrive. */
const isBodyHeld = (req: IncomingMessage): boolean => awaitingContinue.has(req);
