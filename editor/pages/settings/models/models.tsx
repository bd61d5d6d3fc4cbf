// The models that the operator added, and why any of them is left out.

import Boxes from 'icon:boxes';
import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../../kit/badge.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { api } from '../../../lib/api.ts';
import { texts as shared } from '../messages.ts';
import { Cut, Lead, Section } from '../section.tsx';
import { texts } from './messages.ts';

interface Model {
  readonly nodeType: string;
  readonly label: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly isHidden?: boolean;
}

interface Answer {
  readonly models: readonly Model[];
  readonly problems: readonly string[];
}

export function Models() {
  const { data, error, refetch } = useQuery({
    queryKey: ['/admin/models'],
    queryFn: ({ signal }) => api.get<Answer>('/admin/models', { signal }),
  });
  return (
    <>
      <PageHead title={shared.parts.models} />
      <Lead>{texts.lead}</Lead>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && <Lists {...data} />}
    </>
  );
}

function Lists({ models, problems }: Answer) {
  return (
    <>
      {problems.length > 0 && (
        <Section title={texts.problems}>
          <ul>
            {problems.map(problem => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Section>
      )}
      {models.length > 0 ? (
        <Table
          label={shared.parts.models}
          columns={COLUMNS}
          rows={models}
          keyOf={({ nodeType }) => nodeType}
        />
      ) : (
        <EmptyState icon={Boxes} title={texts.emptyTitle}>
          {texts.empty}
        </EmptyState>
      )}
    </>
  );
}

const COLUMNS: readonly Column<Model>[] = [
  { title: texts.model, cell: ({ label }) => <Cut text={label} /> },
  { title: texts.type, cell: ({ nodeType }) => <code>{nodeType}</code> },
  { title: texts.provider, cell: ({ provider }) => provider },
  { title: texts.endpoint, cell: ({ endpoint }) => <Cut text={endpoint} /> },
  {
    title: texts.state,
    cell: ({ isHidden }) => (isHidden ? <Badge>{texts.hidden}</Badge> : texts.offered),
  },
];
