// Limits the runs that a visitor of an app may start in a day (UTC), and those of all visitors together. Each id of the
// visitor has its own count.
import type { RunDeps } from '../runs/deps.ts';
import { type Allowance, createRateLimitError } from '../services/accounts/rate-limits.ts';
import { type CountedUse, countDayUse, uncountDayUse } from './day-limits.ts';
import type { OpenedApp } from './open-app.ts';

type VisitedApp = Pick<OpenedApp, 'app' | 'visitor'>;

interface CountedKey {
  readonly key: string;
  readonly allowance: Allowance;
}

export interface CountedRun {
  readonly keys: readonly CountedKey[];
  readonly day: CountedUse;
}

const DAY_SECONDS = 86_400;

const listKeys = ({ app, visitor }: VisitedApp): readonly string[] =>
  visitor.ids.map(id => `app:${app.id}:${id}`);

/** Returns how many runs each id of the visitor has left today, the fewest of them, or null if there is no limit. */
export async function countRunsLeft({ rateLimiter }: RunDeps, opened: VisitedApp): Promise<number | null> {
  const limit = opened.app.runs_per_visitor;
  return limit === null ? null : rateLimiter.countRemaining(listKeys(opened), limit, DAY_SECONDS);
}

/** Counts the run for each id of the visitor and for the day. Throws 429 `app_limit_reached`. */
export async function countRun(
  deps: RunDeps,
  opened: VisitedApp & Pick<OpenedApp, 'canEdit'>,
): Promise<CountedRun> {
  const keys = await countKeys(deps, opened);
  try {
    return { keys, day: await countDayUse(deps, opened, { runs: 1 }) };
  } catch (err) {
    uncountKeys(deps, keys);
    throw err;
  }
}

async function countKeys(deps: RunDeps, opened: VisitedApp): Promise<readonly CountedKey[]> {
  const limit = opened.app.runs_per_visitor;
  if (limit === null) return [];
  const counts: CountedKey[] = [];
  for (const key of listKeys(opened)) {
    const allowance = await deps.rateLimiter.consume(key, limit, DAY_SECONDS);
    if (!allowance.isAllowed) {
      uncountKeys(deps, counts);
      const reason = `You have used your ${limit === 1 ? 'run' : `${limit} runs`} of this app for today`;
      throw createRateLimitError('app_limit_reached', reason, allowance, deps.now());
    }
    counts.push({ key, allowance });
  }
  return counts;
}

function uncountKeys({ rateLimiter }: RunDeps, counts: readonly CountedKey[]): void {
  for (const { key, allowance } of counts) rateLimiter.returnToken(key, DAY_SECONDS, allowance);
}

/** Undoes `countRun`. */
export async function uncountRun(deps: RunDeps, { keys, day }: CountedRun): Promise<void> {
  uncountKeys(deps, keys);
  await uncountDayUse(deps, day);
}
