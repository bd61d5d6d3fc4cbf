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
import { Ago } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { formatDuration } from '../../../lib/format.ts';
import { texts as shared } from '../messages.ts';
import { Facts, Lead, Wrapped } from '../section.tsx';
import { texts } from './messages.ts';

type Provider = Answer['providers'][number];

export function Providers() {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['/admin/providers'],
    queryFn: ({ signal }) => api.get<Answer>('/admin/providers', { signal }),
  });
  const ask = (): void => void refetch();
  return (
    <>
      <PageHead title={shared.parts.providers}>
        <Button icon={Refresh} isBusy={isFetching} onClick={ask}>
          {texts.check}
        </Button>
      </PageHead>
      <Lead>{texts.lead}</Lead>
      {error && <Failure error={error} onRetry={ask} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <Facts facts={[[texts.checked, <Ago key="asked" time={data.checkedAt} />]]} />
          <Table
            label={shared.parts.providers}
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
  { title: texts.provider, cell: ({ label }) => label },
  { title: texts.state, cell: provider => <State {...provider} /> },
  { title: texts.setting, cell: ({ setting }) => <code>{setting}</code> },
  { title: texts.address, cell: ({ address }) => <Wrapped>{address ?? '–'}</Wrapped> },
  {
    title: texts.latency,
    align: 'end',
    cell: ({ latencyMs }) => (latencyMs === null ? '–' : formatDuration(latencyMs)),
  },
  { title: texts.problem, cell: ({ error }) => <Wrapped>{error ?? '–'}</Wrapped> },
];

function State({ answers }: Provider) {
  if (answers === null) return <Badge>{texts.off}</Badge>;
  return answers ? (
    <Badge tone="success">{texts.reachable}</Badge>
  ) : (
    <Badge tone="danger">{texts.unreachable}</Badge>
  );
}
