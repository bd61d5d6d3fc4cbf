// Determines where a workflow may be placed, and which media it may be linked to.
import { AppError, requireFound } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { type FolderRow, lockFolder } from '../../store/folders.ts';
import { mayUseMedia } from '../../store/media/media.ts';
import type { ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import {
  authorize,
  canInWorkspace,
  getPersonalWorkspaceId,
  getWorkspaceId,
  isCreator,
} from '../accounts/access.ts';
import type { UserActor } from '../accounts/actor.ts';

export interface WorkflowLocation {
  readonly folder_id: string | null;
  readonly team_id: string | null;
}

/**
 * Returns the location after a move to the folder, which may be in another workspace. Throws 404, 403 for anyone but
 * the owner and for a folder without access, 400 `folder_workspace_mismatch`.
 */
export async function resolveMove(
  tx: Tx,
  user: UserActor,
  workflow: ReadWorkflowRow,
  folderId: string | null,
): Promise<WorkflowLocation> {
  authorize(user, 'move', workflow);
  if (folderId === null) return { folder_id: null, team_id: workflow.team_id };
  const folder = await lockEditableFolder(tx, user, folderId);
  // Only the creator may move a workflow to another workspace.
  if (getWorkspaceId(folder) !== getWorkspaceId(workflow) && !isCreator(user, workflow)) {
    throw new AppError('forbidden', 'Only the creator can move this workflow to another workspace.');
  }
  return { folder_id: folder.id, team_id: folder.team_id };
}

/** Returns the location after a move within the workspace. Throws 400 for a folder of another workspace. */
export async function resolveMoveWithinWorkspace(
  tx: Tx,
  user: UserActor,
  workflow: ReadWorkflowRow,
  folderId: string | null,
): Promise<WorkflowLocation> {
  authorize(user, 'move', workflow);
  const location = { folder_id: folderId, team_id: workflow.team_id };
  if (folderId === null) return location;
  const folder = await lockEditableFolder(tx, user, folderId);
  if (getWorkspaceId(folder) === getWorkspaceId(workflow)) return location;
  throw new AppError(
    'folder_workspace_mismatch',
    'The folder is in another workspace. Use PUT /workflows/{id} to move a workflow there.',
  );
}

/** Throws 400 unless the folder is in the personal workspace, where new workflows are created. */
export async function requirePersonalFolder(
  tx: Tx,
  user: UserActor,
  folderId: string | null | undefined,
): Promise<void> {
  if (folderId === null || folderId === undefined) return;
  const folder = await lockEditableFolder(tx, user, folderId);
  if (getWorkspaceId(folder) === getPersonalWorkspaceId(user.userId)) return;
  throw new AppError(
    'folder_workspace_mismatch',
    'The folder belongs to a team, but a new workflow is personal. Create the workflow first, then move it with PUT /workflows/{id}.',
  );
}

/** Throws 403 if the user may not use the media, even if the media does not exist, so that this is not revealed. */
export async function requireUsableMedia(
  tx: Tx,
  user: UserActor,
  mediaId: string | null | undefined,
): Promise<void> {
  if (mediaId === null || mediaId === undefined || (await mayUseMedia(tx, mediaId, user.userId))) return;
  throw new AppError(
    'forbidden',
    "You don't have permission to use this media. mediaId must identify media of yours or of your team.",
  );
}

/** Locks and returns the folder, if the user may add workflows to it. */
async function lockEditableFolder(tx: Tx, user: UserActor, id: string): Promise<FolderRow> {
  const folder = requireFound(await lockFolder(tx, user.userId, id), 'Folder not found.');
  if (canInWorkspace(user, 'edit', folder)) return folder;
  if (folder.user_id === user.userId && folder.team_role === null) {
    throw new AppError(
      'folder_workspace_mismatch',
      'The folder belongs to a team that you have left. Choose a folder of another workspace.',
    );
  }
  throw new AppError('forbidden', "You don't have permission to add workflows to this folder.");
}
