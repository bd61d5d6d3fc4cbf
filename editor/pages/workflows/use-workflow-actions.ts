// Provides the actions of workflows and folders in the list.
import type { ExecutionStatus } from '../../../sdk/src/types.ts';
import { toErrorMessage } from '../../kit/failure.tsx';
import { api } from '../../lib/api.ts';
import { useFinishChange } from '../../lib/finish-change.ts';
import { showToast, type Toast } from '../../lib/toasts.ts';
import { messages as appMessages } from '../../messages.ts';
import { messages } from './messages.ts';

export interface ListedWorkflow {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly isPublished: boolean;
  readonly tags: readonly string[];
  readonly poster?: string | null;
  readonly folderId?: string | null;
  readonly canEdit?: boolean;
  readonly isOwner?: boolean;
  readonly updatedAt: string;
  readonly executionCount: number;
  readonly lastExecution?: {
    readonly id: string;
    readonly status: ExecutionStatus;
    readonly finishedAt: string | null;
  } | null;
}

export interface NamedItem {
  readonly id: string;
  readonly name: string;
}

export interface WorkflowActions {
  duplicate(workflow: ListedWorkflow): void;
  /** Deletes a workflow without confirmation and offers undo. */
  remove(workflow: ListedWorkflow): void;
  /** Moves a workflow to a folder. `folder` is the folder's name. Both are null to remove it from its folder. */
  move(workflow: NamedItem, folderId: string | null, folder: string | null): void;
  /** Moves a folder into another one, or to the top level. */
  moveFolder(movedFolder: NamedItem, parentId: string | null, folder: string | null): void;
}

export function useWorkflowActions(): WorkflowActions {
  const finishChange = useFinishChange();
  const perform = (request: () => Promise<unknown>, text: string, action?: Toast['action']): void => {
    void request().then(
      () => finishChange(text, ['/workflows', '/folders'], action),
      (err: unknown) => showToast(toErrorMessage(err), { tone: 'failed' }),
    );
  };
  return {
    duplicate: ({ id, name }) =>
      perform(() => api.post(`/workflows/${id}/duplicate`, {}), messages.duplicated(name)),
    remove: ({ id, name }) => {
      const restore = (): void =>
        perform(() => api.post(`/workflows/${id}/restore`), messages.restored(name));
      const undo = { label: appMessages.common.undo, run: restore };
      perform(() => api.delete(`/workflows/${id}`), messages.removed(name), undo);
    },
    move: ({ id, name }, folderId, folder) =>
      perform(() => api.put(`/workflows/${id}`, { folderId }), messages.moved(name, folder)),
    moveFolder: ({ id, name }, parentId, folder) =>
      perform(() => api.patch(`/folders/${id}`, { parentId }), messages.folderMoved(name, folder)),
  };
}

/** Types of the drag data of workflows and folders. */
export const DRAG_TYPE = 'application/x-graphwright-workflow';
export const FOLDER_DRAG_TYPE = 'application/x-graphwright-folder';
