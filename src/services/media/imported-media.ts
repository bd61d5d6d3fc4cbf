// Imports the media of a workflow file, embedded or fetched from URLs, with the checks of an upload. The import fails
// if embedded bytes are invalid. A URL that cannot be fetched only causes a warning, because its host may be down.
import { AppError, toError } from '../../lib/errors.ts';
import { getMaxBytes, type MediaType } from '../../media/accepted-types.ts';
import { listUsableMedia, type NewMedia } from '../../store/media/media.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import type { UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { ImportedFile } from '../workflows/workflow-file.schema.ts';
import { MAX_EMBEDDED_BYTES } from './exported-media.ts';
import { getMediaUrl } from './media-record.ts';
import { receiveFile, toMediaRow } from './receive-file.ts';
import { receiveUrl } from './receive-url.ts';
import { requireFreeStorage } from './storage-quota.ts';
import { storeFiles } from './store-files.ts';

/** Limit for all URLs together. */
const FETCH_MS = 120_000;

export interface ImportedMedia {
  /** Rows of stored files, which are not inserted yet. */
  readonly rows: readonly NewMedia[];
  /** Id of a media file in the workflow file → the media that replaces it. */
  readonly replacements: ReadonlyMap<string, Replacement>;
  readonly warnings: readonly string[];
}

export interface Replacement {
  /** The URL that the imported graph contains. */
  readonly oldUrl: string;
  readonly id: string;
  readonly url: string;
}

/**
 * Stores the media of a workflow file, except media that the user already has. Throws 400, 413 or 415 for embedded
 * bytes that an upload would refuse.
 */
export async function importMedia(
  deps: Deps,
  user: UserActor,
  files: readonly ImportedFile[],
  signal: AbortSignal,
): Promise<ImportedMedia> {
  requireValidEmbedded(files);
  const knownIds = await findKnownIds(deps, user, files);
  const filesToStore = files.filter(file => !knownIds.has(file.mediaId));
  if (filesToStore.length > 0) await requireFreeStorage(deps, user.userId);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
  const results = await storeFiles(
    deps,
    filesToStore,
    file => receiveOne(deps, user, file, deadline),
    signal,
  );
  const rows: NewMedia[] = [];
  const replacements = new Map<string, Replacement>();
  const warnings: string[] = [];
  for (const [index, { mediaId, url: oldUrl }] of filesToStore.entries()) {
    const result = results[index] as (typeof results)[number];
    if (typeof result === 'string') warnings.push(result);
    else {
      rows.push(result);
      replacements.set(mediaId, { oldUrl, id: result.id, url: getMediaUrl(deps, result) });
    }
  }
  return { rows, replacements, warnings };
}

function requireValidEmbedded(files: readonly ImportedFile[]): void {
  let total = 0;
  for (const [index, { data }] of files.entries()) {
    if (data === undefined) continue;
    total += Buffer.byteLength(data, 'base64');
    // Node ignores characters that are not base64.
    if (data.length % 4 === 0 && !/[^A-Za-z0-9+/=]|=[^=]/.test(data)) continue;
    throw new AppError('invalid_request', 'An embedded media file is not valid base64.', {
      issues: [{ path: `/media/${index}/data`, code: 'invalid_request', message: 'is not base64' }],
    });
  }
  if (total <= MAX_EMBEDDED_BYTES) return;
  throw new AppError(
    'file_too_large',
    `The embedded media have more than ${MAX_EMBEDDED_BYTES} bytes in total.`,
  );
}

async function findKnownIds(
  deps: Deps,
  { userId }: UserActor,
  files: readonly ImportedFile[],
): Promise<ReadonlySet<string>> {
  const ids = files.map(({ mediaId }) => mediaId);
  const rows = await listUsableMedia(deps.db, {
    ids,
    workspace: getPersonalWorkspaceId(userId),
    userIds: [userId],
  });
  const hashes = new Map(rows.map(row => [row.id, row.sha256]));
  const isSame = ({ mediaId, sha256 }: ImportedFile): boolean =>
    sha256 !== undefined && hashes.get(mediaId) === sha256;
  return new Set(files.filter(isSame).map(({ mediaId }) => mediaId));
}

/** Returns the stored file, or a warning if it could not be fetched. */
async function receiveOne(
  deps: Deps,
  { userId }: UserActor,
  file: ImportedFile,
  signal: AbortSignal,
): Promise<NewMedia | string> {
  const owner = {
    userId,
    workspace: getPersonalWorkspaceId(userId),
    origin: 'upload',
    executionId: null,
  } as const;
  const { data, contentType, name, url, mediaId } = file;
  if (data !== undefined) {
    const source = Buffer.from(data, 'base64');
    const incoming = {
      source,
      declaredContentType: contentType,
      name,
      maxBytes: (type: MediaType) => getMaxBytes('import', type),
    };
    return toMediaRow(await receiveFile(deps, incoming, signal), owner, file);
  }
  try {
    return toMediaRow(await receiveUrl(deps, url, signal, 'import'), owner, file);
  } catch (err) {
    const isClientError = err instanceof AppError && err.status < 500;
    if (!isClientError && !signal.aborted) throw err;
    return `The media ${mediaId} could not be fetched from ${url.slice(0, 200)}: ${toError(err).message} Upload the file and set it in the node that uses it.`;
  }
}
