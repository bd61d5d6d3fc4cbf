// Rate limits as a request meets them: which window it counts in, and the headers that every answer carries.
import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../lib/addresses.ts';
import type { AppError } from '../lib/errors.ts';
import type { PlanLimits } from '../lib/settings.ts';
import {
  giveBackExecution,
  limitsOf,
  startsKey,
  takeExecution,
} from '../services/accounts/daily-executions.ts';
import { type Allowance, limitRefusal, rateHeaders } from '../services/accounts/rate-limits.ts';
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
  }
}

const MINUTE = 60;
/** A site's import sends page after page. */
const CONTENT_PER_MINUTE = 600;
/** Pages ask for more than programs do, and must not use up what the plan leaves to those. */
const SESSION_PER_MINUTE = 600;

export interface Limits {
  /** Counts the request and sets the headers. Resolves to 429 where the limit is used up. */
  count(req: FastifyRequest, reply: FastifyReply): Promise<AppError | undefined>;
  /** Counts what a request carries beyond the first: each message as a request. Throws 429 where the limit is used up. */
  countMessages(req: FastifyRequest, reply: FastifyReply, messages: number): Promise<void>;
  /** Counts a request that starts a run among the day's. Throws 429 where the limit is used up. */
  countExecution(req: FastifyRequest): Promise<void>;
  /** Takes back what a request counted as an execution, where none came of it. */
  settle(req: FastifyRequest, reply: FastifyReply, replayed: boolean): void;
  /** The windows of a caller who is known by address only. */
  peekAddress(address: string): Allowance;
}

/** A window of a minute: whose, and how much goes into it. */
interface Window {
  readonly key: string;
  readonly limit: number;
}

export function createLimits(deps: Deps): Limits {
  const planOf = (name: string): PlanLimits => limitsOf(deps.settings, name);
  return {
    async count(req, reply) {
      const { key, limit } = windowOf(req, planOf);
      const { limit: kind = 'requests' } = req.routeOptions.config;
      const isFree = kind === 'none' || req.method === 'OPTIONS';
      const allowance = isFree
        ? deps.limiter.peek(key, limit, MINUTE)
        : await deps.limiter.take(key, limit, MINUTE);
      reply.headers(rateHeaders(allowance));
      if (allowance.allowed) return undefined;
      return limitRefusal('rate_limited', `More than ${limit} ${kind} in a minute`, allowance, deps.now());
    },
    async countMessages(req, reply, messages) {
      const { key, limit } = windowOf(req, planOf);
      for (let counted = 1; counted < messages; counted++) {
        const allowance = await deps.limiter.take(key, limit, MINUTE);
        reply.headers(rateHeaders(allowance));
        if (!allowance.allowed)
          throw limitRefusal(
            'rate_limited',
            `More than ${limit} messages in a minute`,
            allowance,
            deps.now(),
          );
      }
    },
    async countExecution(req) {
      const { actor } = req;
      if (req.routeOptions.config.startsRun && actor.kind === 'user')
        req.dailyUse = await takeExecution(deps, actor);
    },
    settle({ dailyUse, actor }, { statusCode }, replayed) {
      // A 500 may have started a run (docs/api.md, Errors): it stays counted.
      const startedNone = replayed || (statusCode >= 400 && statusCode < 500);
      if (startedNone && dailyUse !== undefined && actor.kind === 'user')
        giveBackExecution(deps, actor, dailyUse);
    },
    peekAddress: address =>
      deps.limiter.peek(
        `requests:address:${networkOf(address)}`,
        planOf('anonymous').requestsPerMinute,
        MINUTE,
      ),
  };
}

/** Of the credential's owner; `req.actor` is unset where it was refused: that attempt counts against the address. */
function windowOf(req: FastifyRequest, planOf: (name: string) => PlanLimits): Window {
  const actor = req.actor as FastifyRequest['actor'] | undefined;
  const { access, limit } = req.routeOptions.config;
  if (actor !== undefined && access === 'content-secret')
    return { key: 'requests:content-secret', limit: CONTENT_PER_MINUTE };
  if (actor?.kind === 'user' && actor.credential.kind === 'session' && limit !== 'executions')
    return { key: `requests:sessions-of:${actor.userId}`, limit: SESSION_PER_MINUTE };
  const who = actor?.kind === 'user' ? `user:${actor.userId}` : `address:${networkOf(addressOf(req))}`;
  const plan = planOf(actor?.plan ?? 'anonymous');
  return limit === 'executions'
    ? { key: startsKey(who), limit: plan.executionsPerMinute }
    : { key: `requests:${who}`, limit: plan.requestsPerMinute };
}

/** Where a trusted proxy hands on what is no address, the proxy's own counts. */
export function addressOf(req: FastifyRequest): string {
  return isIP(req.ip) > 0 ? req.ip : (req.socket.remoteAddress ?? '');
}
