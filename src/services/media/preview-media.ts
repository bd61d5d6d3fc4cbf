// A small picture of a stored file, for who cannot open the file itself.

import { isId } from '../../lib/ids.ts';
import { convertImage, resizeImage } from '../../media/images.ts';
import { findMedia, type MediaRow } from '../../store/media/media.ts';
import type { Deps } from '../deps.ts';
import { readAll } from './media-bytes.ts';
import { mediaIdOf } from './media-record.ts';

const MAX_SIDE = 512;
const MAX_PREVIEW_BYTES = 32_768;
/** Pictures that are larger are not read for a preview. */
const MAX_SOURCE_BYTES = 26_214_400;
const BACKGROUND = '#ffffff';
/** From good to small, until one is small enough. */
const ATTEMPTS = [
  { side: MAX_SIDE, quality: 75 },
  { side: MAX_SIDE, quality: 50 },
  { side: 320, quality: 50 },
  { side: 160, quality: 40 },
];

/** The file that is served at an address of ours; undefined for any other address. */
export async function findMediaAt(
  deps: Pick<Deps, 'settings' | 'db'>,
  url: string,
): Promise<MediaRow | undefined> {
  const id = mediaIdOf(deps, url);
  return id !== undefined && isId('media', id) ? findMedia(deps.db, id) : undefined;
}

/** A JPEG of at most 512 px and 32 KB; undefined where the file is no picture, or none that can be read. */
export async function makePreview(
  deps: Pick<Deps, 'storage' | 'log'>,
  row: MediaRow,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (!/^image\/(?!svg)/.test(row.content_type) || row.bytes > MAX_SOURCE_BYTES) return undefined;
  try {
    const bytes = await readAll(deps, row.id);
    for (const { side, quality } of ATTEMPTS) {
      const size = { width: side, height: side, fit: 'inside', background: BACKGROUND } as const;
      const isSmall = Math.max(row.width ?? Infinity, row.height ?? Infinity) <= side;
      const small = isSmall ? bytes : (await resizeImage(bytes, size, signal)).bytes;
      const jpeg = { format: 'jpeg', quality, background: BACKGROUND } as const;
      const preview = await convertImage(small, jpeg, signal);
      if (preview.bytes.length <= MAX_PREVIEW_BYTES) return preview.bytes;
    }
    return undefined;
  } catch (err) {
    // What it is a preview of is there all the same.
    deps.log.debug({ err, mediaId: row.id }, 'no preview could be made');
    return undefined;
  }
}
