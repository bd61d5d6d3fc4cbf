// Completes a presigned upload: moves the file to a key that the client cannot write, checks the file, and records it
// if it is valid.
import { createHash } from 'node:crypto';
import { AppError, ignoreNotFound, isNotFound } from '../../lib/errors.ts';
import { freeAfterUse } from '../../lib/freeing.ts';
import { isId } from '../../lib/ids.ts';
import { getMaxBytes, type MediaType } from '../../media/accepted-types.ts';
import { inspectImage } from '../../media/images.ts';
import { probeStoredType } from '../../media/probe-stored.ts';
import { getMediaType, identifyFile, SNIFFED_BYTES } from '../../media/sniff.ts';
import { createTooLargeError } from '../../media/spool.ts';
import { type StoredFile, toPendingKey } from '../../media/storage.ts';
import { findMedia, insertMedia, type MediaRow, mayUseMedia } from '../../store/media/media.ts';
import { lockUpload, markDiscarded, markMoved, type UploadRow } from '../../store/media/uploads.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { CompleteUploadBody } from './media.schema.ts';
import { presentUpload } from './media-record.ts';
import { createBusyError } from './presigned-upload.ts';
import { type ReceivedFile, toMediaRow } from './receive-file.ts';
import { readStoredFile } from './stored-media.ts';

/** How long after the creation of an upload it can be completed. */
const MAX_AGE_MS = 86_400_000;
const LOCK_WAIT_MS = 1000;

/**
 * Completes an upload. Idempotent. Throws `invalid_media_id`, `upload_not_found`, `unreadable_image`,
 * `unsupported_type`.
 */
export async function completeUpload(
  deps: Deps,
  actor: Actor,
  body: CompleteUploadBody,
  signal: AbortSignal,
) {
  const user = requireScope(actor, 'workflows:write');
  const { mediaId, ...hints } = body;
  if (!isId('media', mediaId)) throw new AppError('invalid_media_id', 'mediaId is not the ID of an upload.');
  const completed = await findCompleted(deps, mediaId, user.userId);
  if (completed !== undefined) return presentUpload(deps, completed);
  const upload = await lockAndMove(deps, mediaId, user.userId);
  const file = await checkFile(deps, upload, signal).catch(async (err: unknown) => {
    if (err instanceof AppError && REJECTION_CODES.has(err.code)) await discard(deps, mediaId);
    throw isNotFound(err) ? createUploadNotFoundError() : err;
  });
  const owner = {
    userId: user.userId,
    workspace: upload.workspace,
    origin: 'upload',
    executionId: null,
  } as const;
  // The bytes have counted toward the account's storage since the upload was created, so nothing is added here.
  const row = toMediaRow(file, owner, hints);
  await insertMedia(deps.db, [row]);
  // If another request completed the upload first, its record is returned.
  return presentUpload(deps, (await findCompleted(deps, mediaId, user.userId)) ?? row);
}

const REJECTION_CODES: ReadonlySet<string> = new Set([
  'unreadable_image',
  'unsupported_type',
  'file_too_large',
  'invalid_bytes',
  'empty_file',
]);

async function findCompleted(deps: Deps, mediaId: string, userId: number): Promise<MediaRow | undefined> {
  const row = await findMedia(deps.db, mediaId);
  const isOwnUpload = row?.user_id === userId && row.origin === 'upload';
  return isOwnUpload && (await mayUseMedia(deps.db, mediaId, userId)) ? row : undefined;
}

/** Moves the file, once, to a key that has no presigned URL, since the URL of the upload stays valid for a while. */
function lockAndMove(deps: Deps, mediaId: string, userId: number): Promise<UploadRow> {
  const nowMs = deps.now();
  return deps.db.transaction(async tx => {
    const since = new Date(nowMs - MAX_AGE_MS);
    const upload = await lockUpload(tx, { id: mediaId, userId, since, waitMs: LOCK_WAIT_MS });
    if (upload === 'busy') throw createBusyError('This upload is already being completed', deps.now());
    if (upload === undefined) throw createUploadNotFoundError();
    if (upload.moved_at !== null) return upload;
    if (!(await ensureMoved(deps, mediaId))) throw createUploadNotFoundError();
    await markMoved(tx, mediaId, new Date(nowMs));
    return upload;
  });
}

/** Moves the file, unless a process moved it and crashed before it recorded that. Returns false if there is no file. */
async function ensureMoved(deps: Deps, mediaId: string): Promise<boolean> {
  try {
    await deps.storage.move(toPendingKey(mediaId), mediaId);
    return true;
  } catch (err) {
    ignoreNotFound(err);
    return (await deps.storage.stat(mediaId)) !== undefined;
  }
}

async function checkFile(deps: Deps, upload: UploadRow, signal: AbortSignal): Promise<ReceivedFile> {
  const type = getMediaType(upload.content_type);
  const { start, ...stored } = await hashStored(deps, upload.id);
  const maxBytes = getMaxBytes('presigned', type);
  if (stored.bytes > maxBytes) throw createTooLargeError(maxBytes);
  if (stored.bytes !== upload.bytes) {
    throw new AppError('invalid_bytes', `Expected ${upload.bytes} bytes but received ${stored.bytes}.`);
  }
  const size = await checkContent(deps, { id: upload.id, bytes: stored.bytes, type, start }, signal);
  return { id: upload.id, name: upload.name, type, size, ...stored };
}

/** Reads the file and computes its hash and first bytes, which the bucket does not provide. */
async function hashStored(deps: Deps, id: string): Promise<StoredFile & { readonly start: Buffer }> {
  const { stream } = await deps.storage.read(id);
  const hash = createHash('sha256');
  const firstChunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of freeAfterUse(stream)) {
    if (bytes < SNIFFED_BYTES) firstChunks.push(Buffer.copyBytesFrom(chunk, 0, SNIFFED_BYTES));
    bytes += chunk.length;
    hash.update(chunk);
  }
  return { bytes, sha256: hash.digest('hex'), start: Buffer.concat(firstChunks) };
}

interface UploadedFile {
  readonly id: string;
  readonly bytes: number;
  readonly type: MediaType;
  /** The first bytes of the file. */
  readonly start: Buffer;
}

async function checkContent(
  deps: Deps,
  { id, bytes, type, start }: UploadedFile,
  signal: AbortSignal,
): Promise<ReceivedFile['size']> {
  if (type.kind !== 'image') {
    await identifyFile(start, type.contentType);
    await probeStoredType(deps.storage, { key: id, bytes, declaredContentType: type.contentType }, signal);
    return undefined;
  }
  const { contentType, width, height } = await inspectImage(() => readStoredFile(deps, id), signal);
  if (contentType === type.contentType) return { width, height };
  throw new AppError(
    'unreadable_image',
    `The file is ${contentType}, not ${type.contentType}. Create a new upload.`,
  );
}

async function discard(deps: Deps, mediaId: string): Promise<void> {
  await markDiscarded(deps.db, mediaId, new Date(deps.now()));
  await deps.storage.remove(mediaId);
}

function createUploadNotFoundError(): AppError {
  return new AppError(
    'upload_not_found',
    'Upload not found. It does not exist, its file was not sent, or it is more than 24 hours old.',
  );
}
