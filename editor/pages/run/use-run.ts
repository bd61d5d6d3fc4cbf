// Reads a run and reloads it when its event stream reports a change.
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Execution } from '../../../sdk/src/types.ts';
import { hasEnded } from '../../../sdk/src/types.ts';
import { api } from '../../lib/api.ts';
import { openEventStream } from '../../lib/event-stream.ts';

/** Events that arrive within this time cause one reload. */
const RELOAD_DELAY_MS = 300;

/** Polling interval for administrators, who cannot read the event stream of the run. */
const POLL_MS = 5000;

export function useRun(id: string, { asAdmin }: { readonly asAdmin: boolean }): UseQueryResult<Execution> {
  const query = useQuery({
    queryKey: ['/executions', id],
    queryFn: ({ signal }) => api.get(`/executions/${id}`, { query: toReadQuery(asAdmin), signal }),
    refetchInterval: ({ state: { data } }) =>
      asAdmin && data !== undefined && !hasEnded(data) ? POLL_MS : false,
  });
  const client = useQueryClient();
  const isInProgress = query.data !== undefined && !hasEnded(query.data);
  useEffect(() => {
    if (!isInProgress || asAdmin) return;
    let reloadTimer: ReturnType<typeof setTimeout> | undefined;
    let isReloading = false;
    const scheduleReload = (): void => {
      reloadTimer ??= setTimeout(() => void reload(), RELOAD_DELAY_MS);
    };
    const reload = async (): Promise<void> => {
      reloadTimer = undefined;
      // A reload ends the previous one, so over a slow connection none would finish while events keep arriving.
      if (isReloading) return scheduleReload();
      isReloading = true;
      await client.invalidateQueries({ queryKey: ['/executions', id], exact: true });
      isReloading = false;
    };
    const close = openEventStream(`/executions/${encodeURIComponent(id)}/events`, {
      events: {
        snapshot: scheduleReload,
        node: scheduleReload,
        execution: scheduleReload,
        progress: scheduleReload,
      },
      // If the session has expired, the reload prompts for a sign-in.
      onError: isRefused => {
        if (isRefused) scheduleReload();
      },
    });
    return () => {
      clearTimeout(reloadTimer);
      close();
    };
  }, [client, id, isInProgress, asAdmin]);
  return query;
}

/** Returns the query parameters of a request that reads the run. */
export const toReadQuery = (asAdmin: boolean) => (asAdmin ? { asAdmin } : {});
