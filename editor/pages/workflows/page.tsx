// Renders the user's workflows as grid or table, with filters.

import WorkflowIcon from 'icon:workflow';
import { useState } from 'react';
import { Button, ButtonLink } from '../../kit/button.tsx';
import cards from '../../kit/cards.module.css';
import { EmptyState } from '../../kit/empty-state.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { pollIntervalMs } from '../../lib/runs.ts';
import { CreateButton } from './create-button.tsx';
import { useView, ViewBar } from './filters.tsx';
import { FolderTree } from './folder-tree.tsx';
import { ImportButton } from './import-button.tsx';
import { messages } from './messages.ts';
import { MoveDialog } from './move-dialog.tsx';
import styles from './page.module.css';
import { useFolders } from './use-folders.ts';
import type { ListedWorkflow } from './use-workflow.ts';
import { WorkflowCard } from './workflow-card.tsx';
import { WorkflowTable } from './workflow-table.tsx';

export function Page() {
  const view = useView();
  const folders = useFolders();
  const [moving, move] = useState<ListedWorkflow>();
  const list = useList<ListedWorkflow>(
    '/workflows',
    { limit: 50, include: 'card', ...view.query },
    workflows =>
      pollIntervalMs(workflows.flatMap(({ lastExecution }) => (lastExecution ? [lastExecution] : []))),
  );
  const chooseTag = (tag: string): void => view.choose('tag', tag);
  const isFiltered = Object.keys(view.query).length > 0;
  return (
    <>
      <PageHead title={messages.title}>
        <ImportButton />
        <CreateButton folderId={view.folderId} />
      </PageHead>
      <ViewBar view={view} />
      <div className={styles.columns}>
        <FolderTree folders={folders} chosen={view.folderId} onChoose={view.chooseFolder} />
        <div className={styles.list}>
          <InfiniteList query={list} empty={isFiltered ? <NoMatch onShowAll={view.clear} /> : <None />}>
            {workflows =>
              view.form === 'table' ? (
                <WorkflowTable workflows={workflows} onMove={move} onTag={chooseTag} />
              ) : (
                <ul className={cards.grid}>
                  {workflows.map(workflow => (
                    <WorkflowCard key={workflow.id} workflow={workflow} onMove={move} onTag={chooseTag} />
                  ))}
                </ul>
              )
            }
          </InfiniteList>
        </div>
      </div>
      {moving && <MoveDialog workflow={moving} folders={folders} onClose={() => move(undefined)} />}
    </>
  );
}

function None() {
  return (
    <EmptyState
      icon={WorkflowIcon}
      title={messages.emptyTitle}
      action={<ButtonLink href="/templates">{messages.templates}</ButtonLink>}
    >
      {messages.empty}
    </EmptyState>
  );
}

function NoMatch({ onShowAll }: { readonly onShowAll: () => void }) {
  return (
    <EmptyState
      icon={WorkflowIcon}
      title={messages.noneTitle}
      action={<Button onClick={onShowAll}>{messages.all}</Button>}
    >
      {messages.none}
    </EmptyState>
  );
}
