// Manages collections of media. A collection refers to files of its workspace; nothing is copied.
import { AppError } from '../../lib/errors.ts';
import { isId, newId } from '../../lib/ids.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import {
  addToCollection,
  type CollectionRow,
  countCollectionItems,
  countCollections,
  deleteCollectionRow,
  findCollection,
  insertCollection,
  listCollections,
  lockCollections,
  lockWorkspaceMedia,
  removeFromCollection,
  updateCollection,
} from '../../store/media/collections.ts';
import { canInWorkspace, getWorkspaceId, toTeamId, type WorkspaceAction } from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { parseName } from '../accounts/names.ts';
import { getActiveWorkspace } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import { byId, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { hasWorkspaceAccess } from './list-media.ts';
import type { ChangeCollectionBody, CreateCollectionBody, ListCollectionsQuery } from './media.schema.ts';
import { getMediaUrl } from './media-record.ts';

const MAX_COLLECTIONS = 1000;
const MAX_ITEMS = 10_000;

/** Lists the collections of the active workspace, oldest first. */
export async function listWorkspaceCollections(deps: Deps, actor: Actor, query: ListCollectionsQuery) {
  const user = requireScope(actor, 'workflows:write');
  const workspace = getWorkspaceId(await getActiveWorkspace(deps.db, user));
  return readPage(
    query,
    byId('collection'),
    page => listCollections(deps.db, workspace, query.mediaId ?? null, page),
    row => present(deps, row),
  );
}

/** Throws 404, 403. */
export async function readCollection(deps: Deps, actor: Actor, id: string) {
  return present(deps, await authorizeCollection(deps, requireScope(actor, 'workflows:write'), id, 'read'));
}

/** Creates a collection in the active workspace. Throws 403 for a VIEWER, 404 for media of another workspace, and 409. */
export async function createCollection(deps: Deps, actor: Actor, input: CreateCollectionBody) {
  const user = requireScope(actor, 'workflows:write');
  const name = parseName(input.name);
  const id = newId('collection', deps.now());
  await deps.db.transaction(async tx => {
    const access = await getActiveWorkspace(tx, user);
    if (!canInWorkspace(user, 'edit', access)) throw createForbiddenError();
    const workspace = getWorkspaceId(access);
    await lockCollections(tx, workspace);
    if ((await countCollections(tx, workspace)) >= MAX_COLLECTIONS)
      throw new AppError(
        'conflict',
        `A workspace can have ${MAX_COLLECTIONS} collections. Delete some first.`,
      );
    await insertCollection(tx, { id, workspace, user_id: user.userId, name });
    await addMedia(tx, { id, workspace }, input.mediaIds ?? []);
  });
  return readCollection(deps, actor, id);
}

/** Renames a collection, and adds and removes media. Throws 403, 404, and 409 if it would have too many media. */
export async function changeCollection(deps: Deps, actor: Actor, id: string, input: ChangeCollectionBody) {
  const user = requireScope(actor, 'workflows:write');
  const collection = await authorizeCollection(deps, user, id, 'edit');
  await deps.db.transaction(async tx => {
    // Locks the row, so that concurrent additions cannot exceed the limit.
    if (!(await updateCollection(tx, id, input.name === undefined ? collection.name : parseName(input.name))))
      throw createNotFoundError();
    await removeFromCollection(tx, id, input.removeMediaIds ?? []);
    await addMedia(tx, collection, input.addMediaIds ?? []);
  });
  return readCollection(deps, actor, id);
}

async function addMedia(
  tx: Tx,
  { id, workspace }: Pick<CollectionRow, 'id' | 'workspace'>,
  mediaIds: readonly string[],
): Promise<void> {
  if (mediaIds.length === 0) return;
  const foundIds = new Set(await lockWorkspaceMedia(tx, workspace, mediaIds));
  const missingId = mediaIds.find(mediaId => !foundIds.has(mediaId));
  if (missingId !== undefined)
    throw new AppError('not_found', `Media ${missingId.slice(0, 64)} was not found in this workspace.`);
  await addToCollection(tx, id, mediaIds);
  if ((await countCollectionItems(tx, id)) > MAX_ITEMS)
    throw new AppError('conflict', `A collection can have ${MAX_ITEMS} files. Create another collection.`);
}

/** Deletes a collection. Its files remain. Throws 403, 404. */
export async function deleteCollection(deps: Deps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  const { name, workspace } = await authorizeCollection(deps, user, id, 'edit');
  await deps.db.transaction(async tx => {
    await deleteCollectionRow(tx, id);
    recordAudit(tx, user, {
      action: 'collection.deleted',
      target: id,
      name,
      teamId: toTeamId(workspace),
    });
  });
}

/** Returns the collection if the user may perform the action in its workspace. Throws 404, 403. */
export async function authorizeCollection(
  deps: Deps,
  user: UserActor,
  id: string,
  action: WorkspaceAction,
): Promise<CollectionRow> {
  const row = isId('collection', id) ? await findCollection(deps.db, id) : undefined;
  if (row === undefined) throw createNotFoundError();
  if (await hasWorkspaceAccess(deps, user, action, row)) return row;
  throw createForbiddenError();
}

const createNotFoundError = (): AppError => new AppError('not_found', 'Collection not found.');

const createForbiddenError = (): AppError =>
  new AppError(
    'forbidden',
    "You don't have permission to use this collection, or to change collections here.",
  );

function present(deps: Deps, row: CollectionRow) {
  const { cover_id: id, cover_name: name, workspace } = row;
  return {
    ...presentColumns(row, 'id name media_count'),
    teamId: toTeamId(workspace),
    coverUrl: id === null || name === null ? null : getMediaUrl(deps, { id, name }),
    ...presentColumns(row, 'created_at updated_at'),
  };
}
