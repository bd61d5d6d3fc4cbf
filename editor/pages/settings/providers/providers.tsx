// Renders the providers: configured or not, reachable or not.

import Refresh from 'icon:refresh-cw';
import { useQuery } from '@tanstack/react-query';
import type { Providers as Answer } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { formatDuration } from '../../../lib/format.ts';
import { messages as settingsMessages } from '../messages.ts';
import { DetailList, Introduction, Wrapped } from '../section.tsx';
import { messages } from './messages.ts';

type Provider = Answer['providers'][number];

export function Providers() {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['/admin/providers'],
    queryFn: ({ signal }) => api.get<Answer>('/admin/providers', { signal }),
  });
  const checkAgain = (): void => void refetch();
  return (
    <>
      <PageHead title={settingsMessages.parts.providers}>
        <Button icon={Refresh} isBusy={isFetching} onClick={checkAgain}>
          {messages.check}
        </Button>
      </PageHead>
      <Introduction>{messages.description}</Introduction>
      {error && <Failure error={error} onRetry={checkAgain} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <DetailList facts={[[messages.checked, <RelativeTime key="asked" time={data.checkedAt} />]]} />
          <Table
            label={settingsMessages.parts.providers}
            columns={COLUMNS}
            rows={data.providers}
            getKey={({ name }) => name}
          />
        </>
      )}
    </>
  );
}

const COLUMNS: readonly Column<Provider>[] = [
  { title: messages.provider, cell: ({ label }) => label },
  { title: messages.state, cell: provider => <State {...provider} /> },
  { title: messages.setting, cell: ({ setting }) => <code>{setting}</code> },
  { title: messages.address, cell: ({ address }) => <Wrapped>{address ?? '–'}</Wrapped> },
  {
    title: messages.latency,
    align: 'end',
    cell: ({ latencyMs }) => (latencyMs === null ? '–' : formatDuration(latencyMs)),
  },
  { title: messages.problem, cell: ({ error }) => <Wrapped>{error ?? '–'}</Wrapped> },
];

function State({ answers }: Provider) {
  if (answers === null) return <Badge>{messages.off}</Badge>;
  return answers ? (
    <Badge tone="success">{messages.reachable}</Badge>
  ) : (
    <Badge tone="danger">{messages.unreachable}</Badge>
  );
}
