// The executions that an account may start in a UTC day, by its plan.
import type { PlanLimits, Settings } from '../../lib/settings.ts';
import type { Deps } from '../deps.ts';
import type { UserActor } from './actor.ts';
import { type Allowance, limitRefusal } from './rate-limits.ts';

const DAY = 86_400;

/** The limits of a plan; one that is no longer there is as the free one. */
export function limitsOf({ plans }: Pick<Settings, 'plans'>, plan: string): PlanLimits {
  return plans[plan] ?? (plans.free as PlanLimits);
}

const keyOf = ({ userId }: UserActor): string => `daily:user:${userId}`;

type LimitDeps = Pick<Deps, 'settings' | 'limiter' | 'now'>;

/** Counts one more. Throws 429 `daily_execution_limit`. */
export async function takeExecution(deps: LimitDeps, actor: UserActor): Promise<Allowance> {
  // A day without a limit is counted too: another plan may come before it is over.
  const limit = limitsOf(deps.settings, actor.plan).executionsPerDay ?? Number.POSITIVE_INFINITY;
  const day = await deps.limiter.take(keyOf(actor), limit, DAY);
  if (day.allowed) return day;
  throw limitRefusal('daily_execution_limit', `More than ${limit} executions today (UTC)`, day, deps.now());
}

/** Where nothing was started after all. */
export function giveBackExecution({ limiter }: LimitDeps, actor: UserActor, taken: Allowance): void {
  limiter.giveBack(keyOf(actor), DAY, taken);
}
