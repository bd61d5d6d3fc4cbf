// Serves media files at their public URLs.
import type { Readable } from 'node:stream';
import { AppError } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { SVG_TYPE } from '../../media/accepted-types.ts';
import { PRESIGNED_SECONDS, presignGet } from '../../media/presign.ts';
import { getObjectUrl } from '../../media/s3.ts';
import { type MediaRequest, type MediaResponse, toMediaResponse } from '../../media/serve.ts';
import { findUnexpiredMedia, type MediaRow } from '../../store/media/media.ts';
import type { Deps } from '../deps.ts';

/** How long files that visitors of apps upload are served and can be used. */
export const VISITOR_FILE_MS = 86_400_000;

export interface OpenedMedia {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a response without a body, such as the response to a HEAD request. */
  readonly stream: Readable | undefined;
}

/**
 * Opens a media file for a request of its public, unguessable URL. Throws 404 if the media does not exist or has
 * another name than the URL.
 */
export async function openMedia(
  deps: Deps,
  { mediaId, name }: { readonly mediaId: string; readonly name: string },
  request: MediaRequest,
): Promise<OpenedMedia> {
  const uploadedAfter = new Date(deps.now() - VISITOR_FILE_MS);
  const row = isId('media', mediaId) ? await findUnexpiredMedia(deps.db, mediaId, uploadedAfter) : undefined;
  if (row === undefined || row.name !== name) throw new AppError('not_found', 'Media not found.');
  const response = toMediaResponse(request, {
    name: row.name,
    contentType: row.content_type,
    bytes: row.bytes,
    sha256: row.sha256,
    createdAt: row.created_at,
  });
  const hasBody = request.method === 'GET' && (response.status === 200 || response.status === 206);
  if (!hasBody) return { ...response, stream: undefined };
  return (
    (await redirect(deps, row, response)) ?? {
      ...response,
      stream: (await deps.storage.read(row.id, response.range)).stream,
    }
  );
}

/**
 * Redirects to the bucket if the operator enabled redirects. SVGs are never redirected, because they need a content
 * security policy that no bucket sends.
 */
async function redirect(
  { bucket, settings, now }: Deps,
  row: MediaRow,
  { headers }: MediaResponse,
): Promise<OpenedMedia | undefined> {
  if (bucket === undefined || settings.CDN_MODE !== 'redirect' || row.content_type === SVG_TYPE)
    return undefined;
  const disposition = headers['Content-Disposition'] ?? 'inline';
  const location = await presignGet(bucket.signingKey, {
    url: getObjectUrl(bucket, row.id),
    disposition,
    contentType: row.content_type,
    nowMs: now(),
  });
  // Half the lifetime of the URL, so that nobody is redirected to an expired one.
  const cache = `public, max-age=${PRESIGNED_SECONDS / 2}`;
  return { status: 307, headers: { Location: location, 'Cache-Control': cache }, stream: undefined };
}
