// Checks that requests with a session cookie come from this service's own pages (CSRF): browsers also add the cookie to
// requests of other sites.
import type { FastifyRequest } from 'fastify';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether the session cookie of a request may be used. Only browsers set these headers, and pages cannot change them. */
export function createSiteCheck(baseUrl: string): (req: FastifyRequest) => boolean {
  const { origin } = new URL(baseUrl);
  return ({ method, headers }) =>
    SAFE.has(method) || headers['sec-fetch-site'] === 'same-origin' || headers.origin === origin;
}
