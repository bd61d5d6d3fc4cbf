// `Expect: 100-continue`: the caller sends its body once we ask for it, which we do after the request was admitted.
import type { IncomingMessage, ServerResponse } from 'node:http';

const waiting = new WeakSet<IncomingMessage>();

/** The caller waits with its body. */
export function holdBody(req: IncomingMessage): void {
  waiting.add(req);
}

/** Asks for the body where the caller waits with it. */
export function askForBody(req: IncomingMessage, res: ServerResponse): void {
  if (waiting.delete(req)) res.writeContinue();
}

/** Whether nobody asked for the body yet: then nobody knows whether it will come. */
export const isBodyHeld = (req: IncomingMessage): boolean => waiting.has(req);
