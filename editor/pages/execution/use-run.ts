// A run as the service has it now: read once, and again whenever its event stream says that something changed.
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Execution } from '../../../sdk/src/types.ts';
import { hasEnded } from '../../../sdk/src/types.ts';
import { api } from '../../lib/api.ts';

/** Events in quick succession lead to one reading. */
const PAUSE_MS = 300;
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
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void client.invalidateQueries({ queryKey: ['/executions', id], exact: true });
      }, PAUSE_MS);
    };
    // The browser connects again by itself, and sends the id of the last event.
    const events = new EventSource(`/api/v1/executions/${encodeURIComponent(id)}/events`);
    for (const name of EVENTS) events.addEventListener(name, read);
    return () => {
      clearTimeout(timer);
      events.close();
    };
  }, [client, id, isMoving]);
  return query;
}
