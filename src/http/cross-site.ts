// Requests by cookie that change something must come from this service's own pages: browsers add the cookie to whatever
// a page of another site has them send.
import type { FastifyRequest } from 'fastify';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request with a cookie may be heeded: nothing but a browser sets these headers, and no page can change them. */
export function createSiteCheck(baseUrl: string): (req: FastifyRequest) => boolean {
  const { origin } = new URL(baseUrl);
  return ({ method, headers }) =>
    SAFE.has(method) || headers['sec-fetch-site'] === 'same-origin' || headers.origin === origin;
}
