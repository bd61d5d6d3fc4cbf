// Renders the list of batches, newest first.

import Table2 from 'icon:table-2';
import { Link } from 'wouter';
import type { Batch } from '../../../sdk/src/types.ts';
import { Badge } from '../../kit/badge.tsx';
import { ButtonAnchor } from '../../kit/button.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import type { Column } from '../../kit/table.tsx';
import { TableList } from '../../kit/table-list.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { formatNumber } from '../../lib/format.ts';
import { getPollIntervalMs } from '../../lib/runs.ts';
import { RUNS_CRUMB, TONES } from '../batch/batch.ts';
import { messages } from '../batch/messages.ts';

export function Page() {
  const list = useList('/batches', { limit: 50 }, getPollIntervalMs);
  return (
    <>
      <PageHead title={messages.listTitle} parents={[RUNS_CRUMB]} />
      <TableList
        query={list}
        empty={<NoBatches />}
        label={messages.listTitle}
        columns={COLUMNS}
        getKey={({ id }) => id}
      />
    </>
  );
}

function NoBatches() {
  return (
    <EmptyState
      icon={Table2}
      title={messages.emptyTitle}
      action={<ButtonAnchor href="/docs">{messages.toDocs}</ButtonAnchor>}
    >
      {messages.empty}
    </EmptyState>
  );
}

const COLUMNS: readonly Column<Batch>[] = [
  {
    title: messages.workflow,
    cell: ({ id, workflowName }) => <Link href={`/batches/${id}`}>{workflowName}</Link>,
  },
  {
    title: messages.state,
    cell: ({ status }) => <Badge tone={TONES[status]}>{messages.statuses[status]}</Badge>,
  },
  { title: messages.created, cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  {
    title: messages.rows,
    align: 'end',
    cell: ({ counts }) => messages.done(counts.completed, counts.total),
  },
  { title: messages.credits, align: 'end', cell: ({ credits }) => formatNumber(credits.charged) },
];
