// Stores the folders of a workspace, which form a tree.
import type { Tx } from './db.ts';
import { all, allValues, first, firstNumber, insertRow, lockName, type PageRange } from './rows.ts';
import type { TeamRole } from './teams.ts';

/** A folder with its reader's role. */
export interface FolderRow {
  readonly id: string;
  readonly user_id: number;
  readonly team_id: string | null;
  readonly parent_id: string | null;
  readonly name: string;
  readonly workflow_count: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly team_role: TeamRole | null;
}

/** The workspace of the team, or the user's personal workspace if `teamId` is null. */
export interface FolderWorkspace {
  readonly userId: number;
  readonly teamId: string | null;
}

const FOLDER = `
select f.id, f.user_id, f.team_id, f.parent_id, f.name, f.created_at, f.updated_at, m.role as team_role,
  (select count(*) from workflows w where w.folder_id = f.id and w.deleted_at is null)::int as workflow_count
from folders f
left join team_members m on m.team_id = f.team_id and m.user_id = $1`;

/** Returns the folder with the user's role. */
export function findFolder(tx: Tx, userId: number, id: string): Promise<FolderRow | undefined> {
  return first(tx, FIND_FOLDER, [userId, id]);
}

const FIND_FOLDER = `${FOLDER} where f.id = $2`;

/**
 * Locks the folder and its team against deletion until the transaction ends, and returns the folder. Deletions lock rows
 * in the same order: workflow, team, folder.
 */
export async function lockFolder(tx: Tx, userId: number, id: string): Promise<FolderRow | undefined> {
  await tx.query('select from teams where id = (select team_id from folders where id = $1) for key share', [
    id,
  ]);
  return first(tx, `${FIND_FOLDER} for key share of f`, [userId, id]);
}

/** Lists folders by id, after the cursor. */
export function listFolders(
  tx: Tx,
  workspace: FolderWorkspace,
  page: PageRange<string>,
): Promise<readonly FolderRow[]> {
  return all(tx, workspace.teamId === null ? LIST_OWN : LIST_TEAM, [
    workspace.userId,
    page.after ?? '',
    page.limit,
    ...(workspace.teamId === null ? [] : [workspace.teamId]),
  ]);
}

const LIST_OWN = `${FOLDER} where f.user_id = $1 and f.team_id is null and f.id > $2 order by f.id limit $3`;
const LIST_TEAM = `${FOLDER} where f.team_id = $4 and f.id > $2 order by f.id limit $3`;

export function insertFolder(
  tx: Tx,
  folder: FolderWorkspace & { readonly id: string; readonly parentId: string | null; readonly name: string },
): Promise<void> {
  const { id, userId, teamId, parentId, name } = folder;
  return insertRow(tx, 'folders', { id, user_id: userId, team_id: teamId, parent_id: parentId, name });
}

export async function updateFolder(
  tx: Tx,
  id: string,
  change: { readonly name: string; readonly parentId: string | null },
): Promise<void> {
  await tx.query(
    `update folders set name = $2, parent_id = $3, updated_at = greatest(now(), updated_at + interval '1 millisecond')
     where id = $1`,
    [id, change.name, change.parentId],
  );
}

/** Keeps other transactions from changing the workspace's tree until this one ends. */
export function lockFolderTree(tx: Tx, workspace: string): Promise<void> {
  return lockName(tx, `graphwright.folders:${workspace}`);
}

/** Lists the folder and its ancestors, innermost first. */
export function listAncestorIds(tx: Tx, id: string): Promise<readonly string[]> {
  return allValues(
    tx,
    `with recursive up as (
       select id, parent_id, 1 as depth from folders where id = $1
       union all
       select f.id, f.parent_id, up.depth + 1 from folders f join up on f.id = up.parent_id
     ) cycle id set looped using path
     select id from up where not looped order by depth`,
    [id],
  );
}

const BELOW = `
with recursive below as (
  select id, 1 as depth from folders where id = $1
  union all
  select f.id, b.depth + 1 from folders f join below b on f.parent_id = b.id
) cycle id set looped using path`;

/** Returns the depth of the tree below the folder, which is 1 without subfolders. */
export function measureDepth(tx: Tx, id: string): Promise<number> {
  return firstNumber(tx, `${BELOW} select max(depth) as depth from below`, [id]);
}

/** Moves the workflows of the folder and its subfolders to the root. The move counts as a change of each workflow. */
export async function emptyFolderTree(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `${BELOW}
     update workflows set folder_id = null, updated_at = greatest(now(), updated_at + interval '1 millisecond')
     where folder_id in (select id from below)`,
    [id],
  );
}

/** Deletes the folder with its subfolders. */
export async function deleteFolderRow(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from folders where id = $1', [id]);
}
