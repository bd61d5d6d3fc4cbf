// Limits the executions that an account may start per UTC day and per minute, by its plan.
import type { PlanLimits, Settings } from '../../lib/settings.ts';
import type { Deps } from '../deps.ts';
import type { UserActor } from './actor.ts';
import { type Allowance, createRateLimitError } from './rate-limits.ts';

const DAY = 86_400;
const MINUTE = 60;

/** Returns the limits of a plan; an unknown plan has the limits of the free one. */
export function getPlanLimits({ plans }: Pick<Settings, 'plans'>, plan: string): PlanLimits {
  return plans[plan] ?? (plans.free as PlanLimits);
}

const getDailyKey = ({ userId }: UserActor): string => `daily:user:${userId}`;

type LimitDeps = Pick<Deps, 'settings' | 'limiter' | 'now'>;

/** Counts an execution. Throws 429 `daily_execution_limit`. */
export async function countExecution(deps: LimitDeps, actor: UserActor): Promise<Allowance> {
  // Executions without a limit are counted too, because the plan may change before the day ends.
  const limit = getPlanLimits(deps.settings, actor.plan).executionsPerDay ?? Number.POSITIVE_INFINITY;
  const day = await deps.limiter.consume(getDailyKey(actor), limit, DAY);
  if (day.isAllowed) return day;
  throw createRateLimitError(
    'daily_execution_limit',
    `More than ${limit} executions today (UTC)`,
    day,
    deps.now(),
  );
}

/** Returns the key under which the starts of a user or address are counted per minute. */
export const startsKey = (caller: string): string => `executions:${caller}`;

/** Counts a start that is not a REST request toward the limit per minute. Throws 429 `rate_limited`. */
export async function countStart({ limiter, settings, now }: LimitDeps, actor: UserActor): Promise<void> {
  const { executionsPerMinute: limit } = getPlanLimits(settings, actor.plan);
  const minute = await limiter.consume(startsKey(`user:${actor.userId}`), limit, MINUTE);
  if (!minute.isAllowed)
    throw createRateLimitError('rate_limited', `More than ${limit} executions in a minute`, minute, now());
}

/** Undoes `countExecution` if nothing was started. */
export function undoExecution({ limiter }: LimitDeps, actor: UserActor, allowance: Allowance): void {
  limiter.returnToken(getDailyKey(actor), DAY, allowance);
}
