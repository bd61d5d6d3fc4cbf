// Creates a small preview of a stored image for clients that cannot open the file itself.
import { isId } from '../../lib/ids.ts';
import { convertImage, resizeImage } from '../../media/images.ts';
import { findMedia, type MediaRow } from '../../store/media/media.ts';
import type { Deps } from '../deps.ts';
import { parseMediaUrl } from './media-record.ts';
import { readStoredFile } from './stored-media.ts';

const MAX_SIDE = 512;
const MAX_PREVIEW_BYTES = 32_768;
/** Larger images are not read for a preview. */
const MAX_SOURCE_BYTES = 26_214_400;
const BACKGROUND = '#ffffff';
/** The sizes and qualities to try, in order, until the preview is small enough. */
const ATTEMPTS = [
  { side: MAX_SIDE, quality: 75 },
  { side: MAX_SIDE, quality: 50 },
  { side: 320, quality: 50 },
  { side: 160, quality: 40 },
];

/** Returns the media at a URL of this service; undefined for any other URL. */
export async function findMediaByUrl(
  deps: Pick<Deps, 'settings' | 'db'>,
  url: string,
): Promise<MediaRow | undefined> {
  const id = parseMediaUrl(deps, url)?.id;
  return id !== undefined && isId('media', id) ? findMedia(deps.db, id) : undefined;
}

/** Returns a JPEG of at most 512 px and 32 KB; undefined if the file is not a readable image. */
export async function createPreview(
  deps: Pick<Deps, 'storage' | 'log'>,
  row: MediaRow,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (!/^image\/(?!svg)/.test(row.content_type) || row.bytes > MAX_SOURCE_BYTES) return undefined;
  try {
    const bytes = await readStoredFile(deps, row.id);
    for (const { side, quality } of ATTEMPTS) {
      const size = { width: side, height: side, fit: 'inside', background: BACKGROUND } as const;
      const isSmall = Math.max(row.width ?? Infinity, row.height ?? Infinity) <= side;
      const resizedImage = isSmall ? bytes : (await resizeImage(bytes, size, signal)).bytes;
      const jpeg = { format: 'jpeg', quality, background: BACKGROUND } as const;
      const preview = await convertImage(resizedImage, jpeg, signal);
      if (preview.bytes.length <= MAX_PREVIEW_BYTES) return preview.bytes;
    }
    return undefined;
  } catch (err) {
    // A failed preview does not affect the file itself.
    deps.log.debug({ err, mediaId: row.id }, 'no preview could be made');
    return undefined;
  }
}
