// What several pages say about runs.
import { useQuery } from '@tanstack/react-query';
import type { ListedExecution } from '../../sdk/src/types.ts';
import { api } from './api.ts';

const MOVING_MS = 3000;
const QUIET_MS = 20_000;
/** Names of so many workflows are looked up at once; a run of any other shows its workflow's id. */
const NAMES = 200;

/** How soon a list of runs is read again: soon while one of them goes on. */
export function againAfterMs(runs: readonly Pick<ListedExecution, 'finishedAt'>[]): number {
  return runs.some(({ finishedAt }) => finishedAt === null) ? MOVING_MS : QUIET_MS;
}

/** From its start to its end, or to now; null where it has not begun. */
export function durationMs(
  { startedAt, finishedAt }: { readonly startedAt: string | null; readonly finishedAt: string | null },
  now = Date.now(),
): number | null {
  if (startedAt === null) return null;
  return Math.max(0, (finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
}

/** The names of the newest workflows, by id. */
export function useWorkflowNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['/workflows', 'names'],
    queryFn: ({ signal }) =>
      api.get<readonly { id: string; name: string }[]>('/workflows', { query: { limit: NAMES }, signal }),
    staleTime: 60_000,
    select: workflows => new Map(workflows.map(({ id, name }) => [id, name])),
  });
  return data ?? new Map();
}
