// Streams media as a ZIP archive.
import type { Readable } from 'node:stream';
import { AppError } from '../../lib/errors.ts';
import { createZipStream, type ZipFile } from '../../lib/zip.ts';
import { findMediaType } from '../../media/accepted-types.ts';
import { toFileName } from '../../media/file-name.ts';
import { recordAuditAlone } from '../../store/audit/record-audit.ts';
import { listCollectionMedia } from '../../store/media/collections.ts';
import type { MediaRow } from '../../store/media/media.ts';
import { toTeamId } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { requireUsableMedia } from './change-media.ts';
import { authorizeCollection } from './collections.ts';
import type { DownloadMediaQuery } from './media.schema.ts';

/** The maximum number of files that the query names. A collection may have more. */
const MAX_NAMED_FILES = 200;
const MAX_BYTES = 20_000_000_000;

export interface MediaArchive {
  readonly name: string;
  readonly stream: Readable;
}

/**
 * Streams the named files or those of a collection. Files are read one after another, each when it is sent. Throws 400,
 * 403, 404, and `file_too_large`.
 */
export async function downloadMedia(
  deps: Deps,
  actor: Actor,
  { mediaIds, collectionId }: DownloadMediaQuery,
  signal: AbortSignal,
): Promise<MediaArchive> {
  const user = requireScope(actor, 'workflows:write');
  if ((mediaIds === undefined) === (collectionId === undefined))
    throw new AppError('invalid_request', 'Send either mediaIds or collectionId.');
  const collection =
    collectionId === undefined ? undefined : await authorizeCollection(deps, user, collectionId, 'read');
  const rows =
    collection === undefined
      ? await requireUsableMedia(deps, actor, splitIds(mediaIds ?? ''))
      : await listCollectionMedia(deps.db, collection.id);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  if (bytes > MAX_BYTES)
    throw new AppError(
      'file_too_large',
      `The files have ${bytes} bytes. An archive can have ${MAX_BYTES} bytes: download fewer files at a time.`,
    );
  await recordAuditAlone(deps.db, user, {
    action: 'media.exported',
    target: collectionId,
    name: collection?.name,
    teamId: findTeamId(collection === undefined ? rows : [collection]),
    after: { count: rows.length, bytes },
  });
  return {
    name: toFileName(collection?.name ?? 'media', { extension: 'zip' }),
    stream: createZipStream(readFiles(deps, rows, signal)),
  };
}

/** Returns the team of the first item that belongs to one. */
const findTeamId = (items: readonly { readonly workspace: string }[]): string | undefined =>
  items.flatMap(({ workspace }) => toTeamId(workspace) ?? [])[0];

function splitIds(text: string): readonly string[] {
  const ids = [...new Set(text.split(','))];
  if (ids.length <= MAX_NAMED_FILES) return ids;
  throw new AppError(
    'invalid_request',
    `mediaIds names ${ids.length} files. The limit is ${MAX_NAMED_FILES}: add them to a collection to download more.`,
  );
}

type ArchivedMedia = Pick<MediaRow, 'id' | 'name' | 'title' | 'content_type' | 'created_at'>;

/** Yields the files. Deleted files are left out. */
async function* readFiles(
  { storage }: Deps,
  rows: readonly ArchivedMedia[],
  signal: AbortSignal,
): AsyncGenerator<ZipFile> {
  const nextName = createUniqueNames();
  for (const row of rows) {
    signal.throwIfAborted();
    const file = await storage.read(row.id).catch(() => undefined);
    if (file !== undefined)
      yield { name: nextName(toArchivedName(row)), lastModified: row.created_at, input: file.stream };
  }
}

const toArchivedName = ({ title, name, content_type }: ArchivedMedia): string =>
  title === null ? name : toFileName(title, { extension: findMediaType(content_type)?.extension ?? 'bin' });

/** Returns a function that appends a number to each name that was used before. Some file systems ignore case. */
function createUniqueNames(): (name: string) => string {
  const counts = new Map<string, number>();
  return name => {
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let unique = name;
    for (let count = counts.get(name.toLowerCase()) ?? 1; counts.has(unique.toLowerCase()); count++) {
      unique = `${stem}-${count + 1}${extension}`;
      counts.set(name.toLowerCase(), count + 1);
    }
    counts.set(unique.toLowerCase(), counts.get(unique.toLowerCase()) ?? 1);
    return unique;
  };
}
