// Stores the filters of a list in the query string.
import { useSearchParams } from 'wouter';

interface SearchFilters {
  readonly search: URLSearchParams;
  /** Changes some filters. An empty value removes a filter. */
  readonly change: (changes: Readonly<Record<string, string>>) => void;
  /** Replaces the whole query string. */
  readonly replaceAll: (filters: Readonly<Record<string, string>>) => void;
}

/** Reads and changes filters without adding entries to the browser history. */
export function useSearchFilters(): SearchFilters {
  const [search, setSearch] = useSearchParams();
  return {
    search,
    change: changes =>
      setSearch(
        current => {
          const params = new URLSearchParams(current);
          for (const [name, value] of Object.entries(changes))
            if (value === '') params.delete(name);
            else params.set(name, value);
          return params;
        },
        { replace: true },
      ),
    replaceAll: filters => setSearch({ ...filters }, { replace: true }),
  };
}

/** Returns the named filters that are set. */
export const pickFilters = (search: URLSearchParams, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap(name => {
      const value = search.get(name);
      return value ? [[name, value]] : [];
    }),
  );
