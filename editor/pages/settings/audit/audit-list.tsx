// Renders the entries of an audit log with their filters.
import Download from 'icon:download';
import ListIcon from 'icon:scroll-text';
import Close from 'icon:x';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { AuditEvent } from '../../../../sdk/src/schemas.ts';
import { Button, ButtonAnchor } from '../../../kit/button.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { FilterBar, FilterInput, FilterSelect } from '../../../kit/filter-bar.tsx';
import { useList } from '../../../kit/infinite-list.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { SearchField } from '../../../kit/search-field.tsx';
import type { Column } from '../../../kit/table.tsx';
import { TableList } from '../../../kit/table-list.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { withSelected } from '../../../kit/with-selected.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { pickFilters, useSearchFilters } from '../../../lib/use-search-filters.ts';
import { Introduction } from '../section.tsx';
import styles from './audit.module.css';
import { EventDialog } from './event-dialog.tsx';
import { messages } from './messages.ts';

const FILTERS = ['actor', 'action', 'target', 'from', 'to'] as const;
type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;
const DAY_MS = 86_400_000;

interface AuditListProps {
  readonly path: '/admin/audit' | `/teams/${string}/audit`;
  readonly title: string;
  readonly description: string;
  readonly people: readonly { readonly userId: number; readonly name: string }[];
  /** More filters. */
  readonly children?: ReactNode;
}

export function AuditList({ path, title, description, people, children }: AuditListProps) {
  const { search, change } = useSearchFilters();
  const filters: Filters = pickFilters(search, FILTERS);
  const query = toQuery(filters);
  const list = useList<AuditEvent>(path, { limit: 50, ...query });
  const [openEvent, setOpenEvent] = useState<AuditEvent>();
  const clear = (): void => change(Object.fromEntries(FILTERS.map(name => [name, ''])));
  const isFiltered = Object.keys(filters).length > 0;
  const showOnly = (changes: Filters): void => {
    setOpenEvent(undefined);
    change(changes);
  };
  return (
    <>
      <PageHead title={title}>
        <ButtonAnchor
          icon={Download}
          href={`/api/v1${path}?${new URLSearchParams({ format: 'ndjson', ...query })}`}
          download="audit.ndjson"
        >
          {messages.export}
        </ButtonAnchor>
      </PageHead>
      <Introduction>{description}</Introduction>
      <FilterBar>
        <SearchField
          label={messages.target}
          placeholder={messages.target}
          value={filters.target ?? ''}
          onChange={target => change({ target: target.trim() })}
        />
        {children}
        <Selects filters={filters} people={people} onChange={change} />
        {isFiltered && (
          <Button size="s" variant="quiet" icon={Close} onClick={clear}>
            {messages.clear}
          </Button>
        )}
      </FilterBar>
      <TableList
        query={list}
        empty={<Empty isFiltered={isFiltered} />}
        label={title}
        columns={createColumns(setOpenEvent)}
        getKey={({ id }) => id}
      />
      {openEvent && (
        <EventDialog event={openEvent} onShowOnly={showOnly} onClose={() => setOpenEvent(undefined)} />
      )}
    </>
  );
}

interface SelectsProps {
  readonly filters: Filters;
  readonly people: AuditListProps['people'];
  readonly onChange: (changes: Filters) => void;
}

function Selects({ filters, people, onChange }: SelectsProps) {
  const actions = useQuery({ ...apiQuery(['/audit/actions']), staleTime: Number.POSITIVE_INFINITY });
  const names = (actions.data?.actions ?? []).map(({ action }) => [action, toTitle(action)] as const);
  const persons = people.map(({ userId, name }) => [String(userId), name] as const);
  return (
    <>
      <FilterSelect
        label={messages.action}
        options={withSelected({ '': messages.any, ...Object.fromEntries(names) }, filters.action)}
        value={filters.action ?? ''}
        onChange={event => onChange({ action: event.target.value })}
      />
      <FilterSelect
        label={messages.person}
        options={withSelected({ '': messages.any, ...Object.fromEntries(persons) }, filters.actor)}
        value={filters.actor ?? ''}
        onChange={event => onChange({ actor: event.target.value })}
      />
      {(['from', 'to'] as const).map(name => (
        <FilterInput
          key={name}
          type="date"
          // Otherwise the search field takes its space.
          style={{ minWidth: '9em' }}
          label={messages[name]}
          value={filters[name] ?? ''}
          onChange={event => onChange({ [name]: event.target.value })}
        />
      ))}
    </>
  );
}

/** `key.created` is shown as `Key created`. */
const toTitle = (action: string): string => {
  const words = action.replaceAll(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Days are those of the browser's time zone; the day of `to` is included. */
function toQuery({ from, to, ...filters }: Filters): Record<string, string> {
  const toIso = (day: string | undefined, laterMs: number): string | undefined => {
    const ms = day === undefined ? Number.NaN : new Date(`${day}T00:00`).getTime();
    return Number.isNaN(ms) ? undefined : new Date(ms + laterMs).toISOString();
  };
  const [fromTime, toTime] = [toIso(from, 0), toIso(to, DAY_MS)];
  return {
    ...filters,
    ...(fromTime === undefined ? {} : { from: fromTime }),
    ...(toTime === undefined ? {} : { to: toTime }),
  };
}

function Empty({ isFiltered }: { readonly isFiltered: boolean }) {
  const [title, text] = isFiltered
    ? [messages.noMatchTitle, messages.noMatch]
    : [messages.emptyTitle, messages.empty];
  return (
    <EmptyState icon={ListIcon} title={title}>
      {text}
    </EmptyState>
  );
}

const createColumns = (onOpen: (event: AuditEvent) => void): readonly Column<AuditEvent>[] => [
  {
    title: messages.event,
    cell: event => (
      <button type="button" className={styles.event} onClick={() => onOpen(event)}>
        {event.summary}
      </button>
    ),
  },
  { title: messages.time, cell: ({ at }) => <RelativeTime time={at} /> },
  { title: messages.via, cell: ({ actor }) => messages.vias[actor.via] },
  { title: messages.address, cell: ({ address }) => address ?? messages.none },
];
