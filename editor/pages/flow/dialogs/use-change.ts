// Changes properties of the workflow other than its graph, then reloads it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { showToast } from '../../../lib/toasts.ts';

/** `path` is reloaded. */
export function useChange<T>(path: string, act: (input: T) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
    onError: thrown => showToast(toErrorMessage(thrown), { tone: 'failed' }),
  });
}
