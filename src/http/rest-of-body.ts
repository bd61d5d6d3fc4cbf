// A body that is refused before its end: read on and thrown away, so that its sender lives to read why.
import type { IncomingMessage } from 'node:http';

/** More than this is not waited for: the connection is cut. */
const MAX_REST_BYTES = 67_108_864;
/** What these refuse may have no end, where it does not say how long it is. */
const BROKEN: readonly number[] = [400, 408];
const broken = new WeakSet<IncomingMessage>();

/** The body's rest will never come, or be no body: it is not waited for. */
export function giveUpBody(req: IncomingMessage): void {
  broken.add(req);
}

/**
 * Resolves to true when the body is through. To answer and close while the other side still sends would reset the
 * connection, and the answer be lost; how long it may take is the request timeout's to say.
 */
export function readRest(req: IncomingMessage, status: number): Promise<boolean> {
  if (isThrough(req)) return Promise.resolve(true);
  if (broken.has(req)) return Promise.resolve(false);
  const length = req.headers['content-length'];
  if (length === undefined ? BROKEN.includes(status) : Number(length) > MAX_REST_BYTES)
    return Promise.resolve(false);
  return new Promise(resolve => {
    let bytes = 0;
    const finish = (): void => {
      req.off('data', count).off('end', finish).off('error', finish).off('close', finish);
      resolve(isThrough(req));
    };
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > MAX_REST_BYTES) finish();
    };
    req.on('data', count).on('end', finish).on('error', finish).on('close', finish);
  });
}

/** An injected request knows no `complete`; what has ended sends no event to wait for. */
function isThrough(req: IncomingMessage): boolean {
  return req.complete || req.readableEnded;
}
