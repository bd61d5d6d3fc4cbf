// Rejects requests to the inbound trigger, which is unavailable by design (docs/api.md, Results), before authentication:
// with 401, or with 429 past the limit of the client IP address.
import { toNetwork } from '../lib/addresses.ts';
import { AppError } from '../lib/errors.ts';
import { createRateLimitError, toRateHeaders } from '../services/accounts/rate-limits.ts';
import type { Deps } from '../services/deps.ts';
import type { Server } from './deps.ts';
import { getClientAddress } from './limits.ts';

const PATH = /^\/api\/v1\/workflow\/[^/?]+\/trigger\/?(?:\?|$)/;
const MAX_PER_HOUR = 100;
const HOUR_SECONDS = 3600;

/** Must be called before the hooks that answer preflights, authenticate and count requests are registered. */
export function refuseInboundTrigger(server: Server, { rateLimiter, now }: Deps): void {
  server.addHook('onRequest', async (req, reply) => {
    if (!PATH.test(req.url)) return;
    const allowance = await rateLimiter.consume(
      `trigger:${toNetwork(getClientAddress(req))}`,
      MAX_PER_HOUR,
      HOUR_SECONDS,
    );
    reply.headers({ 'access-control-allow-origin': '*', ...toRateHeaders(allowance) });
    if (allowance.isAllowed)
      throw new AppError(
        'unauthorized',
        'This path starts no runs. Add a webhook trigger to the workflow, or use POST /api/v1/workflows/{id}/run.',
        { headers: { 'www-authenticate': 'Bearer' } },
      );
    throw createRateLimitError(
      'rate_limited',
      `More than ${MAX_PER_HOUR} requests in an hour`,
      allowance,
      now(),
    );
  });
}
