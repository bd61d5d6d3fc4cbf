// Provides a mutation of the workflow's properties other than its graph, which shows errors as toasts.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { showToast } from '../../../lib/toasts.ts';

/** Reloads the query of `path` afterwards. */
export function useWorkflowMutation<T>(path: string, act: (input: T) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
    onError: thrown => showToast(toErrorMessage(thrown), { tone: 'failed' }),
  });
}
