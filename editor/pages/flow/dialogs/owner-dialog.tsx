// Renders a dialog for settings that only the creator of the workflow may change, and provides their mutation.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { WorkflowInfo } from '../../../board/remote.ts';
import { Dialog } from '../../../kit/dialog.tsx';
import { Failure, toErrorMessage } from '../../../kit/failure.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { api } from '../../../lib/api.ts';
import { showToast } from '../../../lib/toasts.ts';
import { useEditor } from '../../../runs/editor-context.tsx';

interface OwnerDialogProps {
  readonly title: string;
  readonly about?: ReactNode;
  /** Text for users who are not the creator. */
  readonly ownerOnly: string;
  readonly onClose: () => void;
  readonly size?: 'm' | 'xl';
  /** Buttons at the bottom, for the creator. */
  readonly actions?: ReactNode;
  /** Renders the content for the creator. `path` is the API path of the workflow. */
  readonly children: (workflow: WorkflowInfo, path: string) => ReactNode;
}

export function OwnerDialog({
  title,
  about,
  ownerOnly,
  onClose,
  size = 'm',
  actions,
  children,
}: OwnerDialogProps) {
  const { session } = useEditor();
  const path = `/workflows/${session.id}`;
  const { data, error, refetch } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => api.get<WorkflowInfo>(path, { signal }),
    staleTime: 0,
  });
  return (
    <Dialog title={title} onClose={onClose} size={size} actions={data?.isOwner && actions}>
      {about}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data && !data.isOwner && <p>{ownerOnly}</p>}
      {data?.isOwner && children(data, path)}
    </Dialog>
  );
}

/** Creates a mutation that reloads the query of `path` afterwards. */
export function useWorkflowMutation<T>(path: string, mutationFn: (input: T) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
    onError: thrown => showToast(toErrorMessage(thrown), { tone: 'failed' }),
  });
}
