// A media file as the CDN answers with it.
import type { Readable } from 'node:stream';
import { AppError } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { SVG_TYPE } from '../../media/accepted-types.ts';
import { PRESIGNED_SECONDS, presignGet } from '../../media/presign.ts';
import { objectUrl } from '../../media/s3.ts';
import { answerMedia, type MediaAnswer, type MediaRequest } from '../../media/serve.ts';
import { findMedia, type MediaRow } from '../../store/media/media.ts';
import type { Deps } from '../deps.ts';

export interface OpenedMedia {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** undefined: an answer without a body, or to HEAD. */
  readonly stream: Readable | undefined;
}

/** Addresses are public and not to be guessed. Throws 404 where there is no such media, or its address names another file. */
export async function openMedia(
  deps: Deps,
  { mediaId, name }: { readonly mediaId: string; readonly name: string },
  request: MediaRequest,
): Promise<OpenedMedia> {
  const row = isId('media', mediaId) ? await findMedia(deps.db, mediaId) : undefined;
  if (row === undefined || row.name !== name)
    throw new AppError('not_found', 'There is no media at this address.');
  const answer = answerMedia(request, {
    name: row.name,
    contentType: row.content_type,
    bytes: row.bytes,
    sha256: row.sha256,
    createdAt: row.created_at,
  });
  const hasBody = request.method === 'GET' && (answer.status === 200 || answer.status === 206);
  if (!hasBody) return { ...answer, stream: undefined };
  return (
    (await redirect(deps, row, answer)) ?? {
      ...answer,
      stream: (await deps.storage.read(row.id, answer.range)).stream,
    }
  );
}

/** To the bucket, where the operator wants it. An SVG needs a policy that no bucket sends, so it goes through here. */
async function redirect(
  { bucket, settings, now }: Deps,
  row: MediaRow,
  { headers }: MediaAnswer,
): Promise<OpenedMedia | undefined> {
  if (bucket === undefined || settings.CDN_MODE !== 'redirect' || row.content_type === SVG_TYPE)
    return undefined;
  const disposition = headers['Content-Disposition'] ?? 'inline';
  const location = await presignGet(bucket.key, {
    url: objectUrl(bucket, row.id),
    disposition,
    contentType: row.content_type,
    nowMs: now(),
  });
  // Half as long as the address works, so that nobody is sent to one that has just expired.
  const cache = `public, max-age=${PRESIGNED_SECONDS / 2}`;
  return { status: 307, headers: { Location: location, 'Cache-Control': cache }, stream: undefined };
}
