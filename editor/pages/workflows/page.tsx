// The workflows of who is signed in, most recently changed first.

import Plus from 'icon:plus';
import Workflow from 'icon:workflow';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../kit/button.tsx';
import styles from '../../kit/cards.module.css';
import { EmptyState } from '../../kit/empty-state.tsx';
import { sentenceOf } from '../../kit/failure.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { api } from '../../lib/api.ts';
import { showToast } from '../../lib/toasts.ts';
import { messages } from '../../messages.ts';
import { type ListedWorkflow, WorkflowCard } from './workflow-card.tsx';

const PATH = '/workflows';
const texts = messages.workflows;

export function Page() {
  const list = useList<ListedWorkflow>(PATH, { limit: 50 });
  const create = useCreate();
  const button = (
    <Button look="primary" icon={Plus} isBusy={create.isPending} onClick={() => create.mutate()}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <PageHead title={texts.title}>{button}</PageHead>
      <InfiniteList
        query={list}
        empty={
          <EmptyState icon={Workflow} title={texts.emptyTitle} action={button}>
            {texts.empty}
          </EmptyState>
        }
      >
        {workflows => (
          <ul className={styles.grid}>
            {workflows.map(workflow => (
              <WorkflowCard key={workflow.id} workflow={workflow} />
            ))}
          </ul>
        )}
      </InfiniteList>
    </>
  );
}

/** Makes an empty workflow and opens it. */
function useCreate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<{ id: string }>(PATH, { name: texts.untitled, nodes: [], edges: [] }),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: [PATH] });
      // Another page of the service: the editor, or the drawing.
      location.assign(`/flow/${id}`);
    },
    onError: error => showToast(sentenceOf(error), { tone: 'failed' }),
  });
}
