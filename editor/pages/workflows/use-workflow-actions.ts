// Provides the actions of workflows and folders in the list.
import { ApiError } from '../../../sdk/src/errors.ts';
import type { WorkflowListItem } from '../../../sdk/src/schemas.ts';
import { showError } from '../../kit/failure.tsx';
import { api } from '../../lib/api.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import type { Toast } from '../../lib/toasts.ts';
import { messages as sharedMessages } from '../../messages.ts';
import { messages } from './messages.ts';

/** A dialog to open for a workflow. */
export interface WorkflowDialog {
  readonly kind: 'move' | 'uses' | 'delete';
  readonly workflow: WorkflowListItem;
}

export interface NamedItem {
  readonly id: string;
  readonly name: string;
}

export interface WorkflowActions {
  duplicate(workflow: WorkflowListItem): void;
  /**
   * Deletes a workflow without confirmation and offers undo. If other workflows use it as a component, it is not deleted,
   * and `onInUse` is called.
   */
  remove(workflow: WorkflowListItem, onInUse: () => void): void;
  /** Deletes a workflow even if others use it as a component. */
  removeInUse(workflow: WorkflowListItem): Promise<void>;
  /** Moves a workflow to a folder, or out of its folder if the id and the name are null. */
  move(workflow: NamedItem, folderId: string | null, folderName: string | null): void;
  /** Moves a folder into another folder, or to the top level if the id and the name are null. */
  moveFolder(folder: NamedItem, parentId: string | null, parentName: string | null): void;
}

export function useWorkflowActions(): WorkflowActions {
  const reloadAndToast = useReloadAndToast();
  const perform = (request: () => Promise<unknown>, text: string, action?: Toast['action']): void => {
    void request().then(() => reloadAndToast(text, ['/workflows', '/folders'], action), showError);
  };
  const announceRemoval = ({ id, name }: NamedItem): Promise<void> => {
    const restore = (): void => perform(() => api.post(`/workflows/${id}/restore`), messages.restored(name));
    return reloadAndToast(messages.deleted(name), ['/workflows', '/folders'], {
      label: sharedMessages.common.undo,
      run: restore,
    });
  };
  return {
    duplicate: ({ id, name }) =>
      perform(() => api.post(`/workflows/${id}/duplicate`, {}), messages.duplicated(name)),
    remove: (workflow, onInUse) => {
      api.delete(`/workflows/${workflow.id}`).then(
        () => announceRemoval(workflow),
        (error: unknown) => {
          if (error instanceof ApiError && error.code === 'component_in_use') onInUse();
          else showError(error);
        },
      );
    },
    removeInUse: async workflow => {
      await api.delete(`/workflows/${workflow.id}`, { query: { force: true } });
      await announceRemoval(workflow);
    },
    move: ({ id, name }, folderId, folderName) =>
      perform(() => api.put(`/workflows/${id}`, { folderId }), messages.moved(name, folderName)),
    moveFolder: ({ id, name }, parentId, parentName) =>
      perform(() => api.patch(`/folders/${id}`, { parentId }), messages.folderMoved(name, parentName)),
  };
}

/** Types of the drag data of workflows and folders. */
export const DRAG_TYPE = 'application/x-graphwright-workflow';
export const FOLDER_DRAG_TYPE = 'application/x-graphwright-folder';
