// Renders the filters of the list of runs.

import Close from 'icon:x';
import { useQuery } from '@tanstack/react-query';
import type { Failures } from '../../../sdk/src/schemas.ts';
import { Button } from '../../kit/button.tsx';
import { CheckField } from '../../kit/field.tsx';
import { FilterBar, FilterSelect } from '../../kit/filter-bar.tsx';
import { SearchField } from '../../kit/search-field.tsx';
import { withSelected } from '../../kit/with-selected.ts';
import { apiQuery } from '../../lib/queries.ts';
import { useSession } from '../../lib/session.ts';
import { messages as sharedMessages } from '../../messages.ts';
import type { ApiFilter, RunFilters } from './filters.ts';
import { messages } from './messages.ts';

const ANY = { '': messages.any } as const;
/** The maximum number of people or teams in a select. */
const MAX_OPTIONS = 200;

type SelectOptions = Readonly<Record<string, string>>;

interface FilterControlsProps {
  readonly filters: RunFilters;
  /** The people and workflows of the listed runs, by id. */
  readonly listed: { readonly people: SelectOptions; readonly workflows: SelectOptions };
  readonly failures: Failures | undefined;
}

export function FilterControls({ filters, listed, failures }: FilterControlsProps) {
  const { scope, scopes, values, set, clear, isFiltered } = filters;
  const { workspace } = useSession();
  const scopeLabels = { ...messages.scopes, workspace: workspace.name };
  const renderSelect = (name: ApiFilter | 'period' | 'of', label: string, options: SelectOptions) => (
    <FilterSelect
      key={name}
      label={label}
      options={withSelected(options, name === 'of' ? scope : values[name])}
      value={(name === 'of' ? scope : values[name]) ?? ''}
      onChange={event => set({ [name]: event.target.value })}
    />
  );
  const hasOtherPeople = scope !== 'mine';
  return (
    <FilterBar>
      <SearchField
        label={messages.search}
        placeholder={messages.searchHint}
        value={values.q ?? ''}
        onChange={text => set({ q: text })}
      />
      {scopes.length > 1 &&
        renderSelect('of', messages.scope, Object.fromEntries(scopes.map(name => [name, scopeLabels[name]])))}
      {renderSelect('status', messages.state, { '': messages.all, ...sharedMessages.runStates })}
      {renderSelect('trigger', messages.by, { ...ANY, ...sharedMessages.runTriggers })}
      {renderSelect('period', messages.period, messages.periods)}
      {!hasOtherPeople && renderSelect('workflowId', messages.workflow, { ...ANY, ...listed.workflows })}
      {hasOtherPeople && (
        <ScopeFilters filters={filters} listed={listed} failures={failures} renderSelect={renderSelect} />
      )}
      {scope === 'instance' && (
        <CheckField
          label={messages.personalOfOthers}
          checked={values.personal === 'true'}
          onChange={event => set({ personal: event.target.checked ? 'true' : '' })}
        />
      )}
      {hasOtherPeople && isFiltered && (
        <Button size="s" variant="quiet" icon={Close} onClick={clear}>
          {messages.clear}
        </Button>
      )}
    </FilterBar>
  );
}

interface ScopeFiltersProps extends FilterControlsProps {
  readonly renderSelect: (name: ApiFilter, label: string, options: SelectOptions) => React.ReactNode;
}

function ScopeFilters({ filters: { scope }, listed, failures, renderSelect }: ScopeFiltersProps) {
  const isInstance = scope === 'instance';
  const models = useQuery({
    ...apiQuery(['/models'], { includeHidden: 1 }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const people = useQuery({
    ...apiQuery(['/admin/users'], { limit: MAX_OPTIONS }),
    enabled: isInstance,
  });
  const teams = useQuery({
    ...apiQuery(['/admin/teams'], { limit: MAX_OPTIONS }),
    enabled: isInstance,
  });
  const groups = failures?.groups ?? [];
  return (
    <>
      {isInstance &&
        renderSelect('teamId', messages.workspace, {
          ...ANY,
          personal: messages.ownPersonal,
          ...toOptions(teams.data?.data ?? [], ({ id, name }) => [id, name]),
        })}
      {renderSelect('userId', messages.person, {
        ...ANY,
        ...listed.people,
        ...toOptions(people.data?.data ?? [], ({ userId, name }) => [String(userId), name]),
      })}
      {renderSelect('workflowId', messages.workflow, { ...ANY, ...listed.workflows })}
      {renderSelect('model', messages.model, {
        ...ANY,
        ...toOptions(
          (models.data?.models ?? []).filter(({ executionCost }) => executionCost === 'paid'),
          ({ nodeType, label }) => [nodeType, label],
        ),
      })}
      {renderSelect('errorCode', messages.error, {
        ...ANY,
        ...toOptions(groups, ({ code }) => [code, code]),
      })}
      {renderSelect('failedNodeType', messages.failedNode, {
        ...ANY,
        ...toOptions(
          groups.filter(({ nodeType }) => nodeType !== null),
          ({ nodeType, label }) => [nodeType ?? '', label ?? nodeType ?? ''],
        ),
      })}
    </>
  );
}

const toOptions = <T,>(
  items: readonly T[],
  toOption: (item: T) => readonly [string, string],
): SelectOptions => Object.fromEntries(items.map(toOption));
