// Renders a dialog for settings that only the creator of the workflow may change, and provides their mutation.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { WorkflowInfo } from '../../../board/remote.ts';
import { Dialog } from '../../../kit/dialog.tsx';
import { showError } from '../../../kit/failure.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { useEditor } from '../../../session/editor-context.tsx';

interface OwnerDialogProps {
  readonly title: string;
  readonly introduction?: ReactNode;
  /** Text for users who are not the creator. */
  readonly creatorOnly: string;
  readonly onClose: () => void;
  readonly size?: 'm' | 'xl';
  /** Buttons at the bottom, for the creator. */
  readonly actions?: ReactNode;
  /** Renders the content for the creator. `path` is the API path of the workflow. */
  readonly children: (workflow: WorkflowInfo, path: string) => ReactNode;
}

export function OwnerDialog({
  title,
  introduction,
  creatorOnly,
  onClose,
  size = 'm',
  actions,
  children,
}: OwnerDialogProps) {
  const { session } = useEditor();
  const path = `/workflows/${session.id}`;
  const workflow = useQuery({ ...apiQuery<WorkflowInfo>([path]), staleTime: 0 });
  return (
    <Dialog title={title} onClose={onClose} size={size} actions={workflow.data?.isOwner && actions}>
      {introduction}
      <QueryResult query={workflow}>
        {data => (data.isOwner ? children(data, path) : <p>{creatorOnly}</p>)}
      </QueryResult>
    </Dialog>
  );
}

/** Creates a mutation after which the queries of `path` are reloaded. */
export function useWorkflowMutation<T>(path: string, mutationFn: (input: T) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
    onError: showError,
  });
}
