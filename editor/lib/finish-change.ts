// Finishes a change: reloads the affected queries, then shows a toast.

import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { showToast, type Toast } from './toasts.ts';

export type FinishChange = (
  text: string,
  /** First segments of the query keys that the change affects, or all queries. */
  keys: readonly string[] | 'all',
  action?: Toast['action'],
) => Promise<void>;

/**
 * Resolves when the affected queries are reloaded. The toast appears after that, so that the page already shows the new
 * state.
 */
export function useFinishChange(): FinishChange {
  const client = useQueryClient();
  return useCallback<FinishChange>(
    async (text, keys, action) => {
      const filters = keys === 'all' ? [{}] : keys.map(key => ({ queryKey: [key] }));
      await Promise.all(filters.map(filter => client.invalidateQueries(filter)));
      notifyManager.schedule(() => showToast(text, { action }));
    },
    [client],
  );
}
