// The executions that an account may start in a UTC day and in a minute, by its plan.
import type { PlanLimits, Settings } from '../../lib/settings.ts';
import type { Deps } from '../deps.ts';
import type { UserActor } from './actor.ts';
import { type Allowance, rateLimitError } from './rate-limits.ts';

const DAY = 86_400;
const MINUTE = 60;

/** The limits of a plan; one that is no longer there is as the free one. */
export function getPlanLimits({ plans }: Pick<Settings, 'plans'>, plan: string): PlanLimits {
  return plans[plan] ?? (plans.free as PlanLimits);
}

const keyOf = ({ userId }: UserActor): string => `daily:user:${userId}`;

type LimitDeps = Pick<Deps, 'settings' | 'limiter' | 'now'>;

/** Counts one more. Throws 429 `daily_execution_limit`. */
export async function takeExecution(deps: LimitDeps, actor: UserActor): Promise<Allowance> {
  // A day without a limit is counted too: another plan may come before it is over.
  const limit = getPlanLimits(deps.settings, actor.plan).executionsPerDay ?? Number.POSITIVE_INFINITY;
  const day = await deps.limiter.take(keyOf(actor), limit, DAY);
  if (day.allowed) return day;
  throw rateLimitError('daily_execution_limit', `More than ${limit} executions today (UTC)`, day, deps.now());
}

/** The window of a minute in which the starts of a user, or of an address, are counted. */
export const startsKey = (who: string): string => `executions:${who}`;

/** Counts a start that is not a request of its own over REST in its minute. Throws 429 `rate_limited`. */
export async function takeStart({ limiter, settings, now }: LimitDeps, actor: UserActor): Promise<void> {
  const { executionsPerMinute: limit } = getPlanLimits(settings, actor.plan);
  const minute = await limiter.take(startsKey(`user:${actor.userId}`), limit, MINUTE);
  if (!minute.allowed)
    throw rateLimitError('rate_limited', `More than ${limit} executions in a minute`, minute, now());
}

/** Where nothing was started after all. */
export function giveBackExecution({ limiter }: LimitDeps, actor: UserActor, taken: Allowance): void {
  limiter.giveBack(keyOf(actor), DAY, taken);
}
