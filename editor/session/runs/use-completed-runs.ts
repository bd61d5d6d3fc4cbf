// Reads the newest completed runs of a workflow that are not of its app.
import { useQuery } from '@tanstack/react-query';
import type { ListedExecution } from '../../../sdk/src/types.ts';
import { apiQuery } from '../../lib/queries.ts';

const MAX_RUNS = 20;

/** Runs of the app belong to its visitors. Returns undefined until the runs are loaded. */
export function useCompletedRuns(workflowId: string): readonly ListedExecution[] | undefined {
  const { data } = useQuery({
    ...apiQuery(['/workflows', workflowId, 'executions'], {
      limit: MAX_RUNS,
      status: 'COMPLETED',
    }),
    staleTime: 0,
  });
  return data?.data.filter(({ trigger }) => trigger !== 'app');
}
