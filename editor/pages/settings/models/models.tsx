// Renders the models that administrators added, and buttons to add, compare and remove them.

import Boxes from 'icon:boxes';
import Trash from 'icon:trash-2';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '../../../kit/badge.tsx';
import { Button, ButtonLink, IconButton } from '../../../kit/button.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction, Section, Truncated } from '../section.tsx';
import { CompareDialog } from './compare-dialog.tsx';
import { FindDialog } from './find-dialog.tsx';
import { messages } from './messages.ts';
import { type AddedModels, type Model, type PlanRequest, useConfiguredProviders } from './model.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

export function Models() {
  const addedModels = useQuery(apiQuery<AddedModels>(['/admin/models']));
  const providers = useConfiguredProviders();
  const [openDialog, setOpenDialog] = useState<'find' | 'compare'>();
  const [request, setRequest] = useState<PlanRequest>();
  const choose = (request: PlanRequest): void => {
    setOpenDialog(undefined);
    setRequest(request);
  };
  return (
    <>
      <PageHead title={settingsMessages.parts.models}>
        {providers !== undefined && providers.length > 0 && (
          <>
            <Button onClick={() => setOpenDialog('compare')}>{messages.compare}</Button>
            <Button variant="primary" onClick={() => setOpenDialog('find')}>
              {messages.add}
            </Button>
          </>
        )}
      </PageHead>
      <Introduction>{messages.description}</Introduction>
      <QueryResult query={addedModels}>
        {data => <ModelLists {...data} hasProvider={providers?.length !== 0} />}
      </QueryResult>
      {openDialog === 'find' && (
        <FindDialog providers={providers ?? []} onChoose={choose} onClose={() => setOpenDialog(undefined)} />
      )}
      {openDialog === 'compare' && (
        <CompareDialog
          providers={providers ?? []}
          onChoose={choose}
          onClose={() => setOpenDialog(undefined)}
        />
      )}
      {request && <PlanDialog request={request} onClose={() => setRequest(undefined)} />}
    </>
  );
}

interface ModelListsProps extends AddedModels {
  /** Whether a provider with a list of models is configured. */
  readonly hasProvider: boolean;
}

function ModelLists({ revision, models, problems, hasProvider }: ModelListsProps) {
  const [modelToRemove, setModelToRemove] = useState<Model>();
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
          columns={createColumns(setModelToRemove)}
          rows={models}
          getKey={({ nodeType }) => nodeType}
        />
      ) : (
        <EmptyState
          icon={Boxes}
          title={hasProvider ? messages.emptyTitle : messages.noProviderTitle}
          {...(hasProvider
            ? {}
            : { action: <ButtonLink href="/settings/providers">{messages.addKey}</ButtonLink> })}
        >
          {hasProvider ? messages.empty : messages.noProvider}
        </EmptyState>
      )}
      {modelToRemove && (
        <RemoveDialog model={modelToRemove} revision={revision} onClose={() => setModelToRemove(undefined)} />
      )}
    </>
  );
}

const createColumns = (onRemove: (model: Model) => void): readonly Column<Model>[] => [
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
          onClick={() => onRemove(model)}
        />
      ),
  },
];
