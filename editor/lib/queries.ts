// Configures how the application fetches and caches responses.
import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { ApiError, ConnectionError } from '../../sdk/src/errors.ts';
import type { Query as SearchParams } from '../../sdk/src/send.ts';
import { api, type ResponseTo } from './api.ts';

const RETRY_MS = 3000;
const OUTAGE_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Returns the retry delay for a query that failed because of an outage, or false for other errors. */
export function retryAfterOutage({ state: { error } }: Pick<Query, 'state'>): number | false {
  const isOutage =
    error instanceof ConnectionError || (error instanceof ApiError && OUTAGE_STATUSES.has(error.status));
  return isOutage && RETRY_MS;
}

class ApiQueryClient extends QueryClient {
  /**
   * Reloads the queries that a change affects. Also repeats the first request of a query, as the base class does with
   * later ones, because the service may have read the data before the change.
   */
  override invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    for (const query of this.getQueryCache().findAll(filters))
      if (query.isActive() && query.state.data === undefined) void query.cancel({ silent: true });
    return super.invalidateQueries(filters, options);
  }
}

/**
 * Creates the query client. The API client retries requests; queries that failed because of an outage are fetched again
 * until they succeed.
 */
export function createQueryClient(): QueryClient {
  return new ApiQueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        staleTime: 5000,
        networkMode: 'always',
        refetchInterval: query => retryAfterOutage(query as unknown as Query),
      },
      mutations: { networkMode: 'always' },
    },
  });
}

/**
 * Queries a response of the API. The segments of the path are those of the query key, so that a change below `/teams`
 * can invalidate each team.
 */
export const apiQuery = <
  T = never,
  const Segments extends readonly (string | number)[] = readonly (string | number)[],
>(
  segments: Segments,
  params?: SearchParams,
) => ({
  queryKey: params === undefined ? segments : [...segments, params],
  queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<ResponseTo<T, 'GET', Join<Segments>>> =>
    api.get(segments.join('/') as Join<Segments>, { query: params, signal }),
});

type Join<Segments extends readonly (string | number)[]> = Segments extends readonly [
  infer First extends string | number,
  ...infer Rest extends readonly (string | number)[],
]
  ? Rest extends readonly []
    ? `${First}`
    : `${First}/${Join<Rest>}`
  : string;
