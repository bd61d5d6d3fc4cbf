// Renders a dialog for settings that not everyone who edits the workflow may change, and provides their mutation.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { WorkflowInfo } from '../../../board/remote.ts';
import { Dialog } from '../../../kit/dialog.tsx';
import { showError } from '../../../kit/failure.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { useEditor } from '../../../session/editor-context.tsx';

interface RestrictedDialogProps {
  readonly title: string;
  readonly introduction?: ReactNode;
  readonly isAllowed: (workflow: WorkflowInfo) => boolean;
  /** Text for users who are not allowed to change the settings. */
  readonly refusal: string;
  readonly onClose: () => void;
  readonly size?: 'm' | 'xl';
  /** Buttons at the bottom, for users who are allowed. */
  readonly actions?: ReactNode;
  /** Renders the content. `path` is the API path of the workflow. */
  readonly children: (workflow: WorkflowInfo, path: `/workflows/${string}`) => ReactNode;
}

export function RestrictedDialog({
  title,
  introduction,
  isAllowed,
  refusal,
  onClose,
  size = 'm',
  actions,
  children,
}: RestrictedDialogProps) {
  const { session } = useEditor();
  const path = `/workflows/${session.id}` as const;
  const workflow = useQuery({ ...apiQuery<WorkflowInfo>([path]), staleTime: 0 });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      size={size}
      actions={workflow.data && isAllowed(workflow.data) && actions}
    >
      {introduction}
      <QueryResult query={workflow}>
        {data => (isAllowed(data) ? children(data, path) : <p>{refusal}</p>)}
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
