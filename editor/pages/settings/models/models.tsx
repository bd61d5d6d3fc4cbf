// Renders the models that an administrator added, with problems: add, compare, remove.

import Boxes from 'icon:boxes';
import Trash from 'icon:trash-2';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '../../../kit/badge.tsx';
import { Button, IconButton } from '../../../kit/button.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { api } from '../../../lib/api.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Lead, Section, Truncated } from '../section.tsx';
import { CompareDialog } from './compare-dialog.tsx';
import { FindDialog } from './find-dialog.tsx';
import { messages } from './messages.ts';
import type { AddedModels, Model, PlanRequest } from './model.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

export function Models() {
  const { data, error, refetch } = useQuery({
    queryKey: ['/admin/models'],
    queryFn: ({ signal }) => api.get<AddedModels>('/admin/models', { signal }),
  });
  const [asked, ask] = useState<'find' | 'compare'>();
  const [request, setRequest] = useState<PlanRequest>();
  const choose = (next: PlanRequest): void => {
    ask(undefined);
    setRequest(next);
  };
  return (
    <>
      <PageHead title={settingsMessages.parts.models}>
        <Button onClick={() => ask('compare')}>{messages.compare}</Button>
        <Button variant="primary" onClick={() => ask('find')}>
          {messages.add}
        </Button>
      </PageHead>
      <Lead>{messages.lead}</Lead>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && <Lists {...data} />}
      {asked === 'find' && <FindDialog onChoose={choose} onClose={() => ask(undefined)} />}
      {asked === 'compare' && <CompareDialog onChoose={choose} onClose={() => ask(undefined)} />}
      {request && <PlanDialog request={request} onClose={() => setRequest(undefined)} />}
    </>
  );
}

function Lists({ revision, models, problems }: AddedModels) {
  const [leaving, remove] = useState<Model>();
  return (
    <>
      {problems.length > 0 && (
        <Section title={messages.problems}>
          <ul>
            {problems.map(problem => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Section>
      )}
      {models.length > 0 ? (
        <Table
          label={settingsMessages.parts.models}
          columns={columnsOf(remove)}
          rows={models}
          getKey={({ nodeType }) => nodeType}
        />
      ) : (
        <EmptyState icon={Boxes} title={messages.emptyTitle}>
          {messages.empty}
        </EmptyState>
      )}
      {leaving && <RemoveDialog model={leaving} revision={revision} onClose={() => remove(undefined)} />}
    </>
  );
}

const columnsOf = (remove: (model: Model) => void): readonly Column<Model>[] => [
  { title: messages.model, cell: ({ label }) => <Truncated text={label} /> },
  { title: messages.type, cell: ({ nodeType }) => <code>{nodeType}</code> },
  { title: messages.provider, cell: ({ provider }) => provider },
  { title: messages.endpoint, cell: ({ endpoint }) => <Truncated text={endpoint} /> },
  {
    title: messages.state,
    cell: ({ isHidden }) => (isHidden ? <Badge>{messages.hidden}</Badge> : messages.offered),
  },
  {
    title: messages.actions,
    align: 'end',
    cell: model =>
      model.isHidden ? null : (
        <IconButton
          icon={Trash}
          size="s"
          label={messages.removeLabel(model.label)}
          onClick={() => remove(model)}
        />
      ),
  },
];
