// Renders a list that loads more pages on scroll and restores its scroll position on return.
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import type { Query } from '../../sdk/src/send.ts';
import { getPage, type ItemOf, type ListPage } from '../lib/api.ts';
import { retryAfterOutage } from '../lib/queries.ts';
import { getScrollPosition, saveScrollPosition } from '../lib/scroll-positions.ts';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';
import { Loading } from './spinner.tsx';

/** A query whose data is all items loaded so far. */
export type ListQuery<T> = UseInfiniteQueryResult<readonly T[]>;

const toItems = <T,>({ pages }: InfiniteData<ListPage<T>>): readonly T[] =>
  pages.flatMap(({ items }) => items);

/** Reads a paginated list of the API. The query key starts with the path, so that a change can invalidate the list. */
export function useList<T = never, const Path extends string = string>(
  path: Path,
  query: Query = {},
  /** Returns the polling interval for the items, or false for no polling. */
  pollIntervalMs: (items: readonly ItemOf<T, Path>[]) => number | false = () => false,
): ListQuery<ItemOf<T, Path>> {
  return useInfiniteQuery({
    queryKey: [path, 'pages', query],
    queryFn: ({ pageParam, signal }) =>
      getPage<ItemOf<T, Path>>(
        path,
        { ...query, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: toItems<ItemOf<T, Path>>,
    refetchInterval: query => {
      const { data } = query.state;
      return retryAfterOutage(query) || pollIntervalMs(data === undefined ? [] : toItems(data));
    },
  });
}

interface InfiniteListProps<T> {
  readonly query: ListQuery<T>;
  /** Content of an empty list. */
  readonly empty: ReactNode;
  /** Renders all items loaded so far. */
  readonly children: (items: readonly T[]) => ReactNode;
}

export function InfiniteList<T>({ query, empty, children }: InfiniteListProps<T>) {
  const { data: items, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useScrollRestoration(query);
  if (items === undefined)
    return error === null ? <Loading /> : <Failure error={error} onRetry={() => void refetch()} />;
  // A page can be empty although more pages follow, if the service examined many rows that the filter excludes.
  if (items.length === 0 && !hasNextPage) return empty;
  const loadNext = (): void => void fetchNextPage();
  return (
    <>
      {items.length > 0 && children(items)}
      {error !== null && <Failure error={error} onRetry={loadNext} />}
      {error === null && hasNextPage && <LoadMoreButton isBusy={isFetchingNextPage} onReach={loadNext} />}
    </>
  );
}

const LOAD_AHEAD = '800px';

/** Renders a button that loads the next page when the button comes near the view or is clicked. */
function LoadMoreButton({ isBusy, onReach }: { readonly isBusy: boolean; readonly onReach: () => void }) {
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isBusy || ref.current === null) return;
    const observer = new IntersectionObserver(
      entries => {
        if (entries.some(entry => entry.isIntersecting)) onReach();
      },
      { rootMargin: LOAD_AHEAD },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  });
  return (
    <Button ref={ref} isBusy={isBusy} onClick={onReach} variant="quiet">
      {messages.common.loadMore}
    </Button>
  );
}

/** Restores the scroll position of a history entry, loading as many pages as needed. */
function useScrollRestoration<T>({
  data,
  hasNextPage,
  isFetchingNextPage,
  fetchNextPage,
}: ListQuery<T>): void {
  const [path] = useLocation();
  // The scroll position to restore, or undefined once it is reached.
  const targetPosition = useRef<number>(undefined);
  const isLoaded = data !== undefined;
  useLayoutEffect(() => {
    if (!isLoaded) return;
    const key = `${path} ${getHistoryKey()}`;
    targetPosition.current = getScrollPosition(key);
    const save = (): void => {
      if (targetPosition.current === undefined) saveScrollPosition(key, window.scrollY);
    };
    window.addEventListener('scroll', save, { passive: true });
    return () => window.removeEventListener('scroll', save);
  }, [isLoaded, path]);
  useLayoutEffect(() => {
    if (!isLoaded || targetPosition.current === undefined || isFetchingNextPage) return;
    window.scrollTo(0, targetPosition.current);
    if (hasNextPage && window.scrollY + 1 < targetPosition.current) void fetchNextPage();
    else targetPosition.current = undefined;
  });
}

const getHistoryKey = (): string => {
  const { navigation } = window as { navigation?: { currentEntry?: { key: string } | null } };
  return navigation?.currentEntry?.key ?? '';
};
