// Manages folders, which form trees within a workspace. Changes to one workspace's tree are serialized, so that they
// cannot create a cycle.
import { AppError, requireFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import type { FolderRow } from '../../store/folders.ts';
import {
  deleteFolderRow,
  emptyFolderTree,
  findFolder,
  insertFolder,
  listAncestorIds,
  listFolders,
  lockFolderTree,
  measureDepth,
  updateFolder,
} from '../../store/folders.ts';
import type { Deps } from '../deps.ts';
import { ARRAY_LIMIT, type ArrayQuery, byId, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { canInWorkspace, getWorkspaceId, type WorkspaceAccess } from './access.ts';
import { type Actor, requireScope, type UserActor } from './actor.ts';
import type { ChangeFolderBody, CreateFolderBody } from './folder.schema.ts';
import { parseName } from './names.ts';
import { getActiveWorkspace, getWorkspace } from './teams.ts';

/** The maximum depth of a tree. */
const MAX_DEPTH = 32;

/** Lists the folders of the active workspace, oldest first. */
export async function listWorkspaceFolders(deps: Deps, actor: Actor, query: ArrayQuery) {
  const user = requireScope(actor, 'workflows:read');
  const { team_id } = await getActiveWorkspace(deps.db, user);
  const workspace = { userId: user.userId, teamId: team_id };
  return readPage(
    { ...query, limit: query.limit ?? ARRAY_LIMIT },
    byId('folder'),
    page => listFolders(deps.db, workspace, page),
    presentFolder,
  );
}

/** Returns the folder. Throws 404, and 403 for anyone outside the workspace. */
export async function readFolder(deps: Deps, actor: Actor, id: string) {
  return presentFolder(await getFolder(deps.db, requireScope(actor, 'workflows:read'), id));
}

/**
 * Creates a folder. Throws 404 for an unknown parent or a team that the user is not in, 403 for a viewer, and 400 if the
 * parent is in another workspace (`folder_workspace_mismatch`) or nested too deeply.
 */
export async function createFolder(deps: Deps, actor: Actor, input: CreateFolderBody) {
  const user = requireScope(actor, 'workflows:write');
  const name = parseName(input.name);
  return deps.db.transaction(async tx => {
    const workspace =
      input.teamId === undefined
        ? await getActiveWorkspace(tx, user)
        : await getWorkspace(tx, user, input.teamId);
    requireEditor(user, workspace);
    const parentId = input.parentId ?? null;
    if (parentId !== null) {
      await lockFolderTree(tx, getWorkspaceId(workspace));
      await requireValidParent(tx, user, workspace, { parentId, depth: 1 });
    }
    const id = newId('folder', deps.now());
    await insertFolder(tx, { id, userId: user.userId, teamId: workspace.team_id, parentId, name });
    return presentFolder(await getFolder(tx, user, id));
  });
}

/**
 * Renames the folder, moves it within the workspace, or both. Throws 403, 404, and 400 if the new parent is in another
 * workspace (`folder_workspace_mismatch`), inside the folder (`folder_cycle`) or nested too deeply.
 */
export async function changeFolder(deps: Deps, actor: Actor, id: string, input: ChangeFolderBody) {
  const user = requireScope(actor, 'workflows:write');
  return deps.db.transaction(async tx => {
    const folder = await lockFolderForEdit(tx, user, id);
    const name = input.name === undefined ? folder.name : parseName(input.name);
    const parentId = input.parentId === undefined ? folder.parent_id : input.parentId;
    if (parentId !== null && parentId !== folder.parent_id) {
      await requireValidParent(tx, user, folder, {
        parentId,
        movedId: id,
        depth: await measureDepth(tx, id),
      });
    }
    await updateFolder(tx, id, { name, parentId });
    return presentFolder(await getFolder(tx, user, id));
  });
}

/**
 * Deletes the folder and moves its workflows to the root of the workspace. Throws 409 `folder_not_empty` if it has
 * subfolders, unless `recursive`.
 */
export async function deleteFolder(
  deps: Deps,
  actor: Actor,
  id: string,
  input: { readonly recursive?: boolean | undefined },
): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  await deps.db.transaction(async tx => {
    const folder = await lockFolderForEdit(tx, user, id);
    if (input.recursive !== true && (await measureDepth(tx, id)) > 1) {
      throw new AppError(
        'folder_not_empty',
        'The folder has subfolders. Delete them first, or add ?recursive=true.',
      );
    }
    await emptyFolderTree(tx, id);
    await deleteFolderRow(tx, id);
    recordAudit(tx, user, {
      action: 'folder.deleted',
      target: id,
      name: folder.name,
      teamId: folder.team_id,
    });
  });
}

/** Locks the workspace's folder tree and returns the folder. Throws 404, and 403 unless the user may edit. */
async function lockFolderForEdit(tx: Tx, user: UserActor, id: string): Promise<FolderRow> {
  const folder = await getFolder(tx, user, id);
  requireEditor(user, folder);
  await lockFolderTree(tx, getWorkspaceId(folder));
  return getFolder(tx, user, id);
}

async function getFolder(tx: Tx, user: UserActor, id: string): Promise<FolderRow> {
  const folder = requireFound(await findFolder(tx, user.userId, id), 'Folder not found.');
  if (canInWorkspace(user, 'read', folder)) return folder;
  throw new AppError('forbidden', "You don't have permission to use this folder.");
}

function requireEditor(user: UserActor, workspace: WorkspaceAccess): void {
  if (canInWorkspace(user, 'edit', workspace)) return;
  throw new AppError('forbidden', "You don't have permission to change the folders of this team.");
}

/** Throws if a folder tree of this depth cannot be placed in the parent. `movedId` is set for an existing folder. */
async function requireValidParent(
  tx: Tx,
  user: UserActor,
  workspace: WorkspaceAccess,
  { parentId, movedId, depth }: { parentId: string; movedId?: string; depth: number },
): Promise<void> {
  const parent = await getFolder(tx, user, parentId);
  if (getWorkspaceId(parent) !== getWorkspaceId(workspace)) {
    throw new AppError('folder_workspace_mismatch', 'The parent folder is in another workspace.');
  }
  // Includes the parent itself.
  const ancestorIds = await listAncestorIds(tx, parentId);
  if (movedId !== undefined && ancestorIds.includes(movedId)) {
    throw new AppError('folder_cycle', "A folder can't be moved into itself or into one of its subfolders.");
  }
  if (ancestorIds.length + depth > MAX_DEPTH) {
    throw new AppError('invalid_request', `Folders can be nested at most ${MAX_DEPTH} levels deep.`, {
      issues: [{ path: '/parentId', code: 'invalid_request', message: 'is nested too deeply' }],
    });
  }
}

const presentFolder = (folder: FolderRow) =>
  presentColumns(folder, 'id name parent_id team_id workflow_count created_at updated_at');
