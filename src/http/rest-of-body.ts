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
/** For the sender to hear that our side has ended. */
const DRAIN_MS = 1000;

/** Call it before a refusal is sent. */
export function leaveBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (isShort(raw) && !isBodyHeld(raw)) {
    // Fastify closes the connection over each refused body.
    reply.removeHeader('connection');
    return;
  }
  reply.header('connection', 'close');
  drainAtEnd(raw);
}

/** An injected request knows no `complete`. */
function isShort(req: IncomingMessage): boolean {
  if (req.complete || req.readableEnded) return true;
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
