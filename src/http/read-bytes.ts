// Reads the body of a request into one buffer.

import type { IncomingMessage } from 'node:http';
import { errorCodes, type FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { HeldMemory } from './held-memory.ts';

const FIRST_BYTES = 16_384;
/** The memory of all bodies that are arriving. */
const MAX_HELD_BYTES = 256_000_000;

const arrivingBodies = new HeldMemory(MAX_HELD_BYTES);

/** Reads a body under the limits of `readHeldBytes`. Can be passed to Fastify as a parser. */
export const readBytes = (req: FastifyRequest, payload: IncomingMessage): Promise<Buffer> =>
  readHeldBytes(req, payload, arrivingBodies);

/**
 * Returns the bytes, at most the body limit of the route. Fastify's own reader keeps a buffer for each chunk, of which a body
 * may have one per byte. Fails with the errors that Fastify has for bodies, and with 503 `unavailable` if all bodies take too
 * much memory and those of this account the most.
 */
export function readHeldBytes(
  { routeOptions, headers, work }: FastifyRequest,
  payload: IncomingMessage,
  held: HeldMemory,
): Promise<Buffer> {
  const limit = routeOptions.bodyLimit;
  const declared = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  if (declared !== undefined && declared > limit)
    return Promise.reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
  return new Promise((resolve, reject) => {
    let bytes = Buffer.allocUnsafe(Math.min(declared ?? FIRST_BYTES, FIRST_BYTES));
    let length = 0;
    let isEnded = false;
    let release = (): void => undefined;
    const end = (err?: Error): void => {
      isEnded = true;
      payload.off('data', add).off('end', end).off('error', end);
      release();
      if (err !== undefined) reject(Object.assign(err, { statusCode: getStatus(err) }));
      else if (declared !== undefined && declared !== length)
        reject(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
      else resolve(bytes.subarray(0, length));
    };
    const add = (chunk: Buffer): void => {
      const total = length + chunk.length;
      if (total > limit) {
        end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
        return;
      }
      if (total > bytes.length) {
        const longer = Buffer.allocUnsafe(Math.min(limit, Math.max(2 * bytes.length, total)));
        release();
        release = held.add(work.account, { bytes: longer.length, end: () => end(createCrowdedError()) });
        // This body may be the one that was ended.
        if (isEnded) return;
        bytes.copy(longer, 0, 0, length);
        bytes = longer;
      }
      chunk.copy(bytes, length);
      length = total;
    };
    payload.on('data', add).on('end', end).on('error', end).resume();
  });
}

const createCrowdedError = (): AppError =>
  new AppError(
    'unavailable',
    'Too many large bodies are arriving at once. Send fewer at the same time, and this one again in a few seconds.',
    { headers: { connection: 'close' } },
  );

/** An error of the connection is one of the request. */
function getStatus(err: Error & { readonly statusCode?: unknown }): number {
  return typeof err.statusCode === 'number' && err.statusCode >= 400 ? err.statusCode : 400;
}
