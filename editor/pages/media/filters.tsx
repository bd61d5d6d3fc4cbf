// Reads the filters of the media page from the URL, and renders them.
import { useQuery } from '@tanstack/react-query';
import { FilterBar, FilterSelect } from '../../kit/filter-bar.tsx';
import { SearchField } from '../../kit/search-field.tsx';
import { withSelected } from '../../kit/with-selected.ts';
import { apiQuery } from '../../lib/queries.ts';
import { useSession } from '../../lib/session.ts';
import { DAY_MS, usePeriodStart } from '../../lib/use-period-start.ts';
import { pickFilters, useSearchFilters } from '../../lib/use-search-filters.ts';
import type { Shelf } from './collections.tsx';
import { messages } from './messages.ts';

/** The filters that have the same names in the API. */
const API_FILTERS = ['q', 'type', 'origin', 'model', 'userId'] as const;
type FilterName = (typeof API_FILTERS)[number] | 'period';

/** The source that is a filter of its own in the API. */
const FROM_APPS = 'apps';

const PERIOD_MS: Readonly<Record<string, number>> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  year: 365 * DAY_MS,
};

export interface MediaFilters {
  readonly shelf: Shelf;
  readonly values: Readonly<Partial<Record<FilterName, string>>>;
  /** The query of the list. */
  readonly query: Readonly<Record<string, string>>;
  readonly isFiltered: boolean;
  readonly set: (name: FilterName, value: string) => void;
  /** Opens a collection, the favorites or all media. The filters remain. */
  readonly open: (shelf: Shelf) => void;
  readonly clear: () => void;
}

export function useMediaFilters(): MediaFilters {
  const { search, change, replaceAll } = useSearchFilters();
  const values = pickFilters(search, [...API_FILTERS, 'period']);
  const shelf = {
    collectionId: search.get('collection') ?? undefined,
    isFavorites: search.get('favorites') === 'true',
  };
  const { period = '', ...apiFilters } = values;
  const isFromApps = values.origin === FROM_APPS;
  const createdAfter = usePeriodStart(PERIOD_MS[period]);
  const toParameters = ({ collectionId, isFavorites }: Shelf) => ({
    collection: collectionId ?? '',
    favorites: isFavorites ? 'true' : '',
  });
  return {
    shelf,
    values,
    query: {
      ...apiFilters,
      ...(isFromApps && { origin: 'all', fromApps: 'true' }),
      ...(createdAfter !== undefined && { createdAfter }),
      ...(shelf.collectionId !== undefined && { collectionId: shelf.collectionId }),
      ...(shelf.isFavorites && { favorite: 'true' }),
    },
    isFiltered: Object.keys(values).length > 0,
    set: (name, value) => change({ [name]: value }),
    open: target => change(toParameters(target)),
    clear: () =>
      replaceAll(Object.fromEntries(Object.entries(toParameters(shelf)).filter(([, value]) => value !== ''))),
  };
}

const ANY = ['', messages.any] as const;
/** The maximum number of people in the filter. */
const MAX_PEOPLE = 200;

export function MediaFilterBar({ filters: { values, set } }: { readonly filters: MediaFilters }) {
  const { workspace } = useSession();
  const teamId = workspace.teamId ?? '';
  const models = useQuery({
    ...apiQuery(['/models']),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const members = useQuery({
    ...apiQuery(['/teams', teamId, 'members'], { limit: MAX_PEOPLE }),
    enabled: teamId !== '',
  });
  return (
    <FilterBar>
      <SearchField
        label={messages.search}
        placeholder={messages.searchHint}
        value={values.q ?? ''}
        onChange={text => set('q', text)}
      />
      <FilterSelect
        label={messages.kind}
        value={values.type ?? ''}
        options={messages.kinds}
        onChange={event => set('type', event.target.value)}
      />
      <FilterSelect
        label={messages.origin}
        value={values.origin ?? ''}
        options={messages.origins}
        onChange={event => set('origin', event.target.value)}
      />
      <FilterSelect
        label={messages.model}
        value={values.model ?? ''}
        options={withSelected(
          [ANY, ...(models.data?.models ?? []).map(({ nodeType, label }) => [nodeType, label] as const)],
          values.model,
        )}
        onChange={event => set('model', event.target.value)}
      />
      {teamId !== '' && (
        <FilterSelect
          label={messages.person}
          value={values.userId ?? ''}
          options={withSelected(
            [ANY, ...(members.data?.data ?? []).map(({ userId, name }) => [String(userId), name] as const)],
            values.userId,
          )}
          onChange={event => set('userId', event.target.value)}
        />
      )}
      <FilterSelect
        label={messages.period}
        value={values.period ?? ''}
        options={messages.periods}
        onChange={event => set('period', event.target.value)}
      />
    </FilterBar>
  );
}
