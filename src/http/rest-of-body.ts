// A refused request whose body is still on its way: it is answered at once, and what is left of the body is not kept.
// Little that is left Node reads and drops by itself, and the connection serves on. Of more, or of unknown length, the
// connection is closed; but to close while bytes arrive resets it, and the sender would lose the answer. So our side
// ends first, and what still comes is dropped for a moment.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isBodyHeld } from './expect-continue.ts';

/** The rest of a body that is worth reading to keep a connection. */
const MAX_REST_BYTES = 65_536;
/** So that the sender learns that our side has ended. */
const DRAIN_MS = 1000;

/** Call it before a refusal is sent. */
export function leaveBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  // Fastify closes the connection over each refused body.
  if (isShort(raw) && !isBodyHeld(raw)) reply.removeHeader('connection');
  else reply.header('connection', 'close');
  // A sender that asked for the end of the connection may still be sending too, however little.
  if (!isRead(raw)) drainAtEnd(raw);
}

/** An injected request knows no `complete`. */
const isRead = (req: IncomingMessage): boolean => req.complete || req.readableEnded;

function isShort(req: IncomingMessage): boolean {
  if (isRead(req)) return true;
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
  return encoding === undefined && Number(length) <= MAX_REST_BYTES;
}

/** Node ends the connection of a last answer by `destroySoon`, which does not wait for the other side. */
function drainAtEnd({ socket }: { readonly socket: Socket | null }): void {
  // The sender has broken off.
  if (socket === null) return;
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), DRAIN_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
