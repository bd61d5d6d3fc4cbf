// Finds the stored media that a run may use, and reads stored files into memory.
import { buffer } from 'node:stream/consumers';
import type { MediaRef } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import type { MediaKind } from '../../media/accepted-types.ts';
import { findMedia, type MediaRow, mayUseMedia } from '../../store/media/media.ts';
import { listOpenUploads } from '../../store/media/uploads.ts';
import type { Deps } from '../deps.ts';
import { parseMediaUrl, toMediaRef } from './media-record.ts';

/** The user and run for which media are stored and looked up. */
export interface MediaOwner {
  readonly userId: number;
  readonly workspace: string;
  /** Null if the media are not stored for a run, for example a preview. */
  readonly executionId: string | null;
  /** The prompt of the node that stores media. */
  readonly prompt?: string | undefined;
  /** The type of the node that stores media. */
  readonly nodeType?: string | undefined;
  /** The seed that the node was given. */
  readonly seed?: number | undefined;
}

/** A node's reference to a media file: an id or a URL. */
export interface MediaSource {
  readonly mediaId?: string | undefined;
  readonly url?: string | undefined;
}

/** Returns the stored media that a node refers to; undefined if the URL is external. */
export async function findStoredMedia(
  deps: Deps,
  owner: Omit<MediaOwner, 'executionId'>,
  { mediaId, url = '' }: MediaSource,
  kind: MediaKind,
): Promise<MediaRef | undefined> {
  const usable = await findUsable(deps, owner, mediaId ?? parseMediaUrl(deps, url)?.id);
  if (usable !== undefined) return requireKind(toMediaRef(deps, usable), kind);
  if (mediaId === undefined) return undefined;
  const openUploads = isId('media', mediaId) ? await listOpenUploads(deps.db, [mediaId]) : undefined;
  if (openUploads?.has(mediaId)) throw new AppError('upload_not_found', describeIncompleteUpload(mediaId));
  throw new AppError('not_found', `Media ${mediaId.slice(0, 64)} was not found in this workspace.`);
}

/** Returns the message about media whose upload is not completed. */
export function describeIncompleteUpload(mediaId: string): string {
  return `The upload of media ${mediaId} is not complete: send its bytes, then complete it (POST /api/v1/media/upload-url/complete, or the tool add_media with mediaId alone).`;
}

/** Throws `unsupported_type` if the media is of another kind. */
export function requireKind(ref: MediaRef, kind: MediaKind): MediaRef {
  if (ref.contentType.startsWith(`${kind}/`)) return ref;
  const kindName = kind === 'video' ? 'a video' : `an ${kind}`;
  throw new AppError('unsupported_type', `${ref.url} is ${ref.contentType}, not ${kindName}.`);
}

async function findUsable(
  deps: Deps,
  owner: Omit<MediaOwner, 'executionId'>,
  id: string | undefined,
): Promise<MediaRow | undefined> {
  const row = id !== undefined && isId('media', id) ? await findMedia(deps.db, id) : undefined;
  if (row === undefined || row.workspace === owner.workspace) return row;
  return (await mayUseMedia(deps.db, row.id, owner.userId)) ? row : undefined;
}

type StorageOnly = Pick<Deps, 'storage'>;

/** Reads the file. Throws `not_found`. The caller has checked that the file fits into memory. */
export async function readStoredFile({ storage }: StorageOnly, id: string): Promise<Buffer> {
  return await buffer((await storage.read(id)).stream);
}

/** Reads the file. Throws `not_found`, or `file_too_large` if it has more than `maxBytes`. */
export async function readMedia(deps: StorageOnly, ref: MediaRef, maxBytes: number): Promise<Buffer> {
  if (ref.bytes <= maxBytes) return await readStoredFile(deps, ref.mediaId);
  throw new AppError(
    'file_too_large',
    `The file has ${ref.bytes} bytes. The maximum for this operation is ${maxBytes}.`,
  );
}
