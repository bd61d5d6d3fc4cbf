// Limits the executions that an account may start per UTC day and per minute, by its plan.
import type { PlanLimits, Settings } from '../../lib/settings.ts';
import type { Deps } from '../deps.ts';
import type { UserActor } from './actor.ts';
import type { Allowance } from './rate-limits.ts';

const DAY_SECONDS = 86_400;
const MINUTE_SECONDS = 60;

/** Returns the limits of a plan. An unknown plan has the limits of the plan `free`. */
export function getPlanLimits({ plans }: Pick<Settings, 'plans'>, plan: string): PlanLimits {
  return plans[plan] ?? (plans.free as PlanLimits);
}

/** Returns the key under which the executions of a user are counted per day. */
const getDailyKey = ({ userId }: UserActor): string => `daily:user:${userId}`;

type LimitDeps = Pick<Deps, 'settings' | 'rateLimiter'>;

/** Counts an execution. Throws 429 `daily_execution_limit`. */
export function countExecution({ rateLimiter, settings }: LimitDeps, actor: UserActor): Promise<Allowance> {
  // Executions without a limit are counted too, because the plan may change before the day ends.
  const limit = getPlanLimits(settings, actor.accountPlan).executionsPerDay ?? Number.POSITIVE_INFINITY;
  const reason = `More than ${limit} executions today (UTC)`;
  return rateLimiter.requireToken(getDailyKey(actor), limit, DAY_SECONDS, reason, 'daily_execution_limit');
}

/** Returns how many executions the account may still start today (UTC), or undefined if its plan has no limit. */
export async function countRemainingExecutions(
  { rateLimiter, settings }: LimitDeps,
  actor: UserActor,
): Promise<{ readonly remaining: number; readonly limit: number } | undefined> {
  const limit = getPlanLimits(settings, actor.accountPlan).executionsPerDay;
  if (limit === null) return undefined;
  return { remaining: await rateLimiter.countRemaining([getDailyKey(actor)], limit, DAY_SECONDS), limit };
}

/** Returns the key under which the starts of a user or address are counted per minute. */
export const getStartsKey = (caller: string): string => `executions:${caller}`;

/** Counts a start that is not a REST request toward the limit per minute. Throws 429 `rate_limited`. */
export async function countStart({ rateLimiter, settings }: LimitDeps, actor: UserActor): Promise<void> {
  const { executionsPerMinute: limit } = getPlanLimits(settings, actor.accountPlan);
  const key = getStartsKey(`user:${actor.userId}`);
  await rateLimiter.requireToken(key, limit, MINUTE_SECONDS, `More than ${limit} executions in a minute`);
}

/** Undoes `countExecution` if the execution was not started. */
export function uncountExecution({ rateLimiter }: LimitDeps, actor: UserActor, allowance: Allowance): void {
  rateLimiter.returnToken(getDailyKey(actor), DAY_SECONDS, allowance);
}
