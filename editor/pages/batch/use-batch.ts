// Reads a batch and its rows, and keeps them up to date with the event stream.

import {
  type InfiniteData,
  type QueryClient,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Batch, BatchRow } from '../../../sdk/src/types.ts';
import { getPage, type ListPage } from '../../lib/api.ts';
import { openEventStream } from '../../lib/event-stream.ts';
import { apiQuery } from '../../lib/queries.ts';

export const isActive = ({ status }: Batch): boolean => status === 'RUNNING' || status === 'STOPPING';

export function useBatch(id: string) {
  const client = useQueryClient();
  const query = useQuery(apiQuery(['/batches', id]));
  const isFollowed = query.data !== undefined && isActive(query.data);
  useEffect(() => {
    if (!isFollowed) return;
    const setBatch = (batch: unknown): void => void client.setQueryData(['/batches', id], batch);
    return openEventStream(`/batches/${encodeURIComponent(id)}/events`, {
      events: {
        // The stream does not send the rows that changed before the snapshot, so the lists are read again.
        snapshot: batch => {
          setBatch(batch);
          void client.invalidateQueries({ queryKey: [toRowsPath(id)] });
        },
        batch: batch =>
          client.setQueryData<Batch>(['/batches', id], before => keepLongValues(batch as Batch, before)),
        row: row => changeRow(client, id, (row as BatchRow).row, () => row as BatchRow),
      },
      onError: isRefused => {
        if (isRefused) void client.invalidateQueries({ queryKey: ['/batches', id] });
      },
    });
  }, [client, id, isFollowed]);
  return query;
}

/** Events leave out long axes and metadata, which never change. */
function keepLongValues(batch: Batch, before: Batch | undefined): Batch {
  if (batch.truncated !== true || before === undefined) return batch;
  return { ...batch, axes: before.axes, metadata: before.metadata };
}

export const toRowsPath = (id: string): string => `/batches/${id}/rows`;

type RowPages = InfiniteData<ListPage<BatchRow>, string>;

/** Reads rows by their numbers. Returns them as pages of a list, so that `changeRow` updates them too. */
async function readRows(id: string, rows: readonly number[], signal: AbortSignal): Promise<RowPages> {
  const pages: ListPage<BatchRow>[] = [];
  // A page has fewer rows if they are large, but at least one.
  for (let cursor: string | null | undefined; cursor !== null && pages.length < rows.length; ) {
    const query = { rows: rows.join(','), limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = await getPage<BatchRow>(toRowsPath(id), query, signal);
    pages.push(page);
    cursor = page.nextCursor;
  }
  return { pages, pageParams: pages.map(() => '') };
}

/** Reads rows by their numbers, with one request for each block. Returns the rows that have arrived. */
export function useRows(batchId: string, blocks: readonly (readonly number[])[]) {
  return useQueries({
    queries: blocks.map(numbers => ({
      queryKey: [toRowsPath(batchId), { rows: numbers.join(',') }],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => readRows(batchId, numbers, signal),
    })),
    combine: results => ({
      rows: new Map(
        results.flatMap(({ data }) =>
          (data?.pages ?? []).flatMap(page => page.items.map(row => [row.row, row] as const)),
        ),
      ),
      error: results.find(({ error }) => error !== null)?.error ?? null,
      retry: () => {
        for (const { error, refetch } of results) if (error !== null) void refetch();
      },
    }),
  });
}

export const listIndexes = (start: number, end: number): readonly number[] =>
  Array.from({ length: end - start }, (_, index) => start + index);

const NO_INPUTS = {};

/** Returns a placeholder for a row that is not loaded yet. */
export const toPendingRow = (row: number): BatchRow => ({
  row,
  key: null,
  inputs: NO_INPUTS,
  config: null,
  status: 'waiting',
  executionId: null,
  outputs: [],
  error: null,
  credits: 0,
  rating: null,
  isPicked: false,
});

export const isLoaded = ({ inputs }: BatchRow): boolean => inputs !== NO_INPUTS;

/** Returns the rows with these numbers, as far as the page has loaded them. */
export function findLoadedRows(
  client: QueryClient,
  batchId: string,
  numbers: readonly number[],
): readonly BatchRow[] {
  const lists = client.getQueriesData<RowPages>({ queryKey: [toRowsPath(batchId)] });
  const rows = lists.flatMap(([, data]) => data?.pages.flatMap(page => page.items) ?? []);
  return numbers.flatMap(number => rows.find(({ row }) => row === number) ?? []);
}

/**
 * Changes the row with this number in every list that has it. A list that is being read is changed again when its
 * response has arrived, because the service may have read the row before it changed.
 */
export function changeRow(
  client: QueryClient,
  batchId: string,
  number: number,
  change: (row: BatchRow) => BatchRow,
): void {
  for (const { queryKey, promise } of client.getQueryCache().findAll({ queryKey: [toRowsPath(batchId)] })) {
    const changeList = (): unknown =>
      client.setQueryData<RowPages>(queryKey, data => {
        if (data === undefined) return data;
        const pages = data.pages.map(page =>
          page.items.some(({ row }) => row === number)
            ? { ...page, items: page.items.map(item => (item.row === number ? change(item) : item)) }
            : page,
        );
        return { ...data, pages };
      });
    changeList();
    // A list that could not be read has no rows to change.
    promise?.then(changeList, () => undefined);
  }
}
