// Renders the list of runs, newest first: the user's own runs, all runs of the active workspace, or for administrators
// all runs of the instance.

import History from 'icon:history';
import { useQuery } from '@tanstack/react-query';
import type { Failures, WorkspaceRun } from '../../../sdk/src/schemas.ts';
import type { ListedExecution } from '../../../sdk/src/types.ts';
import { RunBadge } from '../../kit/badge.tsx';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import type { Column } from '../../kit/table.tsx';
import { TableList } from '../../kit/table-list.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { formatDuration, formatNumber } from '../../lib/format.ts';
import { apiQuery } from '../../lib/queries.ts';
import { getDurationMs, getPollIntervalMs, useWorkflowNames } from '../../lib/runs.ts';
import { messages as sharedMessages } from '../../messages.ts';
import { Suggestions } from '../templates/suggestions.tsx';
import { FailureGroups } from './failure-groups.tsx';
import { FilterControls } from './filter-controls.tsx';
import { type RunFilters, useRunFilters } from './filters.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { RunCell } from './run-cell.tsx';

export function Page() {
  const filters = useRunFilters();
  return filters.scope === 'mine' ? <OwnRuns filters={filters} /> : <ScopeRuns filters={filters} />;
}

function OwnRuns({ filters }: { readonly filters: RunFilters }) {
  const names = useWorkflowNames();
  const list = useList<ListedExecution>(filters.path, { limit: 50, ...filters.query }, getPollIntervalMs);
  return (
    <>
      <PageHead title={messages.title}>
        <ButtonLink href="/batches">{messages.batches}</ButtonLink>
      </PageHead>
      <FilterControls
        filters={filters}
        listed={{ people: {}, workflows: Object.fromEntries(names) }}
        failures={undefined}
      />
      <TableList
        query={list}
        empty={<Empty filters={filters} />}
        label={messages.title}
        columns={createColumns(names)}
        getKey={({ id }) => id}
      />
    </>
  );
}

function ScopeRuns({ filters }: { readonly filters: RunFilters }) {
  const { path, query, failuresPath = '', scope } = filters;
  const list = useList<WorkspaceRun>(path, { limit: 50, ...query }, getPollIntervalMs);
  const {
    errorCode: _code,
    failedNodeType: _node,
    status: _status,
    q: _words,
    trigger: _trigger,
    groupBatches: _batches,
    ...otherFilters
  } = query;
  const failures = useQuery(apiQuery<Failures>([failuresPath], otherFilters));
  const runs = list.data ?? [];
  const listed = {
    people: Object.fromEntries(runs.map(({ userId, userName }) => [String(userId), userName])),
    workflows: Object.fromEntries(
      runs.map(({ workflowId, workflowName }) => [workflowId, workflowName ?? messages.deletedWorkflow]),
    ),
  };
  return (
    <>
      <PageHead title={messages.title}>
        <ButtonLink href="/batches">{messages.batches}</ButtonLink>
      </PageHead>
      <FilterControls filters={filters} listed={listed} failures={failures.data} />
      {failures.data !== undefined && <FailureGroups failures={failures.data} filters={filters} />}
      <TableList
        query={list}
        empty={<Empty filters={filters} />}
        label={messages.title}
        columns={scope === 'instance' ? INSTANCE_COLUMNS : WORKSPACE_COLUMNS}
        getKey={({ id }) => id}
      />
    </>
  );
}

function Empty({ filters: { isFiltered, clear } }: { readonly filters: RunFilters }) {
  return isFiltered ? (
    <EmptyState
      icon={History}
      title={messages.noMatchTitle}
      action={<Button onClick={clear}>{messages.all}</Button>}
    >
      {messages.noMatch}
    </EmptyState>
  ) : (
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

/** The fields that all lists of runs have. */
type AnyRun = Pick<
  ListedExecution,
  'status' | 'createdAt' | 'startedAt' | 'finishedAt' | 'progress' | 'credits' | 'trigger' | 'batch'
>;
const STATUS: Column<AnyRun> = {
  title: messages.state,
  cell: ({ status, batch }) =>
    batch === null ? (
      <RunBadge status={status} />
    ) : (
      <span className={styles.muted}>{messages.batchRows(batch.completed, batch.failed, batch.total)}</span>
    ),
};
const TRIGGER: Column<AnyRun> = {
  title: messages.by,
  cell: ({ trigger }) => sharedMessages.runTriggers[trigger],
};
/** The value of a batch, whose row has only its newest run. */
const NO_VALUE = '–';
const STARTED: Column<AnyRun> = {
  title: messages.started,
  cell: ({ createdAt }) => <RelativeTime time={createdAt} />,
};
const DURATION: Column<AnyRun> = {
  title: messages.duration,
  align: 'end',
  cell: run => {
    const ms = getDurationMs(run);
    return ms === null || run.batch !== null ? NO_VALUE : formatDuration(ms);
  },
};
const CREDITS: Column<AnyRun> = {
  title: messages.credits,
  align: 'end',
  cell: ({ credits, batch }) => (batch === null ? formatNumber(credits.charged) : NO_VALUE),
};

const createColumns = (names: ReadonlyMap<string, string>): readonly Column<ListedExecution>[] => [
  {
    title: messages.workflow,
    cell: run => (
      <RunCell
        run={run}
        workflowName={names.get(run.workflowId) ?? run.workflowId}
        href={`/executions/${run.id}`}
      />
    ),
  },
  STATUS,
  STARTED,
  DURATION,
  {
    title: messages.progress,
    align: 'end',
    cell: ({ progress: { done, total }, batch }) => (batch === null ? messages.done(done, total) : NO_VALUE),
  },
  CREDITS,
  TRIGGER,
];

const WORKSPACE_COLUMNS: readonly Column<WorkspaceRun>[] = [
  {
    title: messages.workflow,
    cell: run => (
      <RunCell
        run={run}
        workflowName={getWorkflowName(run)}
        href={run.mayOpen ? `/executions/${run.id}` : undefined}
      />
    ),
  },
  STATUS,
  {
    title: messages.error,
    cell: ({ error }) =>
      error === null ? (
        '–'
      ) : (
        <span className={styles.truncated} title={error.message}>
          {error.code}
        </span>
      ),
  },
  {
    title: messages.models,
    cell: ({ models }) =>
      models.length === 0 ? (
        '–'
      ) : (
        <span className={styles.truncated} title={models.join(', ')}>
          {models.map(model => model.split(':').at(-1)).join(', ')}
        </span>
      ),
  },
  { title: messages.person, cell: ({ userName }) => <span className={styles.truncated}>{userName}</span> },
  TRIGGER,
  STARTED,
  DURATION,
  CREDITS,
];

const getWorkflowName = ({ workflowName }: WorkspaceRun): string => workflowName ?? messages.deletedWorkflow;

const INSTANCE_COLUMNS: readonly Column<WorkspaceRun>[] = [
  {
    title: messages.workflow,
    // If the user has no access to the workflow, the link opens the run as an administrator.
    cell: run => (
      <RunCell
        run={run}
        workflowName={getWorkflowName(run)}
        href={`/executions/${run.id}${run.mayOpen ? '' : '?asAdmin=true'}`}
      />
    ),
  },
  {
    title: messages.workspace,
    cell: ({ workspaceName }) => (
      <span className={styles.truncated}>{workspaceName ?? messages.deletedTeam}</span>
    ),
  },
  ...WORKSPACE_COLUMNS.slice(1),
];
