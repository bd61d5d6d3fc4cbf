// Renders the filters of workflows, kept in the address: folder, search, team, tag, last run, layout.
import Close from 'icon:x';
import { useSearchParams } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { SelectField } from '../../kit/field.tsx';
import { SearchField } from '../../kit/search-field.tsx';
import { useSession } from '../../lib/session.ts';
import { messages as appMessages } from '../../messages.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

type Form = keyof typeof messages.views;
const FILTERS = ['query', 'status', 'folderId', 'teamId', 'tag'] as const;
const STATES = ['COMPLETED', 'FAILED', 'RUNNING', 'WAITING', 'QUEUED', 'TIMEOUT', 'CANCELLED'] as const;

export interface View {
  readonly query: Readonly<Record<string, string>>;
  readonly form: Form;
  readonly folderId: string | undefined;
  choose(key: string, value: string): void;
  chooseFolder(id: string | undefined): void;
  clear(): void;
}

export function useView(): View {
  const [search, setSearch] = useSearchParams();
  const query = Object.fromEntries(
    FILTERS.flatMap(key => {
      const value = search.get(key);
      return value ? [[key, value]] : [];
    }),
  );
  const choose = (key: string, value: string): void =>
    setSearch(
      before => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(key);
        else next.set(key, value);
        // A folder belongs to one workspace.
        if (key === 'teamId') next.delete('folderId');
        return next;
      },
      { replace: true },
    );
  return {
    query,
    form: search.get('view') === 'table' ? 'table' : 'grid',
    folderId: query.folderId,
    choose,
    chooseFolder: id => choose('folderId', id ?? ''),
    clear: () => setSearch(search.get('view') === 'table' ? { view: 'table' } : {}, { replace: true }),
  };
}

export function ViewBar({ view }: { readonly view: View }) {
  return (
    <search className={styles.bar}>
      <SearchField
        label={messages.search}
        placeholder={messages.searchHint}
        value={view.query.query ?? ''}
        onChange={value => view.choose('query', value)}
      />
      <TeamField view={view} />
      <SelectField
        label={messages.lastRun}
        value={view.query.status ?? ''}
        onChange={event => view.choose('status', event.target.value)}
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
        value={view.form}
        onChange={event => view.choose('view', event.target.value === 'table' ? 'table' : '')}
      >
        {Object.entries(messages.views).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </SelectField>
      {view.query.tag !== undefined && (
        <p className={styles.tags}>
          <Button size="s" icon={Close} onClick={() => view.choose('tag', '')}>
            {messages.withTag(view.query.tag)}
          </Button>
        </p>
      )}
    </search>
  );
}

/** Only for members of teams: one team's workflows, or personal ones. */
function TeamField({ view }: { readonly view: View }) {
  const { teams, user } = useSession();
  if (teams.length === 0) return null;
  return (
    <SelectField
      label={messages.team}
      value={view.query.teamId ?? ''}
      onChange={event => view.choose('teamId', event.target.value)}
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
