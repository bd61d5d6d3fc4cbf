// Rate limits as a request meets them: which window it counts in, and the headers that every answer carries.
import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../lib/addresses.ts';
import { AppError } from '../lib/errors.ts';
import type { PlanLimits } from '../lib/settings.ts';
import type { Allowance } from '../services/accounts/rate-limits.ts';
import type { Deps } from '../services/deps.ts';

export type LimitKind = 'requests' | 'executions' | 'none';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where the request was counted as one of the day's executions. */
    dailyUse: Allowance | undefined;
  }
  interface FastifyContextConfig {
    /** The window that the route counts in; default `requests`. */
    limit?: LimitKind;
    /** Starts a run: counts against the daily executions too. */
    startsRun?: boolean;
    /** `none`: the Authorization header is not ours to read. */
    authentication?: 'none';
  }
}

const MINUTE = 60;
const DAY = 86_400;

export interface Limits {
  /** Counts the request and sets the headers. Throws 429. */
  admit(req: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Takes back what a request counted as an execution, where none came of it. */
  settle(req: FastifyRequest, reply: FastifyReply, replayed: boolean): void;
  /** The windows of a caller who is known by address only. */
  peekAddress(address: string): Allowance;
}

export function createLimits(deps: Deps): Limits {
  const planOf = (name: string): PlanLimits =>
    deps.settings.plans[name] ?? (deps.settings.plans.free as PlanLimits);
  return {
    async admit(req, reply) {
      // Unset where the key was refused: that attempt counts against the address.
      const actor = req.actor as FastifyRequest['actor'] | undefined;
      const who = actor?.kind === 'user' ? `user:${actor.userId}` : addressOf(req);
      const plan = planOf(actor?.plan ?? 'anonymous');
      const { limit: kind = 'requests', startsRun = false } = req.routeOptions.config;
      const limit = kind === 'executions' ? plan.executionsPerMinute : plan.requestsPerMinute;
      const key = `${kind === 'executions' ? 'executions' : 'requests'}:${who}`;
      const isFree = kind === 'none' || req.method === 'OPTIONS';
      const allowance = isFree
        ? deps.limiter.peek(key, limit, MINUTE)
        : await deps.limiter.take(key, limit, MINUTE);
      reply.headers(rateHeaders(allowance));
      if (!allowance.allowed)
        throw tooMany(deps, 'rate_limited', `More than ${limit} ${kind} in a minute`, allowance);
      if (startsRun && actor?.kind === 'user') {
        const day = await deps.limiter.take(dailyKey(actor.userId), perDayOf(plan), DAY);
        if (!day.allowed)
          throw tooMany(
            deps,
            'daily_execution_limit',
            `More than ${plan.executionsPerDay} executions today (UTC)`,
            day,
          );
        req.dailyUse = day;
      }
    },
    settle({ dailyUse, actor }, { statusCode }, replayed) {
      // A 500 may have started a run (contract, Errors): it stays counted.
      const startedNone = replayed || (statusCode >= 400 && statusCode < 500);
      if (startedNone && dailyUse !== undefined && actor.kind === 'user')
        deps.limiter.giveBack(dailyKey(actor.userId), DAY, dailyUse);
    },
    peekAddress: address =>
      deps.limiter.peek(
        `requests:address:${networkOf(address)}`,
        planOf('anonymous').requestsPerMinute,
        MINUTE,
      ),
  };
}

/** A day without a limit is counted too: another plan may come before it is over. */
const perDayOf = (plan: PlanLimits): number => plan.executionsPerDay ?? Number.POSITIVE_INFINITY;

const dailyKey = (userId: number): string => `daily:user:${userId}`;

/** Where a trusted proxy hands on what is no address, the proxy's own counts. */
function addressOf(req: FastifyRequest): string {
  return `address:${networkOf(isIP(req.ip) > 0 ? req.ip : (req.socket.remoteAddress ?? ''))}`;
}

export function rateHeaders(allowance: Allowance): Record<string, string> {
  return {
    'x-ratelimit-limit': String(allowance.limit),
    'x-ratelimit-remaining': String(allowance.remaining),
    'x-ratelimit-reset': String(allowance.reset),
  };
}

// The contract: retryAfter in the body equals X-RateLimit-Reset, so a 429 shows the window that refused it.
function tooMany(
  deps: Deps,
  code: 'rate_limited' | 'daily_execution_limit',
  what: string,
  allowance: Allowance,
): AppError {
  const seconds = Math.max(1, Math.ceil(allowance.reset - deps.now() / 1000));
  return new AppError(code, `${what}: try again in ${seconds} s.`, {
    details: { retryAfter: allowance.reset },
    headers: { 'retry-after': String(seconds), ...rateHeaders(allowance) },
  });
}
