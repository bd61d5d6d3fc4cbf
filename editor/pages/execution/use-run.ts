// Reads a run and reloads it when its event stream reports a change.
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Execution } from '../../../sdk/src/types.ts';
import { hasEnded } from '../../../sdk/src/types.ts';
import { api } from '../../lib/api.ts';

/** Events in quick succession cause one reload. */
const PAUSE_MS = 300;
const AGAIN_MS = 3000;
const EVENTS = ['snapshot', 'node', 'execution', 'progress'];

export function useRun(id: string): UseQueryResult<Execution> {
  const key = ['/executions', id];
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.get<Execution>(`/executions/${id}`, { signal }),
  });
  const client = useQueryClient();
  const isMoving = query.data !== undefined && !hasEnded(query.data);
  useEffect(() => {
    if (!isMoving) return;
    let reading: ReturnType<typeof setTimeout> | undefined;
    let opening: ReturnType<typeof setTimeout> | undefined;
    let events: EventSource;
    const read = (): void => {
      reading ??= setTimeout(() => {
        reading = undefined;
        void client.invalidateQueries({ queryKey: ['/executions', id], exact: true });
      }, PAUSE_MS);
    };
    const open = (): void => {
      // The browser reconnects on its own and sends the id of the last event.
      events = new EventSource(`/api/v1/executions/${encodeURIComponent(id)}/events`);
      for (const name of EVENTS) events.addEventListener(name, read);
      events.addEventListener('error', onError);
    };
    // It stops when refused, for example after the session expired: the reload then asks to sign in.
    const onError = (): void => {
      if (events.readyState !== EventSource.CLOSED) return;
      read();
      opening = setTimeout(open, AGAIN_MS);
    };
    open();
    return () => {
      clearTimeout(reading);
      clearTimeout(opening);
      events.close();
    };
  }, [client, id, isMoving]);
  return query;
}
