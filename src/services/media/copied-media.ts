// Copies the media of a duplicated workflow: copies the files within the storage and creates rows for the copies.
import { AppError, ignoreNotFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { listUsableMedia, type MediaRow, type NewMedia } from '../../store/media/media.ts';
import { recordOrphan } from '../../store/media/orphans.ts';
import { getPersonalWorkspaceId, getWorkspaceId } from '../accounts/access.ts';
import type { UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { MAX_EXPORTED_MEDIA } from './exported-media.ts';
import { dropFile } from './receive-file.ts';
import { requireFreeStorage } from './storage-quota.ts';
import { storeFiles } from './store-files.ts';

/** Limit for all files of a duplicated workflow together. */
const MAX_BYTES = 1_073_741_824;
const COPY_MS = 120_000;

export interface CopiedMedia {
  /** Rows of stored files, which are not inserted yet. */
  readonly rows: readonly NewMedia[];
  /** Id of a media file in the graph → id of the copy. */
  readonly copies: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

export interface MediaToCopy {
  readonly ids: readonly string[];
  /** The owner of the workflow whose graph refers to the media. */
  readonly owner: { readonly team_id: string | null; readonly user_id: number };
}

/**
 * Copies the media that the user cannot read but the workspace of the workflow can. That workspace must have access, so
 * that nobody can copy a file by entering its id in a graph. Omits files that are deleted meanwhile.
 */
export async function copyMedia(
  deps: Deps,
  user: UserActor,
  mediaToCopy: MediaToCopy,
  signal: AbortSignal,
): Promise<CopiedMedia> {
  const { selected, warnings } = selectFitting(await listRowsToCopy(deps, user, mediaToCopy));
  if (selected.length > 0) {
    const bytes = selected.reduce((sum, row) => sum + row.bytes, 0);
    await requireFreeStorage(deps, user.userId, bytes);
  }
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(COPY_MS)]);
  const copied = await storeFiles(deps, selected, row => copyOne(deps, user, row, deadline), deadline).catch(
    (err: unknown) => {
      if (!deadline.aborted || signal.aborted) throw err;
      throw new AppError('unavailable', "Copying the workflow's media took too long. Try again.", {
        cause: err,
        headers: { 'retry-after': '60' },
      });
    },
  );
  const copies = selected.flatMap(({ id }, index) => {
    const copy = copied[index];
    return copy === undefined ? [] : [[id, copy.id] as const];
  });
  return { rows: copied.filter(row => row !== undefined), copies: new Map(copies), warnings };
}

async function listRowsToCopy(
  deps: Deps,
  { userId }: UserActor,
  { ids, owner }: MediaToCopy,
): Promise<readonly MediaRow[]> {
  const ownMedia = { ids, workspace: getPersonalWorkspaceId(userId), userIds: [userId] };
  const usableIds = new Set((await listUsableMedia(deps.db, ownMedia)).map(({ id }) => id));
  return await listUsableMedia(deps.db, {
    ids: ids.filter(id => !usableIds.has(id)),
    workspace: getWorkspaceId(owner),
    userIds: owner.team_id === null ? [owner.user_id] : [],
  });
}

/** Selects the files that fit into the limit, in order, and returns a warning if files were left out. */
function selectFitting(rows: readonly MediaRow[]): {
  readonly selected: readonly MediaRow[];
  readonly warnings: readonly string[];
} {
  let remaining = MAX_BYTES;
  const selected = rows.slice(0, MAX_EXPORTED_MEDIA).filter(({ bytes }) => {
    const fits = bytes <= remaining;
    if (fits) remaining -= bytes;
    return fits;
  });
  const count = rows.length - selected.length;
  if (count === 0) return { selected, warnings: [] };
  return {
    selected,
    warnings: [
      `${count} media were not copied: at most ${MAX_EXPORTED_MEDIA} files with ${MAX_BYTES} bytes in total can be copied. Upload your own files instead.`,
    ],
  };
}

async function copyOne(
  deps: Deps,
  { userId }: UserActor,
  row: MediaRow,
  signal: AbortSignal,
): Promise<NewMedia | undefined> {
  const id = newId('media', deps.now());
  await recordOrphan(deps.db, id);
  try {
    await deps.storage.copy(row.id, id, signal);
  } catch (err) {
    await dropFile(deps, id);
    return ignoreNotFound(err);
  }
  const { created_at: _, title: __, ...record } = row;
  return {
    ...record,
    id,
    user_id: userId,
    workspace: getPersonalWorkspaceId(userId),
    origin: 'upload',
    execution_id: null,
    prompt: null,
    poster_id: null,
    node_type: null,
    seed: null,
  };
}
