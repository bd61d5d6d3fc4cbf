// Reloads the queries that a change affects, then shows a toast.

import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { showToast, type Toast } from './toasts.ts';

export type ReloadAndToast = (
  text: string,
  /** The first key segments of the queries that the change affects, or `all` for every query. */
  keys: readonly string[] | 'all',
  action?: Toast['action'],
) => Promise<void>;

/**
 * Resolves when the affected queries are reloaded. The toast appears after that, so that the page already shows the new
 * state.
 */
export function useReloadAndToast(): ReloadAndToast {
  const client = useQueryClient();
  return useCallback<ReloadAndToast>(
    async (text, keys, action) => {
      const filters = keys === 'all' ? [{}] : keys.map(key => ({ queryKey: [key] }));
      await Promise.all(filters.map(filter => client.invalidateQueries(filter)));
      notifyManager.schedule(() => showToast(text, { action }));
    },
    [client],
  );
}
