// Computes polling intervals and durations of runs, and reads the names of their workflows.
import { useQuery } from '@tanstack/react-query';
import type { ListedExecution } from '../../sdk/src/types.ts';
import { apiQuery } from './queries.ts';

const ACTIVE_POLL_MS = 3000;
const IDLE_POLL_MS = 20_000;
/** Maximum number of workflow names to read. Runs of other workflows show the workflow id. */
const MAX_NAMES = 200;

/** Returns the polling interval of a list of runs: short while one of them is in progress. */
export function getPollIntervalMs(runs: readonly Pick<ListedExecution, 'finishedAt'>[]): number {
  return runs.some(({ finishedAt }) => finishedAt === null) ? ACTIVE_POLL_MS : IDLE_POLL_MS;
}

/** Returns the time from start to end, or to now; null before the start. */
export function getDurationMs(
  { startedAt, finishedAt }: { readonly startedAt: string | null; readonly finishedAt: string | null },
  now = Date.now(),
): number | null {
  if (startedAt === null) return null;
  return Math.max(0, (finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
}

/** Reads the names of the newest workflows, by id. */
export function useWorkflowNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    ...apiQuery(['/workflows'], { limit: MAX_NAMES }),
    staleTime: 60_000,
    select: workflows => new Map(workflows.map(({ id, name }) => [id, name])),
  });
  return data ?? new Map();
}
