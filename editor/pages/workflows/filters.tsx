// Renders the filters of the workflow list. The query string stores them.
import Close from 'icon:x';
import { useSearchParams } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { SelectField } from '../../kit/field.tsx';
import { SearchField } from '../../kit/search-field.tsx';
import { useSession } from '../../lib/session.ts';
import { messages as appMessages } from '../../messages.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

type Layout = keyof typeof messages.views;
const FILTERS = ['query', 'status', 'folderId', 'teamId', 'tag'] as const;
const STATES = ['COMPLETED', 'FAILED', 'RUNNING', 'WAITING', 'QUEUED', 'TIMEOUT', 'CANCELLED'] as const;

export interface WorkflowFilters {
  readonly query: Readonly<Record<string, string>>;
  readonly layout: Layout;
  readonly folderId: string | undefined;
  setFilter(key: string, value: string): void;
  setFolder(id: string | undefined): void;
  clear(): void;
}

export function useFilters(): WorkflowFilters {
  const [search, setSearch] = useSearchParams();
  const query = Object.fromEntries(
    FILTERS.flatMap(key => {
      const value = search.get(key);
      return value ? [[key, value]] : [];
    }),
  );
  const setFilter = (key: string, value: string): void =>
    setSearch(
      before => {
        const params = new URLSearchParams(before);
        if (value === '') params.delete(key);
        else params.set(key, value);
        // A folder belongs to one workspace.
        if (key === 'teamId') params.delete('folderId');
        return params;
      },
      { replace: true },
    );
  return {
    query,
    layout: search.get('view') === 'table' ? 'table' : 'grid',
    folderId: query.folderId,
    setFilter,
    setFolder: id => setFilter('folderId', id ?? ''),
    clear: () => setSearch(search.get('view') === 'table' ? { view: 'table' } : {}, { replace: true }),
  };
}

export function FilterBar({ filters }: { readonly filters: WorkflowFilters }) {
  return (
    <search className={styles.bar}>
      <SearchField
        label={messages.search}
        placeholder={messages.searchHint}
        value={filters.query.query ?? ''}
        onChange={value => filters.setFilter('query', value)}
      />
      <TeamField filters={filters} />
      <SelectField
        label={messages.lastRun}
        value={filters.query.status ?? ''}
        onChange={event => filters.setFilter('status', event.target.value)}
      >
        <option value="">{messages.anyRun}</option>
        <option value="NONE">{messages.neverRun}</option>
        {STATES.map(state => (
          <option key={state} value={state}>
            {appMessages.runStates[state]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={messages.view}
        value={filters.layout}
        onChange={event => filters.setFilter('view', event.target.value === 'table' ? 'table' : '')}
      >
        {Object.entries(messages.views).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </SelectField>
      {filters.query.tag !== undefined && (
        <p className={styles.tags}>
          <Button size="s" icon={Close} onClick={() => filters.setFilter('tag', '')}>
            {messages.withTag(filters.query.tag)}
          </Button>
        </p>
      )}
    </search>
  );
}

/** Filters by team. Rendered only for members of a team. */
function TeamField({ filters }: { readonly filters: WorkflowFilters }) {
  const { teams, user } = useSession();
  if (teams.length === 0) return null;
  return (
    <SelectField
      label={messages.team}
      value={filters.query.teamId ?? ''}
      onChange={event => filters.setFilter('teamId', event.target.value)}
    >
      <option value="">{messages.allTeams}</option>
      <option value={user.personalTeamId}>{messages.noTeam}</option>
      {teams.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
