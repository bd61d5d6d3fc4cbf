// Imports the media of a workflow file with the checks of an upload: embedded bytes, or files fetched from URLs.
// Invalid embedded bytes refuse the import; a URL that cannot be fetched is only a warning, because its host may be
// down.
import { AppError, toError } from '../../lib/errors.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { type MediaType, maxBytesFor } from '../../media/accepted-types.ts';
import { listUsableMedia, type NewMedia } from '../../store/media/media.ts';
import { userWorkspace } from '../accounts/access.ts';
import type { UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { ImportedFile } from '../workflows/workflow-file.schema.ts';
import { MAX_EMBEDDED_BYTES } from './exported-media.ts';
import { mediaUrl } from './media-record.ts';
import { dropMedia, receiveFile, toMediaRow } from './receive-file.ts';
import { receiveUrl } from './receive-url.ts';
import { requireFreeStorage } from './storage-quota.ts';

/** Limit for all URLs together. */
const FETCH_MS = 120_000;
const CONCURRENT_FETCHES = 4;

export interface ReceivedMedia {
  /** Stored, but not recorded yet. */
  readonly rows: readonly NewMedia[];
  /** The id in the workflow file → the media that replaces it. */
  readonly replacements: ReadonlyMap<string, Replacement>;
  readonly warnings: readonly string[];
}

export interface Replacement {
  /** The URL that the graph contains. */
  readonly oldUrl: string;
  readonly id: string;
  readonly url: string;
}

/**
 * Stores the media of a workflow file. Throws 400, 413 or 415 for embedded bytes that an upload would refuse. Media
 * that the user already has are reused.
 */
export async function receiveMedia(
  deps: Deps,
  user: UserActor,
  files: readonly ImportedFile[],
  signal: AbortSignal,
): Promise<ReceivedMedia> {
  checkEmbedded(files);
  const knownMedia = await findKnown(deps, user, files);
  const filesToStore = files.filter(file => !knownMedia.has(file.mediaId));
  if (filesToStore.length > 0) await requireFreeStorage(deps, user.userId);
  const limit = createLimiter({ concurrency: CONCURRENT_FETCHES, maxWaiting: files.length });
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
  const outcomes = await Promise.allSettled(
    filesToStore.map(file => limit(() => receiveOne(deps, user, file, inTime), signal)),
  );
  const rows = outcomes.flatMap(outcome =>
    outcome.status === 'fulfilled' && typeof outcome.value !== 'string' ? [outcome.value] : [],
  );
  const failed = outcomes.find(outcome => outcome.status === 'rejected');
  if (failed !== undefined || signal.aborted) {
    await dropMedia(deps, rows);
    throw failed?.reason ?? signal.reason;
  }
  const replacements = new Map<string, Replacement>();
  const warnings: string[] = [];
  for (const [index, file] of filesToStore.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status !== 'fulfilled') continue;
    if (typeof outcome.value === 'string') warnings.push(outcome.value);
    else
      replacements.set(file.mediaId, {
        oldUrl: file.url,
        id: outcome.value.id,
        url: mediaUrl(deps, outcome.value),
      });
  }
  return { rows, replacements, warnings };
}

function checkEmbedded(files: readonly ImportedFile[]): void {
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

async function findKnown(
  deps: Deps,
  { userId }: UserActor,
  files: readonly ImportedFile[],
): Promise<ReadonlySet<string>> {
  const ids = files.map(({ mediaId }) => mediaId);
  const rows = await listUsableMedia(deps.db, { ids, workspace: userWorkspace(userId), userIds: [userId] });
  const hashes = new Map(rows.map(row => [row.id, row.sha256]));
  const isSame = ({ mediaId, sha256 }: ImportedFile): boolean =>
    sha256 !== undefined && hashes.get(mediaId) === sha256;
  return new Set(files.filter(isSame).map(({ mediaId }) => mediaId));
}

/** Returns the stored file, or a sentence if it could not be fetched. */
async function receiveOne(
  deps: Deps,
  { userId }: UserActor,
  file: ImportedFile,
  signal: AbortSignal,
): Promise<NewMedia | string> {
  const owner = { userId, workspace: userWorkspace(userId), origin: 'upload', executionId: null } as const;
  const { data, contentType, name, url, mediaId } = file;
  if (data !== undefined) {
    const source = Buffer.from(data, 'base64');
    const incoming = {
      source,
      declared: contentType,
      name,
      maxBytes: (type: MediaType) => maxBytesFor('import', type),
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
