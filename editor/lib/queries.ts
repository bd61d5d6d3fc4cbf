// How the application asks and keeps what it was answered.
import { type Query, QueryClient } from '@tanstack/react-query';
import { ApiError, ConnectionError } from '../../sdk/src/errors.ts';

const AGAIN_MS = 3000;
const OUTAGES: ReadonlySet<number> = new Set([502, 503, 504]);

/** How long until a query that an outage ended is asked again; false: none did. */
export function againAfterOutage({ state: { error } }: Pick<Query, 'state'>): number | false {
  const isOutage =
    error instanceof ConnectionError || (error instanceof ApiError && OUTAGES.has(error.status));
  return isOutage && AGAIN_MS;
}

/** The API client itself repeats what may pass by another try; a page that an outage broke comes back by itself. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        staleTime: 5000,
        networkMode: 'always',
        refetchInterval: query => againAfterOutage(query as unknown as Query),
      },
      mutations: { networkMode: 'always' },
    },
  });
}
