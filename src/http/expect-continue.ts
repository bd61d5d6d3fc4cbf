// Handles `Expect: 100-continue`: the caller sends its body after 100 Continue, which is sent when the request is admitted.
import type { IncomingMessage, ServerResponse } from 'node:http';

const waiting = new WeakSet<IncomingMessage>();

/** Marks a request whose caller waits for 100 Continue. */
export function holdBody(req: IncomingMessage): void {
  waiting.add(req);
}

/** Sends 100 Continue if the caller waits for it. */
export function askForBody(req: IncomingMessage, res: ServerResponse): void {
  if (waiting.delete(req)) res.writeContinue();
}

/** Whether 100 Continue has not been sent: then it is unknown whether the body will arrive. */
export const isBodyHeld = (req: IncomingMessage): boolean => waiting.has(req);
