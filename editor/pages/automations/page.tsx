// Renders the schedules and triggers of all workflows that the user may edit, with filters.
import CalendarClock from 'icon:calendar-clock';
import { Button } from '../../kit/button.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { FilterBar, FilterSelect } from '../../kit/filter-bar.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { SearchField } from '../../kit/search-field.tsx';
import { pickFilters, useSearchFilters } from '../../lib/use-search-filters.ts';
import { AddButtons } from './add-buttons.tsx';
import { AutomationList } from './automation-list.tsx';
import { messages } from './messages.ts';
import { type Automation, getKind } from './use-automations.ts';

const STATES = { '': messages.anyState, ...messages.states } as const;

export function Page() {
  const { search, change, replaceAll } = useSearchFilters();
  const { q = '', kind, state } = pickFilters(search, ['q', 'kind', 'state']);
  const words = q.toLowerCase();
  const matches = (automation: Automation): boolean =>
    (kind === undefined || kind === getKind(automation)) &&
    (state === undefined || state === (automation.isActive ? 'active' : 'paused')) &&
    [automation.name, automation.workflowName].some(text => text.toLowerCase().includes(words));
  const isFiltered = q !== '' || kind !== undefined || state !== undefined;
  return (
    <>
      <PageHead title={messages.title}>
        <AddButtons />
      </PageHead>
      <FilterBar>
        <SearchField
          label={messages.search}
          placeholder={messages.search}
          value={q}
          onChange={text => change({ q: text })}
        />
        <FilterSelect
          label={messages.kind}
          options={messages.kinds}
          value={kind ?? ''}
          onChange={({ target }) => change({ kind: target.value })}
        />
        <FilterSelect
          label={messages.state}
          options={STATES}
          value={state ?? ''}
          onChange={({ target }) => change({ state: target.value })}
        />
      </FilterBar>
      <AutomationList
        matches={matches}
        empty={
          isFiltered ? (
            <EmptyState
              icon={CalendarClock}
              title={messages.noMatchTitle}
              action={<Button onClick={() => replaceAll({})}>{messages.clear}</Button>}
            >
              {messages.noMatch}
            </EmptyState>
          ) : (
            <EmptyState icon={CalendarClock} title={messages.emptyTitle}>
              {messages.empty}
            </EmptyState>
          )
        }
      />
    </>
  );
}
