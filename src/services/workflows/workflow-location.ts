// Determines where a workflow may be placed: folders, media, and the resulting workspace.
import { AppError, requireFound } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { type FolderRow, lockFolder } from '../../store/folders.ts';
import { mayUseMedia } from '../../store/media/media.ts';
import type { ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { authorize, can, getWorkspaceId, isCreator, userWorkspace } from '../accounts/access.ts';
import type { UserActor } from '../accounts/actor.ts';

export interface WorkflowLocation {
  readonly folder_id: string | null;
  readonly team_id: string | null;
}

/**
 * Returns the location after a move to the folder, which may change the workspace. Throws 403 for anyone but the owner
 * and for a folder without access, 404, 400 `folder_workspace_mismatch`.
 */
export async function moveTo(
  tx: Tx,
  user: UserActor,
  workflow: ReadWorkflowRow,
  folderId: string | null,
): Promise<WorkflowLocation> {
  authorize(user, 'move', workflow);
  if (folderId === null) return { folder_id: null, team_id: workflow.team_id };
  const folder = await openFolder(tx, user, folderId);
  // Only the creator's own workspace goes with a workflow, so nobody else can move it out.
  if (getWorkspaceId(folder) !== getWorkspaceId(workflow) && !isCreator(user, workflow)) {
    throw new AppError('forbidden', 'Only the creator can move this workflow to another workspace.');
  }
  return { folder_id: folder.id, team_id: folder.team_id };
}

/** Moves within the workflow's workspace. Throws 400 for a folder of another workspace. */
export async function moveWithin(
  tx: Tx,
  user: UserActor,
  workflow: ReadWorkflowRow,
  folderId: string | null,
): Promise<WorkflowLocation> {
  authorize(user, 'move', workflow);
  const location = { folder_id: folderId, team_id: workflow.team_id };
  if (folderId === null) return location;
  const folder = await openFolder(tx, user, folderId);
  if (getWorkspaceId(folder) === getWorkspaceId(workflow)) return location;
  throw new AppError(
    'folder_workspace_mismatch',
    'The folder is in another workspace. Use PUT /workflows/{id} to move a workflow there.',
  );
}

/** Checks the folder of a new workflow, which is always personal. */
export async function checkOwnFolder(
  tx: Tx,
  user: UserActor,
  folderId: string | null | undefined,
): Promise<void> {
  if (folderId === null || folderId === undefined) return;
  const folder = await openFolder(tx, user, folderId);
  if (getWorkspaceId(folder) === userWorkspace(user.userId)) return;
  throw new AppError(
    'folder_workspace_mismatch',
    'The folder belongs to a team, but a new workflow is personal. Create the workflow first, then move it with PUT /workflows/{id}.',
  );
}

/** Throws 403 if the user may not use the media or it does not exist, so that its existence is not revealed. */
export async function checkMedia(tx: Tx, user: UserActor, mediaId: string | null | undefined): Promise<void> {
  if (mediaId === null || mediaId === undefined || (await mayUseMedia(tx, mediaId, user.userId))) return;
  throw new AppError(
    'forbidden',
    "You don't have permission to use this media. mediaId must identify media of yours or of your team.",
  );
}

/** Returns the folder, if the user may add workflows to it. */
async function openFolder(tx: Tx, user: UserActor, id: string): Promise<FolderRow> {
  const folder = requireFound(await lockFolder(tx, user.userId, id), 'Folder not found.');
  if (can(user, 'edit', { workspace: folder })) return folder;
  if (folder.user_id === user.userId && folder.team_role === null) {
    throw new AppError(
      'folder_workspace_mismatch',
      'The folder belongs to a team that you have left. Choose a folder of another workspace.',
    );
  }
  throw new AppError('forbidden', "You don't have permission to add workflows to this folder.");
}
