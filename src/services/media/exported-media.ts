// Exports the media of a workflow: embeds files up to a total size, and refers to larger ones by URL.
import { ignoreNotFound } from '../../lib/errors.ts';
import { freeAfterUse } from '../../lib/freeing.ts';
import type { MediaRow } from '../../store/media/media.ts';
import type { Deps } from '../deps.ts';
import { presentUpload } from './media-record.ts';

/** Limit for all embedded files together. */
export const MAX_EMBEDDED_BYTES = 25 * 1_048_576;
/** The maximum number of media in a workflow file. */
export const MAX_EXPORTED_MEDIA = 200;

export interface ExportedMedia {
  readonly row: MediaRow;
  readonly isEmbedded: boolean;
}

/** Chooses the files that fit into the limit, in order, to be embedded. */
export function chooseEmbedded(rows: readonly MediaRow[]): readonly ExportedMedia[] {
  let remaining = MAX_EMBEDDED_BYTES;
  return rows.slice(0, MAX_EXPORTED_MEDIA).map(row => {
    const isEmbedded = row.bytes <= remaining;
    if (isEmbedded) remaining -= row.bytes;
    return { row, isEmbedded };
  });
}

/** Yields the JSON of the media in pieces, so that only a piece of one file is in memory. */
export async function* writeMedia(
  deps: Pick<Deps, 'settings' | 'storage'>,
  media: readonly ExportedMedia[],
): AsyncGenerator<string, void, undefined> {
  for (const [index, { row, isEmbedded }] of media.entries()) {
    const head = JSON.stringify({ ...presentUpload(deps, row), name: row.name, sha256: row.sha256 });
    yield `${index === 0 ? '' : ','}${head.slice(0, -1)}`;
    if (isEmbedded) yield* writeData(deps, row.id);
    yield '}';
  }
}

async function* writeData(
  { storage }: Pick<Deps, 'storage'>,
  id: string,
): AsyncGenerator<string, void, undefined> {
  // If the file was deleted after it was listed, only its URL is exported.
  const file = await storage.read(id).catch(ignoreNotFound);
  if (file === undefined) return;
  yield ',"data":"';
  let remainder = Buffer.alloc(0);
  for await (const chunk of freeAfterUse(file.stream)) {
    const bytes = Buffer.concat([remainder, chunk]);
    // Base64 encodes three bytes as four characters; the remainder waits for the next piece.
    const complete = bytes.length - (bytes.length % 3);
    yield bytes.toString('base64', 0, complete);
    remainder = Buffer.copyBytesFrom(bytes, complete);
  }
  yield `${remainder.toString('base64')}"`;
}
