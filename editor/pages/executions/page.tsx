// Renders the list of runs, newest first, and keeps it up to date.

import History from 'icon:history';
import { Link, useSearchParams } from 'wouter';
import type { ListedExecution } from '../../../sdk/src/types.ts';
import { RunBadge } from '../../kit/badge.tsx';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { FilterSelect } from '../../kit/filter-bar.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { formatDuration, formatNumber } from '../../lib/format.ts';
import { getDurationMs, getPollIntervalMs, useWorkflowNames } from '../../lib/runs.ts';
import { messages as appMessages } from '../../messages.ts';
import { Suggestions } from '../templates/suggestions.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';

const STATES: Readonly<Record<string, string>> = { '': messages.all, ...appMessages.runStates };

export function Page() {
  const [search, setSearch] = useSearchParams();
  const status = search.get('status') ?? '';
  const names = useWorkflowNames();
  const list = useList<ListedExecution>(
    '/executions',
    { limit: 50, ...(status === '' ? {} : { status }) },
    getPollIntervalMs,
  );
  const showAll = (): void => setSearch({}, { replace: true });
  return (
    <>
      <PageHead title={messages.title}>
        <FilterSelect
          label={messages.state}
          value={status}
          options={STATES}
          onChange={({ target: { value } }) =>
            setSearch(value === '' ? {} : { status: value }, { replace: true })
          }
        />
      </PageHead>
      <InfiniteList query={list} empty={status === '' ? <NoRuns /> : <NoMatch onShowAll={showAll} />}>
        {runs => (
          <Table label={messages.title} columns={createColumns(names)} rows={runs} getKey={({ id }) => id} />
        )}
      </InfiniteList>
    </>
  );
}

function NoRuns() {
  return (
    <>
      <EmptyState
        icon={History}
        title={messages.emptyTitle}
        action={<ButtonLink href="/workflows">{messages.toWorkflows}</ButtonLink>}
      >
        {messages.empty}
      </EmptyState>
      <Suggestions />
    </>
  );
}

function NoMatch({ onShowAll }: { readonly onShowAll: () => void }) {
  return (
    <EmptyState
      icon={History}
      title={messages.noneTitle}
      action={<Button onClick={onShowAll}>{messages.all}</Button>}
    >
      {messages.none}
    </EmptyState>
  );
}

const createColumns = (names: ReadonlyMap<string, string>): readonly Column<ListedExecution>[] => [
  {
    title: messages.workflow,
    cell: ({ id, workflowId }) => (
      <Link className={styles.name} href={`/executions/${id}`}>
        {names.get(workflowId) ?? workflowId}
      </Link>
    ),
  },
  { title: messages.state, cell: ({ status }) => <RunBadge status={status} /> },
  { title: messages.started, cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  {
    title: messages.duration,
    align: 'end',
    cell: run => {
      const ms = getDurationMs(run);
      return ms === null ? '–' : formatDuration(ms);
    },
  },
  {
    title: messages.progress,
    align: 'end',
    cell: ({ progress: { done, total } }) => messages.done(done, total),
  },
  { title: messages.credits, align: 'end', cell: ({ credits }) => formatNumber(credits.charged) },
  { title: messages.by, cell: ({ trigger }) => messages.triggers[trigger] },
];
