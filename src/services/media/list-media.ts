// Lists, searches and reads the media of a workspace.
import { isModel } from '../../graph/catalog.ts';
import { AppError, requireFound } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { findListedMedia, listWorkspaceMedia, type SearchWord } from '../../store/media/library.ts';
import { findMedia, type MediaOrigin, type MediaRow, mayUseMedia } from '../../store/media/media.ts';
import { findTeam } from '../../store/teams.ts';
import { listWorkflowsNamed } from '../../store/workflows/named.ts';
import {
  canInWorkspace,
  getPersonalWorkspaceId,
  getWorkspaceId,
  type WorkspaceAction,
} from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { getActiveWorkspace } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import { byId, parseTimeFilter, readPage } from '../paging.ts';
import type { ListMediaQuery } from './media.schema.ts';
import { presentMedia } from './media-record.ts';

/**
 * Lists the media of the active workspace, newest first. The default origin is `upload`. Files of visitors of apps are
 * listed only if the query asks for them, or if a user chose them for a collection or as favorites.
 */
export async function listMedia(deps: Deps, actor: Actor, query: ListMediaQuery) {
  const { fromApps = false, q: search, collectionId = null, favorite: isFavorite = false } = query;
  const { origin = fromApps ? 'all' : 'upload' } = query;
  const isChosen = collectionId !== null || isFavorite;
  const user = requireScope(actor, 'workflows:write');
  const access = await getActiveWorkspace(deps.db, user);
  const workspace = getWorkspaceId(access);
  const viewer = { userId: user.userId, seesPrompts: canInWorkspace(user, 'edit', access) };
  const filter = {
    origins: origin !== 'all' ? [origin] : fromApps ? FROM_APPS : LIBRARY,
    isFromApp: fromApps || (isChosen ? null : false),
    kind: query.type ?? null,
    nodeType: query.model ?? null,
    madeBy: query.userId ?? null,
    createdAfter: parseTimeFilter('createdAfter', query.createdAfter),
    createdBefore: parseTimeFilter('createdBefore', query.createdBefore),
    collectionId,
    isFavorite,
    words: search === undefined ? [] : await readWords(deps, workspace, search),
  };
  return readPage(
    query,
    byId('media'),
    ({ after: before, limit }) =>
      listWorkspaceMedia(deps.db, workspace, viewer, { ...filter, before, limit }),
    row => presentMedia(deps, row),
  );
}

/** Further words are ignored. */
const MAX_WORDS = 8;
/** The maximum number of workflows and node types by whose name a word finds files. */
const MAX_NAMED = 100;

/** Splits a search into words, and texts in double quotes. A word also finds the files of workflows and models. */
async function readWords(deps: Deps, workspace: string, search: string): Promise<readonly SearchWord[]> {
  const texts = splitWords(search);
  const words = [];
  for (const text of texts)
    words.push({
      text,
      nodeTypes: findModelsNamed(deps, text),
      workflowIds: await listWorkflowsNamed(deps.db, workspace, { text, limit: MAX_NAMED }),
    });
  return words;
}

function splitWords(search: string): readonly string[] {
  const texts = Array.from(search.normalize('NFC').matchAll(/"([^"]+)"|\S+/g), ([word, phrase]) =>
    (phrase ?? word).trim(),
  );
  return [...new Set(texts)].filter(text => text !== '').slice(0, MAX_WORDS);
}

function findModelsNamed({ catalog }: Deps, word: string): readonly string[] {
  const lowerWord = word.toLowerCase();
  return catalog.entries
    .filter(
      entry =>
        isModel(entry) &&
        [entry.label, entry.nodeType, entry.family ?? ''].some(name =>
          name.toLowerCase().includes(lowerWord),
        ),
    )
    .slice(0, MAX_NAMED)
    .map(({ nodeType }) => nodeType);
}

/** The origins of media in the library. */
const LIBRARY: readonly MediaOrigin[] = ['upload', 'output'];
/** The origins of files of visitors: they are stored as inputs of their runs. */
const FROM_APPS: readonly MediaOrigin[] = ['input', 'output'];

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

/** Returns the row of a file. Throws 404. */
export async function getMedia(deps: Deps, id: string): Promise<MediaRow> {
  return requireFound(isId('media', id) ? await findMedia(deps.db, id) : undefined, NOT_FOUND);
}

/** Returns whether the user may perform the action in the workspace of the file. */
export async function hasWorkspaceAccess(
  deps: Deps,
  user: UserActor,
  action: WorkspaceAction,
  { workspace }: Pick<MediaRow, 'workspace'>,
): Promise<boolean> {
  if (workspace === getPersonalWorkspaceId(user.userId)) return true;
  const team = await findTeam(deps.db, user.userId, workspace);
  const access = { user_id: user.userId, team_id: workspace, team_role: team?.role ?? null };
  return canInWorkspace(user, action, access);
}
