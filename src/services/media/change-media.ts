// Renames, marks and deletes media.
import { AppError } from '../../lib/errors.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import { addFavorites, countFavorites, removeFavorites } from '../../store/media/collections.ts';
import {
  deleteMediaRow,
  listUsableMedia,
  listUsingWorkflows,
  setMediaTitle,
  type UsingWorkflow,
} from '../../store/media/media.ts';
import { getWorkspaceId, toTeamId } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { parseName } from '../accounts/names.ts';
import { getActiveWorkspace } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import { getMedia, hasWorkspaceAccess, readMediaItem } from './list-media.ts';
import type { ChangeMediaBody, DeleteManyMediaBody, MarkMediaBody } from './media.schema.ts';
import { dropFile } from './receive-file.ts';

const MAX_NAMED_USES = 20;
const MAX_FAVORITES = 10_000;

/** Renames a file, and marks it as a favorite of the caller or not. The URL keeps its name. Throws 404, 403. */
export async function changeMedia(deps: Deps, actor: Actor, id: string, input: ChangeMediaBody) {
  const user = requireScope(actor, 'workflows:write');
  const title = input.name === undefined ? undefined : parseName(input.name);
  const item = await readMediaItem(deps, actor, id);
  if (title !== undefined) {
    if (!(await hasWorkspaceAccess(deps, user, 'edit', await getMedia(deps, id))))
      throw new AppError('forbidden', "You don't have permission to rename this media.");
    await setMediaTitle(deps.db, id, title);
  }
  if (input.isFavorite !== undefined)
    await markFavorites(deps, user.userId, [item.mediaId], input.isFavorite);
  return readMediaItem(deps, actor, id);
}

/** Marks files as favorites of the caller or not. Throws 404 for a file that the caller may not use. */
export async function markMedia(
  deps: Deps,
  actor: Actor,
  { mediaIds, isFavorite }: MarkMediaBody,
): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  await requireUsableMedia(deps, actor, mediaIds);
  await markFavorites(deps, user.userId, mediaIds, isFavorite);
}

async function markFavorites(
  { db }: Deps,
  userId: number,
  mediaIds: readonly string[],
  isFavorite: boolean,
): Promise<void> {
  if (!isFavorite) return removeFavorites(db, userId, mediaIds);
  if ((await countFavorites(db, userId)) + mediaIds.length > MAX_FAVORITES)
    throw new AppError('conflict', `You can have ${MAX_FAVORITES} favorites. Remove some first.`);
  await addFavorites(db, userId, mediaIds);
}

/** Returns the files in the order of the ids. Throws 404 for the first one that the caller may not use. */
export async function requireUsableMedia(deps: Deps, actor: Actor, ids: readonly string[]) {
  const user = requireScope(actor, 'workflows:write');
  const workspace = getWorkspaceId(await getActiveWorkspace(deps.db, user));
  const rows = await listUsableMedia(deps.db, { ids, workspace, userIds: [user.userId] });
  const foundIds = new Set(rows.map(({ id }) => id));
  const missingId = ids.find(id => !foundIds.has(id));
  if (missingId === undefined) return rows;
  throw new AppError('not_found', `Media ${missingId.slice(0, 64)} was not found.`);
}

/** Deletes a file. Throws 404, 403 and, unless `force` is set, 409 `media_in_use` with the workflows that use it. */
export async function deleteMedia(
  deps: Deps,
  actor: Actor,
  id: string,
  { force = false }: { readonly force?: boolean | undefined },
): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  const row = await getMedia(deps, id);
  if (!(await hasWorkspaceAccess(deps, user, 'edit', row))) {
    throw new AppError('forbidden', "You don't have permission to delete this media.");
  }
  const use = { mediaId: id, workspace: row.workspace, userId: user.userId, limit: MAX_NAMED_USES };
  const uses = force ? [] : await listUsingWorkflows(deps.db, use);
  if (uses.length > 0) throw createMediaInUseError(uses);
  await deps.db.transaction(async tx => {
    await deleteMediaRow(tx, id);
    recordAudit(tx, user, {
      action: 'media.deleted',
      target: id,
      name: row.title ?? row.name,
      teamId: toTeamId(row.workspace),
    });
  });
  await dropFile(deps, id);
}

/** Deletes files one after another. Returns the deleted ones, and the reasons why the others remain. */
export async function deleteManyMedia(deps: Deps, actor: Actor, { mediaIds, force }: DeleteManyMediaBody) {
  requireScope(actor, 'workflows:write');
  const deleted: string[] = [];
  const failed = [];
  for (const mediaId of new Set(mediaIds)) {
    try {
      await deleteMedia(deps, actor, mediaId, { force });
      deleted.push(mediaId);
    } catch (err) {
      if (!(err instanceof AppError)) throw err;
      failed.push({ mediaId, code: err.code, message: err.message });
    }
  }
  return { deleted, failed };
}

function createMediaInUseError(uses: readonly UsingWorkflow[]): AppError {
  const names = uses.map(({ id, name }) => `${name} (${id})`).join(', ');
  return new AppError(
    'media_in_use',
    `This media is used by these workflows: ${names}. Remove it from them first, or add ?force=true.`,
    { details: { workflows: uses } },
  );
}
