// Reads a batch and its rows, and keeps them up to date with the event stream.
import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Batch, BatchRow } from '../../../sdk/src/types.ts';
import { api, type ListPage } from '../../lib/api.ts';

const RECONNECT_MS = 3000;

export const isActive = ({ status }: Batch): boolean => status === 'RUNNING' || status === 'STOPPING';

export function useBatch(id: string) {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['/batches', id],
    queryFn: ({ signal }) => api.get<Batch>(`/batches/${id}`, { signal }),
  });
  const isFollowed = query.data !== undefined && isActive(query.data);
  useEffect(() => {
    if (!isFollowed) return;
    let events: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const connect = (): void => {
      events = new EventSource(`/api/v1/batches/${encodeURIComponent(id)}/events`);
      const onBatch = ({ data }: MessageEvent<string>): void => {
        client.setQueryData(['/batches', id], JSON.parse(data) as Batch);
      };
      events.addEventListener('snapshot', onBatch);
      events.addEventListener('batch', onBatch);
      events.addEventListener('row', ({ data }: MessageEvent<string>) =>
        replaceRow(client, id, JSON.parse(data) as BatchRow),
      );
      events.addEventListener('error', () => {
        if (events.readyState !== EventSource.CLOSED) return;
        void client.invalidateQueries({ queryKey: ['/batches', id] });
        timer = setTimeout(connect, RECONNECT_MS);
      });
    };
    connect();
    return () => {
      clearTimeout(timer);
      events.close();
    };
  }, [client, id, isFollowed]);
  return query;
}

export const toRowsPath = (id: string): string => `/batches/${id}/rows`;

/** Replaces a row in every list that has it. */
export function replaceRow(client: ReturnType<typeof useQueryClient>, batchId: string, row: BatchRow): void {
  client.setQueriesData<InfiniteData<ListPage<BatchRow>>>({ queryKey: [toRowsPath(batchId)] }, data => {
    if (data === undefined) return data;
    const pages = data.pages.map(page =>
      page.items.some(item => item.row === row.row)
        ? { ...page, items: page.items.map(item => (item.row === row.row ? row : item)) }
        : page,
    );
    return { ...data, pages };
  });
}
