// Handles conditional GET (RFC 9110 §13): sends ETags, and 304 if the caller's copy is current.
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toPlainEtag } from './compression/content-coding.ts';

export interface TaggedText {
  /** Bytes save the conversion of text that is sent often. */
  readonly text: string | Buffer;
  readonly etag: string;
}

/** Sends JSON text with its ETag, or 304. */
export function sendCached(
  req: FastifyRequest,
  reply: FastifyReply,
  { text, etag }: TaggedText,
  cacheControl: string,
): FastifyReply {
  reply.header('etag', etag).header('cache-control', cacheControl);
  const matching = findMatchingEtag(req.headers['if-none-match'], etag);
  // Returns the caller's ETag, which includes the content coding of its copy.
  if (matching !== undefined) return reply.code(304).header('etag', matching).send();
  return sendJson(reply, text);
}

/** Sends serialized JSON. */
export function sendJson(reply: FastifyReply, text: string | Buffer | Readable): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(text);
}

/** Adds a request header to Vary: the response depends on it. */
export function addVary(reply: FastifyReply, header: string): void {
  const headers = reply.hasHeader('vary') ? String(reply.getHeader('vary')).split(', ') : [];
  if (!headers.includes(header)) reply.header('vary', [...headers, header].join(', '));
}

/** Returns the ETag in If-None-Match that matches in any content coding, or `etag` itself for `*`. */
export function findMatchingEtag(header: string | undefined, etag: string): string | undefined {
  if (header === undefined) return undefined;
  const candidates = header.split(',').map(candidate => candidate.trim());
  if (candidates.includes('*')) return etag;
  // The comparison is weak: W/ is ignored.
  const stripCoding = (tag: string): string => toPlainEtag(tag.replace(/^W\//, ''));
  const match = candidates.find(candidate => stripCoding(candidate) === stripCoding(etag));
  return match?.startsWith('W/') && !etag.startsWith('W/') ? etag : match;
}
