// Limits the runs that a visitor of an app may start in a day (UTC). Each name of the visitor is counted.
import type { RunDeps } from '../runs/deps.ts';
import { type Allowance, createRateLimitError } from '../services/accounts/rate-limits.ts';
import type { OpenApp } from './open-app.ts';

type Limited = Pick<OpenApp, 'app' | 'visitor'>;

interface CountedName {
  readonly key: string;
  readonly allowance: Allowance;
}

const DAY_SECONDS = 86_400;

const listKeys = ({ app, visitor }: Limited): readonly string[] =>
  visitor.names.map(name => `app:${app.id}:${name}`);

/** Returns about how many runs are left today; null: any number. */
export function countRunsLeft({ limiter }: RunDeps, open: Limited): number | null {
  const limit = open.app.runs_per_visitor;
  if (limit === null) return null;
  const [key = ''] = listKeys(open);
  return limiter.peek(key, limit, DAY_SECONDS).remaining;
}

/** Counts the run toward the daily runs of each name of the visitor. Throws 429 `app_limit_reached`. */
export async function countRun(deps: RunDeps, open: Limited): Promise<readonly CountedName[]> {
  const limit = open.app.runs_per_visitor;
  if (limit === null) return [];
  const counted: CountedName[] = [];
  for (const key of listKeys(open)) {
    const allowance = await deps.limiter.consume(key, limit, DAY_SECONDS);
    if (!allowance.isAllowed) {
      returnRuns(deps, counted);
      const reason = `You have used your ${limit === 1 ? 'run' : `${limit} runs`} of this app for today`;
      throw createRateLimitError('app_limit_reached', reason, allowance, deps.now());
    }
    counted.push({ key, allowance });
  }
  return counted;
}

/** Undoes `countRun` if nothing was started. */
export function returnRuns({ limiter }: RunDeps, counted: readonly CountedName[]): void {
  for (const { key, allowance } of counted) limiter.returnToken(key, DAY_SECONDS, allowance);
}
