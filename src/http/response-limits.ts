// Limits the responses of all routes: the size of each, and the memory of those that callers have not received yet.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { getWork } from '../lib/work.ts';
import { onClosed } from './close-signal.ts';
import type { Server } from './deps.ts';
import { HeldMemory } from './held-memory.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether responses are sent part by part. All others have at most 16 MB. */
    isStreamed?: boolean;
  }
  interface FastifyReply {
    /** Counts memory of a streamed response until the returned function is called or the response has been sent. */
    holdMemory(bytes: number): () => void;
  }
}

const MAX_BYTES = 16 * 1024 * 1024;
/** The system takes over smaller responses at once. */
const MIN_HELD_BYTES = 200_000;
const MAX_UNSENT_BYTES = 256_000_000;
/** The headers of a refused response, whose error has its own. */
const CONTENT_HEADERS = ['content-type', 'content-length', 'content-disposition', 'etag'];

/** Refuses larger responses, and streams of routes that declare none. Must be called before responses are compressed. */
export function registerResponseLimit(server: Server): void {
  server.addHook('onSend', (req, reply, payload, done) => {
    const problem = findProblem(req, payload);
    if (problem === undefined) return done(null, payload);
    for (const name of CONTENT_HEADERS) reply.removeHeader(name);
    done(problem);
  });
}

function findProblem({ routeOptions, method }: FastifyRequest, payload: unknown): Error | undefined {
  if (payload instanceof Readable) {
    if (routeOptions.config.isStreamed === true) return undefined;
    payload.destroy();
    return new Error(`${method} ${routeOptions.url} sends a stream. Add \`isStreamed\` to its config.`);
  }
  if (getBytes(payload) <= MAX_BYTES) return undefined;
  return new AppError(
    'response_too_large',
    `The response is larger than ${MAX_BYTES / 1024 / 1024} MB. Request fewer items with limit, or read them one by one.`,
  );
}

function getBytes(payload: unknown): number {
  if (typeof payload !== 'string') return Buffer.isBuffer(payload) ? payload.length : 0;
  // A character has at most three bytes.
  return payload.length <= MIN_HELD_BYTES ? payload.length : Buffer.byteLength(payload);
}

/** Counts responses in memory until they have been sent. Must be called after responses are compressed. */
export function registerResponseMemory(server: Server, maxBytes = MAX_UNSENT_BYTES): void {
  const unsentResponses = new HeldMemory(maxBytes);
  const hold = ({ raw }: FastifyReply, bytes: number, body?: object): (() => void) => {
    if (bytes <= MIN_HELD_BYTES) return () => undefined;
    const { account } = getWork();
    const end = (): void => {
      raw.destroy();
      server.log.debug({ account }, 'a response was ended, because too many are not received');
    };
    const release = unsentResponses.add(account, { bytes, body, end });
    onClosed(raw, release);
    return () => {
      raw.off('close', release);
      release();
    };
  };
  server.decorateReply('holdMemory', function holdMemory(bytes) {
    return hold(this, bytes);
  });
  server.addHook('onSend', (_req, reply, payload, done) => {
    // Strings are copied for each connection.
    hold(reply, getBytes(payload), Buffer.isBuffer(payload) ? payload : undefined);
    done(null, payload);
  });
}
