// Conditional GET: an ETag on the way out, 304 where the caller has these bytes already (RFC 9110 §13).
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface TaggedText {
  readonly text: string;
  readonly etag: string;
}

/** Sends JSON text under its ETag, or 304. */
export function sendCached(
  req: FastifyRequest,
  reply: FastifyReply,
  { text, etag }: TaggedText,
  cacheControl: string,
): FastifyReply {
  reply.header('etag', etag).header('cache-control', cacheControl);
  if (matches(req.headers['if-none-match'], etag)) return reply.code(304).send();
  return sendJson(reply, text);
}

/** Sends text that is JSON already. */
export function sendJson(reply: FastifyReply, text: string | Readable): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(text);
}

/** Whether If-None-Match names the etag. */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  // The comparison is weak: W/ is ignored.
  return header
    .split(',')
    .some(candidate => candidate.trim().replace(/^W\//, '') === etag || candidate.trim() === '*');
}
