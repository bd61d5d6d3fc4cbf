// What follows a change: the lists that it meets are read anew, and then a notice says what was done.

import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { showToast, type Toast } from './toasts.ts';

export type Done = (
  text: string,
  /** The first parts of the keys of the queries that the change meets, or all queries. */
  keys: readonly string[] | 'all',
  action?: Toast['action'],
) => Promise<void>;

/**
 * Resolves when what the change meets is read anew. The notice comes after that, in the turn in which the page shows it or
 * a later one: who reads the notice finds the page as it says.
 */
export function useDone(): Done {
  const client = useQueryClient();
  return useCallback<Done>(
    async (text, keys, action) => {
      const filters = keys === 'all' ? [{}] : keys.map(key => ({ queryKey: [key] }));
      await Promise.all(filters.map(filter => client.invalidateQueries(filter)));
      notifyManager.schedule(() => showToast(text, { action }));
    },
    [client],
  );
}
