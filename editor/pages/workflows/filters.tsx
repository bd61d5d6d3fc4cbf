// Renders the filters of the workflow list. The query string stores them.

import Close from 'icon:x';
import { Button } from '../../kit/button.tsx';
import { FilterBar, FilterSelect } from '../../kit/filter-bar.tsx';
import { SearchField } from '../../kit/search-field.tsx';
import { useSession } from '../../lib/session.ts';
import { pickFilters, useSearchFilters } from '../../lib/use-search-filters.ts';
import { messages as sharedMessages } from '../../messages.ts';
import { messages } from './messages.ts';

type Layout = keyof typeof messages.views;
const FILTERS = ['query', 'status', 'folderId', 'teamId', 'tag', 'shared'] as const;
const STATUSES = ['COMPLETED', 'FAILED', 'RUNNING', 'WAITING', 'QUEUED', 'TIMEOUT', 'CANCELLED'] as const;
const LAST_RUN_OPTIONS: Readonly<Record<string, string>> = {
  '': messages.anyRun,
  NONE: messages.neverRun,
  ...Object.fromEntries(STATUSES.map(status => [status, sharedMessages.runStates[status]])),
};

export interface WorkflowFilters {
  readonly query: Readonly<Record<string, string>>;
  readonly layout: Layout;
  readonly folderId: string | undefined;
  /** Whether the list shows what others share with the user. */
  readonly isShared: boolean;
  setFilter(key: string, value: string): void;
  setFolder(id: string | undefined): void;
  showShared(): void;
  clear(): void;
}

export function useWorkflowFilters(): WorkflowFilters {
  const { search, change, replaceAll } = useSearchFilters();
  const query = pickFilters(search, FILTERS);
  const setFilter = (key: string, value: string): void =>
    // Another team does not have the selected folder.
    change({ [key]: value, ...(key === 'teamId' ? { folderId: '' } : {}) });
  return {
    query,
    layout: search.get('view') === 'table' ? 'table' : 'grid',
    folderId: query.folderId,
    isShared: query.shared === 'true',
    setFilter,
    setFolder: id => change({ folderId: id ?? '', shared: '' }),
    // Shared workflows are in folders and teams of others.
    showShared: () => change({ shared: 'true', folderId: '', teamId: '' }),
    clear: () => replaceAll(search.get('view') === 'table' ? { view: 'table' } : {}),
  };
}

export function WorkflowFilterBar({ filters }: { readonly filters: WorkflowFilters }) {
  return (
    <FilterBar>
      <SearchField
        label={messages.search}
        placeholder={messages.searchHint}
        value={filters.query.query ?? ''}
        onChange={value => filters.setFilter('query', value)}
      />
      {!filters.isShared && <TeamField filters={filters} />}
      <FilterSelect
        label={messages.lastRun}
        value={filters.query.status ?? ''}
        options={LAST_RUN_OPTIONS}
        onChange={event => filters.setFilter('status', event.target.value)}
      />
      <FilterSelect
        label={messages.view}
        value={filters.layout}
        options={messages.views}
        onChange={event => filters.setFilter('view', event.target.value === 'table' ? 'table' : '')}
      />
      {filters.query.tag !== undefined && (
        <Button icon={Close} onClick={() => filters.setFilter('tag', '')}>
          {messages.withTag(filters.query.tag)}
        </Button>
      )}
    </FilterBar>
  );
}

/** Renders a select for the team, if the user is a member of one. */
function TeamField({ filters }: { readonly filters: WorkflowFilters }) {
  const { teams, user } = useSession();
  if (teams.length === 0) return null;
  return (
    <FilterSelect
      label={messages.team}
      value={filters.query.teamId ?? ''}
      options={{
        '': messages.allTeams,
        [user.personalTeamId]: messages.noTeam,
        ...Object.fromEntries(teams.map(({ id, name }) => [id, name])),
      }}
      onChange={event => filters.setFilter('teamId', event.target.value)}
    />
  );
}
