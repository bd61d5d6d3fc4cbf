// Renders workers and queue, reloaded while visible.
import { useQuery } from '@tanstack/react-query';
import type { Workload as Answer } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { Ago } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { formatDuration, formatNumber } from '../../../lib/format.ts';
import { texts as shared } from '../messages.ts';
import { Facts, Lead, Section, Truncated } from '../section.tsx';
import { texts } from './messages.ts';

const AGAIN_MS = 5000;
type Worker = Answer['workers'][number];
type Jobs = Answer['jobs'][number];

export function Workload() {
  const { data, error, refetch } = useQuery({
    queryKey: ['/admin/workload'],
    queryFn: ({ signal }) => api.get<Answer>('/admin/workload', { signal }),
    refetchInterval: AGAIN_MS,
  });
  return (
    <>
      <PageHead title={shared.parts.workload} />
      <Lead>{texts.lead}</Lead>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && <Figures workload={data} />}
    </>
  );
}

function Figures({ workload: { runs, oldestQueuedSeconds, workers, jobs } }: { readonly workload: Answer }) {
  return (
    <>
      <Facts
        facts={[
          [texts.queued, formatNumber(runs.queued)],
          [texts.running, formatNumber(runs.running)],
          [texts.waiting, formatNumber(runs.waiting)],
          [texts.oldest, oldestQueuedSeconds === null ? '–' : formatDuration(oldestQueuedSeconds * 1000)],
        ]}
      />
      <Section title={texts.workers}>
        {workers.length === 0 ? (
          <p>{texts.noWorkers}</p>
        ) : (
          <Table label={texts.workers} columns={WORKER_COLUMNS} rows={workers} getKey={({ id }) => id} />
        )}
      </Section>
      <Section title={texts.jobs}>
        {jobs.length === 0 ? (
          <p>{texts.noJobs}</p>
        ) : (
          <Table
            label={texts.jobs}
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
  { title: texts.worker, cell: ({ hostname }) => <Truncated text={hostname} /> },
  {
    title: texts.state,
    cell: ({ isAlive }) => (
      <Badge tone={isAlive ? 'success' : 'danger'}>{isAlive ? texts.alive : texts.silent}</Badge>
    ),
  },
  { title: texts.process, align: 'end', cell: ({ pid }) => pid },
  { title: texts.runs, align: 'end', cell: ({ runs }) => formatNumber(runs) },
  { title: texts.started, cell: ({ startedAt }) => <Ago time={startedAt} /> },
  { title: texts.lastHeartbeat, cell: ({ heartbeatAt }) => <Ago time={heartbeatAt} /> },
];

const JOB_COLUMNS: readonly Column<Jobs>[] = [
  { title: texts.task, cell: ({ task }) => <code>{task}</code> },
  { title: texts.state, cell: ({ state }) => texts.states[state] },
  { title: texts.count, align: 'end', cell: ({ count }) => formatNumber(count) },
];
