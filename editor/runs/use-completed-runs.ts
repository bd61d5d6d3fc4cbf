// Reads the newest completed runs of a workflow.
import { useQuery } from '@tanstack/react-query';
import type { ListedExecution } from '../../sdk/src/types.ts';
import { api } from '../lib/api.ts';

const MAX_RUNS = 20;

/** Returns undefined until they are read. */
export function useCompletedRuns(workflowId: string): readonly ListedExecution[] | undefined {
  const { data } = useQuery({
    queryKey: ['/workflows', workflowId, 'executions', 'newest'],
    queryFn: ({ signal }) =>
      api.get<{ data: readonly ListedExecution[] }>(`/workflows/${workflowId}/executions`, {
        query: { limit: MAX_RUNS, status: 'COMPLETED' },
        signal,
      }),
    staleTime: 0,
  });
  return data?.data;
}
