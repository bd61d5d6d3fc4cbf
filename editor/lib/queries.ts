// How the application asks and keeps what it was answered.
import { QueryClient } from '@tanstack/react-query';

/** The API client itself repeats what may pass by another try. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 5000, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
}
