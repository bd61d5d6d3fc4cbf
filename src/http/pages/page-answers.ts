// Pages on their way out: the policy that browsers apply to them, conditional requests, and errors a person can read.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../lib/crypto.ts';
import { createLru } from '../../lib/lru.ts';
import { addressTo, type Reader } from '../../pages/document.ts';
import { DRAWING_STYLE_HASH } from '../../pages/flow-drawing.ts';
import { renderMessagePage, renderOutagePage } from '../../pages/message-page.ts';
import { findMatch } from '../conditional.ts';
import { translateError } from '../errors.ts';
import { namesSession } from '../session-cookie.ts';

export interface PageAnswer {
  readonly body: Buffer;
  /** Weak: it names every coding. */
  readonly etag: string;
  readonly contentType: string;
  /** Another policy than pages of this type have. */
  readonly policy?: string;
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

/** As other pages, with the one script that loads the page again. */
const RELOADING = `${POLICIES[HTML]}; script-src 'self'`;

const NOTHING_HERE = 'The address may be mistyped, or what stood here was moved or taken down.';
const TAKES_HTML = /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

export function toAnswer(text: string, contentType: string): PageAnswer {
  const body = Buffer.from(text);
  const etag = `W/"${sha256(body).toString('base64url').slice(0, 22)}"`;
  return { body, contentType, etag };
}

/** Keeps rendered pages up to a weight in bytes, the ones read last. */
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
  const { etag, contentType, body, policy } = forReader(page, req, reply);
  reply.headers({ etag, 'cache-control': cacheControl, ...securityHeaders(contentType, policy) });
  if (findMatch(req.headers['if-none-match'], etag) !== undefined) return reply.code(304).send();
  return reply.header('content-type', contentType).send(body);
}

/** Pages of HTML are in the colours that their reader chose, and lead who is signed in to the application. */
function forReader(page: PageAnswer, req: FastifyRequest, reply: FastifyReply): PageAnswer {
  if (page.contentType !== HTML) return page;
  reply.header('vary', reply.getHeader('vary') ?? 'Cookie');
  const reader = readerOf(req);
  if (reader.theme === undefined && !reader.isSignedIn) return page;
  const etag = `${page.etag.slice(0, -1)}-${reader.theme ?? ''}${reader.isSignedIn ? '-user' : ''}"`;
  return { ...page, etag, body: Buffer.from(addressTo(reader, page.body.toString())) };
}

const readerOf = ({ headers: { cookie } }: FastifyRequest): Reader => ({
  theme: themeOf(cookie),
  isSignedIn: namesSession(cookie),
});

const THEME = /(?:^|;\s*)theme=(light|dark)(?:;|$)/;

/** The theme that the reader chose, by the cookie that the application and the pages share. */
export function themeOf(cookie = ''): Reader['theme'] {
  return THEME.exec(cookie)?.[1] as Reader['theme'];
}

/** Whether the caller asks for a page rather than for JSON: a browser that opens an address. */
export function wantsPage({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && TAKES_HTML.test(headers.accept ?? '');
}

/**
 * Says in a page why there is none. What is our fault goes on to the server's own handler; an outage does not where a
 * person waits for a page, which then loads itself again until the outage has ended.
 */
export function sendErrorPage(thrown: unknown, req: FastifyRequest, reply: FastifyReply): void {
  const err = translateError(thrown, req.method);
  if (err.code === 'unavailable' && wantsPage(req)) {
    req.log.error({ err: err.cause ?? err, requestId: req.id }, 'a page could not be made');
    reply
      .code(err.status)
      .headers({ ...err.headers, 'cache-control': 'no-store', ...securityHeaders(HTML, RELOADING) })
      .header('content-type', HTML)
      .send(addressTo(readerOf(req), renderOutagePage(err.message)));
    return;
  }
  if (err.status >= 500) {
    reply.send(thrown);
    return;
  }
  reply
    .code(err.status)
    .headers({ ...err.headers, 'cache-control': 'no-cache', ...securityHeaders(HTML), 'content-type': HTML })
    .send(addressTo(readerOf(req), renderMessagePage(err.status, req.is404 ? NOTHING_HERE : err.message)));
}

function securityHeaders(contentType: string, policy = POLICIES[contentType]): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    ...(policy === undefined ? {} : { 'content-security-policy': policy }),
  };
}
