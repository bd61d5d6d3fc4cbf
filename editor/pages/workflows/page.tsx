// Renders the user's workflows as grid or table, with filters.

import Users from 'icon:users';
import WorkflowIcon from 'icon:workflow';
import { useEffect, useState } from 'react';
import type { WorkflowListItem } from '../../../sdk/src/schemas.ts';
import { Button } from '../../kit/button.tsx';
import cards from '../../kit/cards.module.css';
import { EmptyState } from '../../kit/empty-state.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { startFirstSteps } from '../../lib/first-steps.ts';
import { lazyComponent } from '../../lib/lazy-component.ts';
import { getPollIntervalMs } from '../../lib/runs.ts';
import { TemplateSections } from '../templates/template-sections.tsx';
import { CreateButton } from './create-button.tsx';
import { useWorkflowFilters, WorkflowFilterBar, type WorkflowFilters } from './filters.tsx';
import { FolderTree } from './folder-tree.tsx';
import { ImportButton } from './import-button.tsx';
import { messages } from './messages.ts';
import { MoveDialog } from './move-dialog.tsx';
import styles from './page.module.css';
import { useFolders } from './use-folders.ts';
import type { WorkflowDialog } from './use-workflow-actions.ts';
import { WorkflowCard } from './workflow-card.tsx';
import { WorkflowTable } from './workflow-table.tsx';

const CallersDialog = lazyComponent<{ readonly workflowId: string; readonly onClose: () => void }>(
  async () => (await import('../editor/component/callers.tsx')).CallersDialog,
  () => null,
);
const DeleteDialog = lazyComponent<{ readonly workflow: WorkflowListItem; readonly onClose: () => void }>(
  async () => (await import('./delete-dialog.tsx')).DeleteDialog,
  () => null,
);

const ProviderBanner = lazyComponent(async () => (await import('./provider-banner.tsx')).ProviderBanner);

export function Page() {
  const filters = useWorkflowFilters();
  const folders = useFolders();
  const [openDialog, setOpenDialog] = useState<WorkflowDialog>();
  const list = useList('/workflows', { limit: 50, include: 'card', ...filters.query }, workflows =>
    getPollIntervalMs(workflows.flatMap(({ lastExecution }) => (lastExecution ? [lastExecution] : []))),
  );
  const chooseTag = (tag: string): void => filters.setFilter('tag', tag);
  return (
    <>
      <PageHead title={messages.title}>
        <ImportButton />
        <CreateButton folderId={filters.folderId} />
      </PageHead>
      <ProviderBanner />
      <WorkflowFilterBar filters={filters} />
      <div className={styles.columns}>
        <FolderTree folders={folders} filters={filters} />
        <div className={styles.list}>
          <InfiniteList query={list} empty={<NoResults filters={filters} />}>
            {workflows =>
              filters.layout === 'table' ? (
                <WorkflowTable workflows={workflows} onOpen={setOpenDialog} onTag={chooseTag} />
              ) : (
                <ul className={cards.grid}>
                  {workflows.map(workflow => (
                    <WorkflowCard
                      key={workflow.id}
                      workflow={workflow}
                      onOpen={setOpenDialog}
                      onTag={chooseTag}
                    />
                  ))}
                </ul>
              )
            }
          </InfiniteList>
        </div>
      </div>
      {openDialog && (
        <DialogByKind {...openDialog} folders={folders} onClose={() => setOpenDialog(undefined)} />
      )}
    </>
  );
}

interface DialogByKindProps extends WorkflowDialog {
  readonly folders: ReturnType<typeof useFolders>;
  readonly onClose: () => void;
}

function DialogByKind({ kind, workflow, folders, onClose }: DialogByKindProps) {
  if (kind === 'move') return <MoveDialog workflow={workflow} folders={folders} onClose={onClose} />;
  if (kind === 'uses') return <CallersDialog workflowId={workflow.id} onClose={onClose} />;
  return <DeleteDialog workflow={workflow} onClose={onClose} />;
}

/** Renders the template gallery for users who have no workflow yet. */
function NoWorkflows() {
  const gallery = useList('/templates', { limit: 48 });
  useEffect(startFirstSteps, []);
  const templates = gallery.data ?? [];
  return (
    <>
      <EmptyState icon={WorkflowIcon} title={messages.emptyTitle}>
        {messages.empty}
      </EmptyState>
      <TemplateSections templates={templates} />
    </>
  );
}

function NoResults({ filters }: { readonly filters: WorkflowFilters }) {
  const { shared: _shared, ...others } = filters.query;
  if (Object.keys(others).length > 0) return <NoMatch onShowAll={filters.clear} />;
  return filters.isShared ? <NothingShared /> : <NoWorkflows />;
}

function NothingShared() {
  return (
    <EmptyState icon={Users} title={messages.nothingSharedTitle}>
      {messages.nothingShared}
    </EmptyState>
  );
}

function NoMatch({ onShowAll }: { readonly onShowAll: () => void }) {
  return (
    <EmptyState
      icon={WorkflowIcon}
      title={messages.noMatchTitle}
      action={<Button onClick={onShowAll}>{messages.showAll}</Button>}
    >
      {messages.noMatch}
    </EmptyState>
  );
}
