// Sends pages: security policy, conditional requests, caching, and error pages.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { shortHash } from '../../lib/crypto.ts';
import { createLru } from '../../lib/lru.ts';
import { createSingleFlight } from '../../lib/single-flight.ts';
import type { Asset } from '../../pages/asset.ts';
import { personalize, type Reader } from '../../pages/document.ts';
import { renderMessagePage, renderOutagePage } from '../../pages/message-page.ts';
import { createPolicy } from '../../pages/security-policy.ts';
import { DRAWING_STYLE_HASH } from '../../pages/workflow-drawing.ts';
import { addVary, findMatchingEtag } from '../conditional.ts';
import { hasSessionCookie } from '../cookies.ts';
import type { Server } from '../deps.ts';
import { translateError } from '../errors.ts';

export interface PageResponse {
  readonly body: Buffer;
  /** Weak, because it covers every content encoding. */
  readonly etag: string;
  readonly contentType: string;
  /** Replaces the default policy of the content type. */
  readonly policy?: string;
}

export interface PageCache {
  /** Returns the cached page, or renders and caches it. The key must contain everything that the page depends on. */
  get(key: string, render: () => Promise<PageResponse>): Promise<PageResponse>;
}

export const HTML = 'text/html; charset=utf-8';
export const SVG = 'image/svg+xml; charset=utf-8';
const MAX_CACHED_BYTES = 64_000_000;
/** For files whose path contains a hash of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

// No scripts. Images and videos may come from any host; the only inline style is that of the diagram.
const POLICIES: Readonly<Record<string, string>> = {
  [HTML]: createPolicy({
    'style-src': `'self' '${DRAWING_STYLE_HASH}'`,
    'img-src': "'self' https: http:",
    'media-src': "'self' https: http:",
  }),
  [SVG]: createPolicy({ 'style-src': "'unsafe-inline'" }),
};

/** The policy of pages that reload themselves by script. */
const RELOADING_POLICY = `${POLICIES[HTML]}; script-src 'self'`;

const NOT_FOUND_MESSAGE = 'Check the URL. The page may have been moved or deleted.';
const ACCEPTS_HTML = /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

export function toPageResponse(content: string | Uint8Array, contentType: string): PageResponse {
  const body = Buffer.from(content);
  const etag = `W/"${shortHash(body)}"`;
  return { body, contentType, etag };
}

/** Creates a least-recently-used cache of rendered pages, limited in bytes. Concurrent readers of a page share one rendering. */
export function createPageCache(): PageCache {
  const cache = createLru<PageResponse>(MAX_CACHED_BYTES);
  const renderOnce = createSingleFlight<PageResponse>();
  return {
    get: async (key, render) =>
      cache.get(key) ??
      renderOnce(key, async () => {
        const rendered = await render();
        cache.set(key, rendered, rendered.body.length);
        return rendered;
      }),
  };
}

/** Sends the page, or 304 if the reader already has it. */
export function sendPage(
  req: FastifyRequest,
  reply: FastifyReply,
  page: PageResponse,
  cacheControl: string,
): FastifyReply {
  const { etag, contentType, body, policy } = adaptToReader(page, req, reply);
  reply.headers({ etag, 'cache-control': cacheControl, ...getSecurityHeaders(contentType, policy) });
  if (findMatchingEtag(req.headers['if-none-match'], etag) !== undefined) return reply.code(304).send();
  return reply.header('content-type', contentType).send(body);
}

/** Registers the routes of files that pages load. */
export function registerAssets(server: Server, assets: readonly Asset[]): void {
  for (const { path, content, contentType } of assets) {
    const file = toPageResponse(content, contentType);
    server.get(
      path,
      { config: { access: 'public', limit: 'none' }, errorHandler: sendErrorPage, schema: { hide: true } },
      async (req, reply) => sendPage(req, reply, file, IMMUTABLE),
    );
  }
}

/** Applies the reader's theme and sign-in state to HTML pages. */
function adaptToReader(page: PageResponse, req: FastifyRequest, reply: FastifyReply): PageResponse {
  if (page.contentType !== HTML) return page;
  addVary(reply, 'Cookie');
  const reader = getReader(req);
  if (reader.theme === undefined && !reader.isSignedIn) return page;
  const etag = `${page.etag.slice(0, -1)}-${reader.theme ?? ''}${reader.isSignedIn ? '-user' : ''}"`;
  return { ...page, etag, body: Buffer.from(personalize(reader, page.body.toString())) };
}

const getReader = ({ headers: { cookie } }: FastifyRequest): Reader => ({
  theme: getTheme(cookie),
  isSignedIn: hasSessionCookie(cookie),
});

const THEME = /(?:^|;\s*)theme=(light|dark)(?:;|$)/;

/** Reads the chosen theme from the cookie that the application and the public pages share. */
export function getTheme(cookie = ''): Reader['theme'] {
  return THEME.exec(cookie)?.[1] as Reader['theme'];
}

/** Returns whether the request expects a page rather than JSON, as a browser navigation does. */
export function wantsPage({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && ACCEPTS_HTML.test(headers.accept ?? '');
}

/**
 * Sends an error page for 4xx errors, and for an outage if a browser expects a page. The outage page reloads itself until
 * the outage ends. Passes other 5xx errors to the server's error handler.
 */
export function sendErrorPage(thrown: unknown, req: FastifyRequest, reply: FastifyReply): void {
  const err = translateError(thrown, req.method);
  if (err.status < 500 || err.code === 'unavailable') addVary(reply, 'Cookie');
  if (err.code === 'unavailable' && wantsPage(req)) {
    req.log.error({ err: err.cause ?? err, requestId: req.id }, 'failed to render a page');
    reply
      .code(err.status)
      .headers({ ...err.headers, 'cache-control': 'no-store', ...getSecurityHeaders(HTML, RELOADING_POLICY) })
      .header('content-type', HTML)
      .send(personalize(getReader(req), renderOutagePage(err.message)));
    return;
  }
  if (err.status >= 500) {
    reply.send(thrown);
    return;
  }
  if (err.status === 401 && isSignedOutBrowser(req)) {
    addVary(reply, 'Accept');
    reply.header('cache-control', 'no-store').redirect(`/sign-in?next=${encodeURIComponent(req.url)}`);
    return;
  }
  reply
    .code(err.status)
    .headers({
      ...err.headers,
      'cache-control': 'no-cache',
      ...getSecurityHeaders(HTML),
      'content-type': HTML,
    })
    .send(personalize(getReader(req), renderMessagePage(err.status, toPageMessage(err, req), req.url)));
}

/** A refused credential is not sent to the sign-in page, which would refuse it too. */
const isSignedOutBrowser = (req: FastifyRequest): boolean =>
  wantsPage(req) && !hasSessionCookie(req.headers.cookie) && req.headers.authorization === undefined;

/** Returns the message for a browser, to which API messages about URLs and credentials do not apply. */
function toPageMessage(
  { status, message }: ReturnType<typeof translateError>,
  { is404 }: FastifyRequest,
): string {
  if (is404) return NOT_FOUND_MESSAGE;
  return status === 401 ? 'Sign in to view this page.' : message;
}

function getSecurityHeaders(contentType: string, policy = POLICIES[contentType]): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    ...(policy === undefined ? {} : { 'content-security-policy': policy }),
  };
}
