// Renders the data of a query, a spinner while the data is loading, and an error if loading fails.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';
import { Loading } from './spinner.tsx';

interface QueryResultProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;
  /** Renders the data. If fetching it again fails, the error appears above the earlier data. */
  readonly children: (data: T) => ReactNode;
}

export function QueryResult<T>({ query: { data, error, refetch }, children }: QueryResultProps<T>) {
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : children(data)}
    </>
  );
}
