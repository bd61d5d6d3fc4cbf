// Refuses the inbound trigger, which is unavailable by design (docs/api.md, Content pages): any method returns 401, or
// 429 past the limit of the address. No authentication takes place.
import { toNetwork } from '../lib/addresses.ts';
import { AppError } from '../lib/errors.ts';
import { createRateLimitError, toRateHeaders } from '../services/accounts/rate-limits.ts';
import type { Deps } from '../services/deps.ts';
import type { App } from './app.ts';
import { getClientAddress } from './limits.ts';

const PATH = /^\/api\/v1\/workflow\/[^/?]+\/trigger\/?(?:\?|$)/;
const REQUESTS_AN_HOUR = 100;
const HOUR = 3600;

/** Registers public triggers. Must come before the hooks that answer preflights, authenticate and count. */
export function registerTrigger(app: App, { limiter, now }: Deps): void {
  app.addHook('onRequest', async (req, reply) => {
    if (!PATH.test(req.url)) return;
    const allowance = await limiter.consume(
      `trigger:${toNetwork(getClientAddress(req))}`,
      REQUESTS_AN_HOUR,
      HOUR,
    );
    reply.headers({ 'access-control-allow-origin': '*', ...toRateHeaders(allowance) });
    if (allowance.isAllowed)
      throw new AppError(
        'unauthorized',
        'Triggers are not available. Start runs with POST /api/v1/workflows/{id}/run.',
        { headers: { 'www-authenticate': 'Bearer' } },
      );
    throw createRateLimitError(
      'rate_limited',
      `More than ${REQUESTS_AN_HOUR} requests in an hour`,
      allowance,
      now(),
    );
  });
}
