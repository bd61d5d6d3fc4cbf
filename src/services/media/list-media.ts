// Lists, reads and deletes the media of a workspace.
import { AppError, requireFound } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import type { MediaOrigin, MediaRow, UsingWorkflow } from '../../store/media/media.ts';
import {
  deleteMediaRow,
  findListedMedia,
  findMedia,
  listUsingWorkflows,
  listWorkspaceMedia,
  mayUseMedia,
} from '../../store/media/media.ts';
import { findTeam } from '../../store/teams.ts';
import {
  canInWorkspace,
  getPersonalWorkspaceId,
  getWorkspaceId,
  type WorkspaceAction,
} from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { getActiveWorkspace } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import { byId, readPage } from '../paging.ts';
import type { ListMediaQuery } from './media.schema.ts';
import { presentMedia } from './media-record.ts';
import { dropFile } from './receive-file.ts';

const MAX_NAMED_USES = 20;

/** Lists the media of the active workspace, newest first. The default origin is `upload`. */
export async function listMedia(deps: Deps, actor: Actor, query: ListMediaQuery) {
  const { origin = 'upload', type: kind = null, q: search } = query;
  const user = requireScope(actor, 'workflows:write');
  const workspace = await getActiveWorkspace(deps.db, user);
  const viewer = { userId: user.userId, seesPrompts: canInWorkspace(user, 'edit', workspace) };
  const origins = origin === 'all' ? LIBRARY : [origin];
  return readPage(
    query,
    byId('media'),
    ({ after: before, limit }) =>
      listWorkspaceMedia(deps.db, getWorkspaceId(workspace), viewer, {
        origins,
        kind,
        search: search?.normalize('NFC') ?? null,
        before,
        limit,
      }),
    row => presentMedia(deps, row),
  );
}

/** The origins of media in the library. */
const LIBRARY: readonly MediaOrigin[] = ['upload', 'output'];

/** Returns a media file if the caller may use it. Throws 404, 403. */
export async function readMediaItem(deps: Deps, actor: Actor, id: string) {
  const user = requireScope(actor, 'workflows:write');
  const media = await getMedia(deps, id);
  const isReadable =
    (await hasWorkspaceAccess(deps, user, 'read', media)) || (await mayUseMedia(deps.db, id, user.userId));
  if (!isReadable) throw new AppError('forbidden', "You don't have permission to use this media.");
  const viewer = {
    userId: user.userId,
    seesPrompts: await hasWorkspaceAccess(deps, user, 'edit', media),
  };
  return presentMedia(deps, requireFound(await findListedMedia(deps.db, id, viewer), NOT_FOUND));
}

const NOT_FOUND = 'Media not found.';

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
  await deleteMediaRow(deps.db, id);
  await dropFile(deps, id);
}

async function getMedia(deps: Deps, id: string): Promise<MediaRow> {
  return requireFound(isId('media', id) ? await findMedia(deps.db, id) : undefined, NOT_FOUND);
}

async function hasWorkspaceAccess(
  deps: Deps,
  user: UserActor,
  action: WorkspaceAction,
  { workspace }: MediaRow,
): Promise<boolean> {
  if (workspace === getPersonalWorkspaceId(user.userId)) return true;
  const team = await findTeam(deps.db, user.userId, workspace);
  const access = { user_id: user.userId, team_id: workspace, team_role: team?.role ?? null };
  return canInWorkspace(user, action, access);
}

function createMediaInUseError(uses: readonly UsingWorkflow[]): AppError {
  const names = uses.map(({ id, name }) => `${name} (${id})`).join(', ');
  return new AppError(
    'media_in_use',
    `This media is used by these workflows: ${names}. Remove it from them first, or add ?force=true.`,
    { details: { workflows: uses } },
  );
}
