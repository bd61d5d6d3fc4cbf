// Reads a run and reloads it when its event stream reports a change.
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Execution } from '../../../sdk/src/types.ts';
import { hasEnded } from '../../../sdk/src/types.ts';
import { api } from '../../lib/api.ts';

/** Events in quick succession cause one reload. */
const RELOAD_DELAY_MS = 300;
const RECONNECT_MS = 3000;
const EVENTS = ['snapshot', 'node', 'execution', 'progress'];

/** Polling interval for administrators, who have no access to the events of the run. */
const REFRESH_MS = 5000;

export function useRun(id: string, { asAdmin }: { readonly asAdmin: boolean }): UseQueryResult<Execution> {
  const query = useQuery({
    queryKey: ['/executions', id],
    queryFn: ({ signal }) => api.get<Execution>(`/executions/${id}`, { query: toReadQuery(asAdmin), signal }),
    refetchInterval: ({ state: { data } }) =>
      asAdmin && data !== undefined && !hasEnded(data) ? REFRESH_MS : false,
  });
  const client = useQueryClient();
  const isInProgress = query.data !== undefined && !hasEnded(query.data);
  useEffect(() => {
    if (!isInProgress || asAdmin) return;
    let reloadTimer: ReturnType<typeof setTimeout> | undefined;
    let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
    let events: EventSource;
    const scheduleReload = (): void => {
      reloadTimer ??= setTimeout(() => {
        reloadTimer = undefined;
        void client.invalidateQueries({ queryKey: ['/executions', id], exact: true });
      }, RELOAD_DELAY_MS);
    };
    const connect = (): void => {
      // The browser reconnects on its own and sends the id of the last event.
      events = new EventSource(`/api/v1/executions/${encodeURIComponent(id)}/events`);
      for (const name of EVENTS) events.addEventListener(name, scheduleReload);
      events.addEventListener('error', onError);
    };
    // The browser does not reconnect after an error response, for example when the session has expired. The reload then
    // prompts for a sign-in.
    const onError = (): void => {
      if (events.readyState !== EventSource.CLOSED) return;
      scheduleReload();
      reconnectTimer = setTimeout(connect, RECONNECT_MS);
    };
    connect();
    return () => {
      clearTimeout(reloadTimer);
      clearTimeout(reconnectTimer);
      events.close();
    };
  }, [client, id, isInProgress, asAdmin]);
  return query;
}

/** Returns the query of a request that reads the run. */
export const toReadQuery = (asAdmin: boolean) => (asAdmin ? { asAdmin } : {});
