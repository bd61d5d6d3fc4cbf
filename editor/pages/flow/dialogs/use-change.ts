// A change of the workflow outside its graph, after which it is read again.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { sentenceOf } from '../../../kit/failure.tsx';
import { showToast } from '../../../lib/toasts.ts';

/** `path` is what is read again. */
export function useChange<T>(path: string, act: (input: T) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
    onError: thrown => showToast(sentenceOf(thrown), { tone: 'failed' }),
  });
}
