// Applies rate limits to requests: selects the window a request counts in, and sets the rate limit headers.
import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toNetwork } from '../lib/addresses.ts';
import type { AppError } from '../lib/errors.ts';
import type { PlanLimits } from '../lib/settings.ts';
import {
  countExecution,
  getPlanLimits,
  getStartsKey,
  uncountExecution,
} from '../services/accounts/execution-limits.ts';
import { type Allowance, createRateLimitError, toRateHeaders } from '../services/accounts/rate-limits.ts';
import type { Deps } from '../services/deps.ts';

export type LimitKind = 'requests' | 'executions' | 'none';

declare module 'fastify' {
  interface FastifyRequest {
    /** The daily allowance, if the request was counted as a daily execution. */
    dailyUse: Allowance | undefined;
  }
  interface FastifyContextConfig {
    /** The limit that the route counts against. Default: `requests`. */
    limit?: LimitKind;
    /** Whether the route starts a run, which also counts against the daily executions. */
    startsRun?: boolean;
  }
}

const MINUTE_SECONDS = 60;
/** High, because importing a site sends many pages. */
const CONTENT_PER_MINUTE = 600;
/** Identity providers send up to 25 requests a second, for all accounts. */
const SCIM_PER_MINUTE = 1_500;
/** Pages of the application send more requests than API clients and must not use up the limit of the plan. */
const SESSION_PER_MINUTE = 600;

export interface Limits {
  /** Counts the request and sets the headers. Returns a 429 error if the limit is used up. */
  count(req: FastifyRequest, reply: FastifyReply): Promise<AppError | undefined>;
  /** Counts each message of a batch after the first as a request. Throws 429 if the limit is used up. */
  countMessages(req: FastifyRequest, reply: FastifyReply, messages: number): Promise<void>;
  /** Counts a request that starts a run as a daily execution. Throws 429 if the limit is used up. */
  countExecution(req: FastifyRequest): Promise<void>;
  /** Undoes the count of a daily execution if the request did not start a run. */
  uncountUnstarted(req: FastifyRequest, reply: FastifyReply, isReplay: boolean): void;
  /** Returns the allowance of an unauthenticated caller, without counting a request. */
  peekAddress(address: string): Allowance;
}

/** A rate limit for one minute. */
interface RateWindow {
  readonly key: string;
  readonly limit: number;
}

export function createLimits(deps: Deps): Limits {
  const getPlan = (name: string): PlanLimits => getPlanLimits(deps.settings, name);
  return {
    async count(req, reply) {
      const { key, limit } = getWindow(req, getPlan);
      const { limit: kind = 'requests' } = req.routeOptions.config;
      const isFree = kind === 'none' || req.method === 'OPTIONS';
      const allowance = isFree
        ? deps.rateLimiter.peek(key, limit, MINUTE_SECONDS)
        : await deps.rateLimiter.consume(key, limit, MINUTE_SECONDS);
      reply.headers(toRateHeaders(allowance));
      if (allowance.isAllowed) return undefined;
      return createRateLimitError(
        'rate_limited',
        `More than ${limit} ${kind} in a minute`,
        allowance,
        deps.now(),
      );
    },
    async countMessages(req, reply, messages) {
      const { key, limit } = getWindow(req, getPlan);
      for (let extra = 1; extra < messages; extra++) {
        const allowance = await deps.rateLimiter.consume(key, limit, MINUTE_SECONDS);
        reply.headers(toRateHeaders(allowance));
        if (!allowance.isAllowed)
          throw createRateLimitError(
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
        req.dailyUse = await countExecution(deps, actor);
    },
    uncountUnstarted({ dailyUse, actor }, { statusCode }, isReplay) {
      // After a 500, a run may have been started (docs/api.md, Errors), so it stays counted.
      const hasStartedNoRun = isReplay || (statusCode >= 400 && statusCode < 500);
      if (hasStartedNoRun && dailyUse !== undefined && actor.kind === 'user')
        uncountExecution(deps, actor, dailyUse);
    },
    peekAddress: address =>
      deps.rateLimiter.peek(
        `requests:address:${toNetwork(address)}`,
        getPlan('anonymous').requestsPerMinute,
        MINUTE_SECONDS,
      ),
  };
}

/** Returns the user's window, or the window of the client IP address if the credential was rejected and `req.actor` is unset. */
function getWindow(req: FastifyRequest, getPlan: (name: string) => PlanLimits): RateWindow {
  const actor = req.actor as FastifyRequest['actor'] | undefined;
  const { access, limit } = req.routeOptions.config;
  if (actor !== undefined && access === 'content-secret')
    return { key: 'requests:content-secret', limit: CONTENT_PER_MINUTE };
  if (actor !== undefined && access === 'scim') return { key: 'requests:scim', limit: SCIM_PER_MINUTE };
  if (actor?.kind === 'user' && actor.credential.kind === 'session' && limit !== 'executions')
    return { key: `requests:sessions-of:${actor.userId}`, limit: SESSION_PER_MINUTE };
  const caller =
    actor?.kind === 'user' ? `user:${actor.userId}` : `address:${toNetwork(getClientAddress(req))}`;
  const plan = getPlan(actor?.accountPlan ?? 'anonymous');
  return limit === 'executions'
    ? { key: getStartsKey(caller), limit: plan.executionsPerMinute }
    : { key: `requests:${caller}`, limit: plan.requestsPerMinute };
}

/** Returns the IP address of the client, or of the proxy if a trusted proxy forwards an invalid IP address. */
export function getClientAddress(req: FastifyRequest): string {
  return isIP(req.ip) > 0 ? req.ip : (req.socket.remoteAddress ?? '');
}
