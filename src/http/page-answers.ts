// Pages on their way out: the policy that browsers hold them to, conditional requests, and errors a person can read.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../lib/crypto.ts';
import { createLru } from '../lib/lru.ts';
import { DRAWING_STYLE_HASH } from '../pages/flow-drawing.ts';
import { renderMessagePage } from '../pages/message-page.ts';
import { matches } from './conditional.ts';
import { translateError } from './errors.ts';

export interface PageAnswer {
  readonly body: Buffer;
  readonly etag: string;
  readonly contentType: string;
}

export interface PageCache {
  /** What was made under the key, or what `make` makes now. A key must name all that the answer depends on. */
  get(key: string, make: () => Promise<PageAnswer>): Promise<PageAnswer>;
}

export const HTML = 'text/html; charset=utf-8';
export const SVG = 'image/svg+xml; charset=utf-8';
const MAX_CACHED_BYTES = 64_000_000;

// Nothing runs. Pictures and videos come from wherever an author found them; the one inline style is the drawing's.
const POLICIES: Readonly<Record<string, string>> = {
  [HTML]: [
    "default-src 'none'",
    `style-src 'self' '${DRAWING_STYLE_HASH}'`,
    "img-src 'self' https: http:",
    "media-src 'self' https: http:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  [SVG]: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

export function toAnswer(text: string, contentType: string): PageAnswer {
  const body = Buffer.from(text);
  return { body, contentType, etag: `"${sha256(body).toString('base64url').slice(0, 22)}"` };
}

/** Holds rendered pages up to a weight in bytes, the ones read last. */
export function createPageCache(): PageCache {
  const kept = createLru<PageAnswer>(MAX_CACHED_BYTES);
  return {
    async get(key, make) {
      const found = kept.get(key);
      if (found !== undefined) return found;
      const made = await make();
      kept.set(key, made, made.body.length);
      return made;
    },
  };
}

/** Sends the page, or 304. */
export function sendPage(
  req: FastifyRequest,
  reply: FastifyReply,
  page: PageAnswer,
  cacheControl: string,
): FastifyReply {
  reply.headers({ etag: page.etag, 'cache-control': cacheControl, ...securityHeaders(page.contentType) });
  if (matches(req.headers['if-none-match'], page.etag)) return reply.code(304).send();
  return reply.header('content-type', page.contentType).send(page.body);
}

/** Says in a page why there is none; what is our fault goes on to the server's own handler, which logs it. */
export function sendErrorPage(thrown: unknown, _req: FastifyRequest, reply: FastifyReply): void {
  const err = translateError(thrown);
  if (err.status >= 500) {
    reply.send(thrown);
    return;
  }
  reply
    .code(err.status)
    .headers({ ...err.headers, 'cache-control': 'no-cache', ...securityHeaders(HTML), 'content-type': HTML })
    .send(renderMessagePage(err.status, err.message));
}

function securityHeaders(contentType: string): Record<string, string> {
  const policy = POLICIES[contentType];
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    ...(policy === undefined ? {} : { 'content-security-policy': policy }),
  };
}
