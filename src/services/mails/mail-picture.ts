// Reads the picture of a mail from the media, as a small JPEG that is attached to the mail.
import type { MailPicture } from '../../store/mails.ts';
import { findMedia, type MediaRow } from '../../store/media/media.ts';
import type { Deps } from '../deps.ts';
import { readStoredFile } from '../media/stored-media.ts';
import type { MailAttachment } from './smtp.ts';

const MAX_SOURCE_BYTES = 50_000_000;
const WIDTH = 1040;
const QUALITY = 80;

/** Returns undefined if the media was deleted, is too large or no image, and has no poster. */
export async function readMailPicture(
  deps: Pick<Deps, 'db' | 'storage' | 'log'>,
  { mediaId }: MailPicture,
  signal: AbortSignal,
): Promise<MailAttachment | undefined> {
  const row = await findMedia(deps.db, mediaId);
  const image = row && (isImage(row) ? row : row.poster_id && (await findMedia(deps.db, row.poster_id)));
  if (!image || !isImage(image) || image.bytes > MAX_SOURCE_BYTES) return undefined;
  try {
    const { convertImage, resizeImage } = await import('../../media/images.ts');
    const source = await readStoredFile(deps, image.id);
    const { bytes } = await resizeImage(
      source,
      { width: Math.min(WIDTH, image.width ?? WIDTH), fit: 'inside', background: '#ffffff' },
      signal,
    );
    const jpeg = await convertImage(
      bytes,
      { format: 'jpeg', quality: QUALITY, background: '#ffffff' },
      signal,
    );
    return {
      cid: `${mediaId}@graphwright`,
      fileName: 'picture.jpg',
      contentType: 'image/jpeg',
      content: Buffer.from(jpeg.bytes),
    };
  } catch (err) {
    if (signal.aborted) throw err;
    // A mail without its picture is better than none.
    deps.log.warn({ err, mediaId }, 'failed to read the picture of a mail');
    return undefined;
  }
}

const isImage = ({ content_type }: MediaRow): boolean => /^image\/(?!svg)/.test(content_type);
