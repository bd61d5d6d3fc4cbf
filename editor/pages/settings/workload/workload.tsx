// Renders the workers and the queue, and refreshes them every five seconds.

import { useQuery } from '@tanstack/react-query';
import type { Workload as WorkloadResponse } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { formatDuration, formatNumber } from '../../../lib/format.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { messages as settingsMessages } from '../messages.ts';
import { DetailList, Introduction, Section, Truncated } from '../section.tsx';

const messages = {
  description: 'Queued work and the workers that process it. Refreshes every five seconds.',
  queued: 'Queued runs',
  running: 'Running runs',
  waiting: 'Runs waiting for a provider',
  oldest: 'Longest wait',
  workers: 'Workers',
  noWorkers: 'No workers. Start one to process queued runs.',
  worker: 'Worker',
  process: 'Process',
  state: 'Status',
  alive: 'Active',
  silent: 'Not responding',
  started: 'Started',
  lastHeartbeat: 'Last heartbeat',
  runs: 'Runs',
  jobs: 'Jobs',
  noJobs: 'No jobs.',
  task: 'Task',
  count: 'Count',
  states: { ready: 'Ready', scheduled: 'Scheduled', running: 'Running', failed: 'Failed' },
} as const;

const REFRESH_MS = 5000;
type Worker = WorkloadResponse['workers'][number];
type JobCount = WorkloadResponse['jobs'][number];

export function Workload() {
  const workload = useQuery({
    ...apiQuery(['/admin/workload']),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <PageHead title={settingsMessages.parts.workload} />
      <Introduction>{messages.description}</Introduction>
      <QueryResult query={workload}>{data => <Figures workload={data} />}</QueryResult>
    </>
  );
}

function Figures({
  workload: { runs, oldestQueuedSeconds, workers, jobs },
}: {
  readonly workload: WorkloadResponse;
}) {
  return (
    <>
      <DetailList
        details={[
          [messages.queued, formatNumber(runs.queued)],
          [messages.running, formatNumber(runs.running)],
          [messages.waiting, formatNumber(runs.waiting)],
          [messages.oldest, oldestQueuedSeconds === null ? '–' : formatDuration(oldestQueuedSeconds * 1000)],
        ]}
      />
      <Section title={messages.workers}>
        {workers.length === 0 ? (
          <p>{messages.noWorkers}</p>
        ) : (
          <Table label={messages.workers} columns={WORKER_COLUMNS} rows={workers} getKey={({ id }) => id} />
        )}
      </Section>
      <Section title={messages.jobs}>
        {jobs.length === 0 ? (
          <p>{messages.noJobs}</p>
        ) : (
          <Table
            label={messages.jobs}
            columns={JOB_COLUMNS}
            rows={jobs}
            getKey={({ task, state }) => `${task} ${state}`}
          />
        )}
      </Section>
    </>
  );
}

const WORKER_COLUMNS: readonly Column<Worker>[] = [
  { title: messages.worker, cell: ({ hostname }) => <Truncated text={hostname} /> },
  {
    title: messages.state,
    cell: ({ isAlive }) => (
      <Badge tone={isAlive ? 'success' : 'danger'}>{isAlive ? messages.alive : messages.silent}</Badge>
    ),
  },
  { title: messages.process, align: 'end', cell: ({ pid }) => pid },
  { title: messages.runs, align: 'end', cell: ({ runs }) => formatNumber(runs) },
  { title: messages.started, cell: ({ startedAt }) => <RelativeTime time={startedAt} /> },
  { title: messages.lastHeartbeat, cell: ({ heartbeatAt }) => <RelativeTime time={heartbeatAt} /> },
];

const JOB_COLUMNS: readonly Column<JobCount>[] = [
  { title: messages.task, cell: ({ task }) => <code>{task}</code> },
  { title: messages.state, cell: ({ state }) => messages.states[state] },
  { title: messages.count, align: 'end', cell: ({ count }) => formatNumber(count) },
];
