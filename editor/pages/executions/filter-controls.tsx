// Renders the filters of the list of runs. Selects list what is known: people, teams, models and errors.

import Close from 'icon:x';
import { useQuery } from '@tanstack/react-query';
import type { Failures, InstanceTeam, UserListItem } from '../../../sdk/src/schemas.ts';
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import { Button } from '../../kit/button.tsx';
import { CheckField } from '../../kit/field.tsx';
import { FilterBar, FilterSelect } from '../../kit/filter-bar.tsx';
import { api } from '../../lib/api.ts';
import { useSession } from '../../lib/session.ts';
import { messages as appMessages } from '../../messages.ts';
import type { ApiFilter, RunFilters } from './filters.ts';
import { messages } from './messages.ts';

const ANY = { '': messages.any } as const;
/** A select lists at most this many people or teams. */
const MAX_OPTIONS = 200;

type Options = Readonly<Record<string, string>>;

interface FilterControlsProps {
  readonly filters: RunFilters;
  /** The people and workflows of the runs that are listed. */
  readonly seen: { readonly people: Options; readonly workflows: Options };
  readonly failures: Failures | undefined;
}

export function FilterControls({ filters, seen, failures }: FilterControlsProps) {
  const { of, choices, values, set, clear, isFiltered } = filters;
  const { workspace } = useSession();
  const texts = { ...messages.ofChoices, workspace: workspace.name };
  const select = (name: ApiFilter | 'period' | 'of', label: string, options: Options) => (
    <FilterSelect
      key={name}
      label={label}
      options={withChosen(options, name === 'of' ? of : values[name])}
      value={(name === 'of' ? of : values[name]) ?? ''}
      onChange={event => set({ [name]: event.target.value })}
    />
  );
  const isAll = of !== 'mine';
  return (
    <FilterBar>
      {choices.length > 1 &&
        select('of', messages.of, Object.fromEntries(choices.map(each => [each, texts[each]])))}
      {select('status', messages.state, { '': messages.all, ...appMessages.runStates })}
      {select('period', messages.period, messages.periods)}
      {isAll && <Details filters={filters} seen={seen} failures={failures} select={select} />}
      {of === 'instance' && (
        <CheckField
          label={messages.personalOfOthers}
          checked={values.personal === 'true'}
          onChange={event => set({ personal: event.target.checked ? 'true' : '' })}
        />
      )}
      {isAll && isFiltered && (
        <Button size="s" variant="quiet" icon={Close} onClick={clear}>
          {messages.clear}
        </Button>
      )}
    </FilterBar>
  );
}

interface DetailsProps extends FilterControlsProps {
  readonly select: (name: ApiFilter, label: string, options: Options) => React.ReactNode;
}

function Details({ filters: { of }, seen, failures, select }: DetailsProps) {
  const isInstance = of === 'instance';
  const models = useQuery({
    queryKey: ['/models', 'names'],
    queryFn: ({ signal }) =>
      api.get<{ readonly models: readonly CatalogEntry[] }>('/models', {
        query: { includeHidden: 1 },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const people = useQuery({
    queryKey: ['/admin/users', 'names'],
    queryFn: ({ signal }) =>
      api.get<{ readonly data: readonly UserListItem[] }>('/admin/users', {
        query: { limit: MAX_OPTIONS },
        signal,
      }),
    enabled: isInstance,
  });
  const teams = useQuery({
    queryKey: ['/admin/teams', 'names'],
    queryFn: ({ signal }) =>
      api.get<{ readonly data: readonly InstanceTeam[] }>('/admin/teams', {
        query: { limit: MAX_OPTIONS },
        signal,
      }),
    enabled: isInstance,
  });
  const groups = failures?.groups ?? [];
  return (
    <>
      {isInstance &&
        select('teamId', messages.workspace, {
          ...ANY,
          personal: messages.ownPersonal,
          ...toOptions(teams.data?.data ?? [], ({ id, name }) => [id, name]),
        })}
      {select('userId', messages.person, {
        ...ANY,
        ...seen.people,
        ...toOptions(people.data?.data ?? [], ({ userId, name }) => [String(userId), name]),
      })}
      {select('workflowId', messages.workflow, { ...ANY, ...seen.workflows })}
      {select('model', messages.model, {
        ...ANY,
        ...toOptions(
          (models.data?.models ?? []).filter(({ executionCost }) => executionCost === 'paid'),
          ({ nodeType, label }) => [nodeType, label],
        ),
      })}
      {select('errorCode', messages.error, { ...ANY, ...toOptions(groups, ({ code }) => [code, code]) })}
      {select('failedNodeType', messages.failedNode, {
        ...ANY,
        ...toOptions(
          groups.filter(({ nodeType }) => nodeType !== null),
          ({ nodeType, label }) => [nodeType ?? '', label ?? nodeType ?? ''],
        ),
      })}
    </>
  );
}

const toOptions = <T,>(items: readonly T[], toOption: (item: T) => readonly [string, string]): Options =>
  Object.fromEntries(items.map(toOption));

/** Adds the chosen value, which may come from a link. */
const withChosen = (options: Options, chosen = ''): Options =>
  chosen in options ? options : { ...options, [chosen]: chosen };
