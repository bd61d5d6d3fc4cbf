// Conditional GET: an ETag on the way out, 304 where the caller has these bytes already (RFC 9110 §13).
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { plainEtag } from './compression/content-coding.ts';

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
  const known = findMatch(req.headers['if-none-match'], etag);
  // The caller's own ETag: it names the coding that the caller has.
  if (known !== undefined) return reply.code(304).header('etag', known).send();
  return sendJson(reply, text);
}

/** Sends text that is JSON already. */
export function sendJson(reply: FastifyReply, text: string | Readable): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(text);
}

/** The ETag of If-None-Match that names these bytes, in whatever coding; the etag itself for `*`. */
export function findMatch(header: string | undefined, etag: string): string | undefined {
  if (header === undefined) return undefined;
  const candidates = header.split(',').map(candidate => candidate.trim());
  if (candidates.includes('*')) return etag;
  // The comparison is weak: W/ is ignored.
  const plain = (tag: string): string => plainEtag(tag.replace(/^W\//, ''));
  const found = candidates.find(candidate => plain(candidate) === plain(etag));
  return found?.startsWith('W/') && !etag.startsWith('W/') ? etag : found;
}
