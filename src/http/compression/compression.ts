// Compresses text responses over 1 KB as the caller accepts. Responses to GET with an ETag are compressed once and
// cached. JSON streams are compressed while they are sent. Other streams (media, events) are not compressed.
import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createLru } from '../../lib/lru.ts';
import { addVary } from '../conditional.ts';
import type { Server } from '../deps.ts';
import { type Coding, chooseCoding, toCodedEtag } from './content-coding.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether no cache may store the responses, because they change all the time or contain secrets. */
    isUncacheable?: boolean;
  }
}

const MIN_BYTES = 1024;
const MAX_CACHED_BYTES = 32_000_000;
const TEXT = /^(?:text\/|image\/svg\+xml|application\/(?:json|javascript|xml|[\w.-]+\+(?:json|xml)))/;

// Fast levels: the next higher ones take twice the time to save another tenth.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const GZIP = { level: 3 };

const COMPRESS: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  zstd: body => promisify(zstdCompress)(body),
  br: body => promisify(brotliCompress)(body, BROTLI),
  gzip: body => promisify(gzip)(body, GZIP),
};

const COMPRESSORS: Readonly<Record<Coding, () => Transform>> = {
  zstd: () => createZstdCompress(),
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(GZIP),
};

/** Compresses responses. Must be called before the routes are registered. */
export function registerCompression(server: Server): void {
  const cache = createLru<Buffer>(MAX_CACHED_BYTES);
  const compress = async (
    req: FastifyRequest,
    reply: FastifyReply,
    payload: string | Buffer,
    coding: Coding,
  ) => {
    const etag = reply.getHeader('etag');
    // Responses to other methods may have different bytes with the same ETag.
    const key =
      etag !== undefined && (req.method === 'GET' || req.method === 'HEAD')
        ? `${coding} ${req.url} ${etag}`
        : '';
    const cached = key === '' ? undefined : cache.get(key);
    const body = cached ?? (await COMPRESS[coding](Buffer.from(payload as string)));
    if (key !== '' && cached === undefined) cache.set(key, body, body.length + key.length);
    reply.header('content-encoding', coding).removeHeader('content-length');
    if (typeof etag === 'string') reply.header('etag', toCodedEtag(etag, coding));
    return body;
  };
  server.addHook('onSend', (req, reply, payload, done) => {
    setCacheControl(req, reply);
    if (reply.statusCode === 304) addVary(reply, 'Accept-Encoding');
    const isStream = isJsonStream(reply, payload);
    if (!isStream && !isLongText(reply, payload)) return done(null, payload);
    addVary(reply, 'Accept-Encoding');
    const coding = chooseCoding(req.headers['accept-encoding'] as string | undefined);
    if (coding === undefined) return done(null, payload);
    if (isStream) return done(null, compressStream(reply, payload, coding));
    compress(req, reply, payload, coding).then(
      body => done(null, body),
      (err: Error) => done(err),
    );
  });
}

/** Makes responses of routes with access control private, unless the route set its own Cache-Control. */
function setCacheControl({ routeOptions }: FastifyRequest, reply: FastifyReply): void {
  const { isUncacheable, access } = routeOptions.config;
  if (reply.hasHeader('cache-control')) return;
  if (isUncacheable) reply.header('cache-control', 'no-store');
  else if (access !== 'public') reply.header('cache-control', 'private, no-cache');
}

/**
 * Returns whether the payload is a JSON stream of unknown length, like an exported workflow. Media files have a length.
 */
function isJsonStream(reply: FastifyReply, payload: unknown): payload is Readable {
  return (
    payload instanceof Readable &&
    reply.statusCode === 200 &&
    !reply.hasHeader('content-length') &&
    !reply.hasHeader('content-encoding') &&
    /^application\/json\b/.test(String(reply.getHeader('content-type') ?? ''))
  );
}

function compressStream(reply: FastifyReply, stream: Readable, coding: Coding): Readable {
  reply.header('content-encoding', coding);
  // A failure destroys both streams and the response.
  return pipeline(stream, COMPRESSORS[coding](), () => undefined);
}

function isLongText(reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return false;
  if (payload.length < MIN_BYTES || reply.hasHeader('content-encoding') || reply.statusCode === 206)
    return false;
  return TEXT.test(String(reply.getHeader('content-type') ?? ''));
}
