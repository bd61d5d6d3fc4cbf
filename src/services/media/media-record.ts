// Presents media records to nodes and callers, with their URLs.
import { isModel } from '../../graph/catalog.ts';
import type { MediaRef } from '../../graph/types.ts';
import { decodeName } from '../../media/file-name.ts';
import type { ListedMediaRow } from '../../store/media/library.ts';
import type { MediaRow, NewMedia } from '../../store/media/media.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import type { Deps } from '../deps.ts';

type SettingsOnly = Pick<Deps, 'settings'>;
type UploadColumns = Pick<
  NewMedia,
  'id' | 'name' | 'content_type' | 'width' | 'height' | 'duration' | 'bytes'
>;

/** Returns the URL that serves the file: public, but unguessable. */
export function getMediaUrl({ settings }: SettingsOnly, { id, name }: Pick<MediaRow, 'id' | 'name'>): string {
  return `${settings.CDN_URL}/${id}/${encodeURIComponent(name)}`;
}

/** Returns the id and name in a URL of this service; undefined for any other URL. */
export function parseMediaUrl(
  { settings }: SettingsOnly,
  url: string,
): { readonly id: string; readonly name: string } | undefined {
  const prefix = `${settings.CDN_URL}/`;
  if (!url.startsWith(prefix)) return undefined;
  const [id = '', name = ''] = url.slice(prefix.length).split('/');
  return { id, name: decodeName(name) };
}

/** Presents the fields that the response to an upload contains. */
export function presentUpload(deps: SettingsOnly, row: UploadColumns) {
  return {
    url: getMediaUrl(deps, row),
    mediaId: row.id,
    contentType: row.content_type,
    width: row.width,
    height: row.height,
    duration: row.duration,
    bytes: row.bytes,
  };
}

/** Presents a media file with its name, owner and origin. */
export function presentMedia(deps: Pick<Deps, 'settings' | 'catalog'>, row: ListedMediaRow) {
  const { poster_id, poster_name, workflow_id, workflow_name } = row;
  const isPersonal = row.workspace === getPersonalWorkspaceId(row.user_id);
  return {
    ...presentUpload(deps, row),
    name: row.title ?? row.name,
    teamId: isPersonal ? null : row.workspace,
    userId: row.user_id,
    userName: row.user_name,
    isFavorite: row.is_favorite,
    origin: row.origin,
    posterUrl:
      poster_id === null || poster_name === null
        ? null
        : getMediaUrl(deps, { id: poster_id, name: poster_name }),
    prompt: row.prompt,
    workflow:
      workflow_id === null || workflow_name === null ? null : { id: workflow_id, name: workflow_name },
    model: findModel(deps, row.node_type),
    seed: row.seed,
    executionId: row.execution_id,
    createdAt: row.created_at.toISOString(),
  };
}

/** Returns null for a node that is no model. */
function findModel({ catalog }: Pick<Deps, 'catalog'>, nodeType: string | null) {
  const entry = nodeType === null ? undefined : catalog.find(nodeType);
  return entry === undefined || !isModel(entry) ? null : { nodeType: entry.nodeType, label: entry.label };
}

/** Returns the reference to the file that nodes pass on. */
export function toMediaRef(deps: SettingsOnly, row: NewMedia): MediaRef {
  const { sha256, seed } = row;
  return { ...presentUpload(deps, row), sha256, ...(seed === null ? {} : { seed }) };
}
