// Text answers over 1 KB compressed as their callers ask. What a GET answers under an ETag is compressed once and kept.
// JSON streams are compressed as they come; other streams (media, events) pass as they are.
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
import type { App } from '../app.ts';
import { type Coding, chooseCoding, codedEtag } from './content-coding.ts';

const MIN_BYTES = 1024;
const MAX_KEPT_BYTES = 32_000_000;
const TEXT = /^(?:text\/|image\/svg\+xml|application\/(?:json|javascript|xml|[\w.-]+\+(?:json|xml)))/;
const PRIVATE = 'private, no-cache';

// Fast levels: the next ones take twice the time for a tenth less.
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

/** Must be called before the routes are registered. */
export function registerCompression(app: App): void {
  const kept = createLru<Buffer>(MAX_KEPT_BYTES);
  const compress = async (
    req: FastifyRequest,
    reply: FastifyReply,
    payload: string | Buffer,
    coding: Coding,
  ) => {
    const etag = reply.getHeader('etag');
    // Answers of other methods may have other bytes under the ETag of the thing they changed.
    const key =
      etag !== undefined && (req.method === 'GET' || req.method === 'HEAD')
        ? `${coding} ${req.url} ${etag}`
        : '';
    const found = key === '' ? undefined : kept.get(key);
    const body = found ?? (await COMPRESS[coding](Buffer.from(payload as string)));
    if (key !== '' && found === undefined) kept.set(key, body, body.length + key.length);
    reply.header('content-encoding', coding).removeHeader('content-length');
    if (typeof etag === 'string') reply.header('etag', codedEtag(etag, coding));
    return body;
  };
  app.addHook('onSend', (req, reply, payload, done) => {
    keepPrivate(req, reply);
    if (reply.statusCode === 304) addVary(reply);
    const isStream = isJsonStream(reply, payload);
    if (!isStream && !isLongText(reply, payload)) return done(null, payload);
    addVary(reply);
    const coding = chooseCoding(req.headers['accept-encoding'] as string | undefined);
    if (coding === undefined) return done(null, payload);
    if (isStream) return done(null, compressStream(reply, payload, coding));
    compress(req, reply, payload, coding).then(
      body => done(null, body),
      (err: Error) => done(err),
    );
  });
}

/** What a credential was asked for is nobody else's; a route that knows better has said so. */
function keepPrivate({ routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (reply.hasHeader('cache-control') || routeOptions.config.access === 'public') return;
  reply.header('cache-control', PRIVATE);
}

/** A text of unknown length that is written piece by piece, like an exported workflow; a media file has a length. */
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
  // A failure destroys both streams, and the answer with them.
  return pipeline(stream, COMPRESSORS[coding](), () => undefined);
}

function isLongText(reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return false;
  if (payload.length < MIN_BYTES || reply.hasHeader('content-encoding') || reply.statusCode === 206)
    return false;
  return TEXT.test(String(reply.getHeader('content-type') ?? ''));
}

function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
}
