// The end of a presigned upload: the bytes are taken out of the client's reach, looked at, and made known or thrown away.
import { createHash } from 'node:crypto';
import { AppError } from '../../lib/errors.ts';
import { freeing } from '../../lib/freeing.ts';
import { isId } from '../../lib/ids.ts';
import { type MediaType, maxBytesAt } from '../../media/accepted-types.ts';
import { inspectImage } from '../../media/images.ts';
import { probeStored } from '../../media/probe-stored.ts';
import { acceptDeclared, identify, SNIFFED_BYTES } from '../../media/sniff.ts';
import { tooLarge } from '../../media/spool.ts';
import { pendingKey, type StoredFile } from '../../media/storage.ts';
import { findMedia, insertMedia, type MediaRow, mayUseMedia } from '../../store/media/media.ts';
import { lockUpload, markDiscarded, markMoved, type UploadRow } from '../../store/media/uploads.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { CompleteBody } from './media.schema.ts';
import { readAll } from './media-bytes.ts';
import { presentUpload } from './media-record.ts';
import { busy } from './presigned-upload.ts';
import { type ReceivedFile, toMediaRow } from './receive-file.ts';

const WINDOW_MS = 86_400_000;
const LOCK_WAIT_MS = 1000;

/** Safe to repeat. Throws `invalid_media_id`, `upload_not_found`, `unreadable_image`, `unsupported_type`. */
export async function completeUpload(deps: Deps, actor: Actor, body: CompleteBody, signal: AbortSignal) {
  const user = requireScope(actor, 'workflows:write');
  const { mediaId, ...hints } = body;
  if (!isId('media', mediaId))
    throw new AppError('invalid_media_id', 'mediaId is not one that was minted here.');
  const done = await findDone(deps, mediaId, user.userId);
  if (done !== undefined) return presentUpload(deps, done);
  const upload = await takeFile(deps, mediaId, user.userId);
  const file = await checkFile(deps, upload, signal).catch(async (err: unknown) => {
    if (err instanceof AppError && REFUSALS.has(err.code)) await discard(deps, mediaId);
    throw err instanceof AppError && err.code === 'not_found' ? notFound() : err;
  });
  const owner = {
    userId: user.userId,
    workspace: upload.workspace,
    origin: 'upload',
    executionId: null,
  } as const;
  // Its bytes count since it was minted: nothing is added to the account's storage.
  const row = toMediaRow(file, owner, hints);
  await insertMedia(deps.db, [row]);
  // Where another request was faster with the same file, what it wrote is what stands.
  return presentUpload(deps, (await findDone(deps, mediaId, user.userId)) ?? row);
}

const REFUSALS: ReadonlySet<string> = new Set([
  'unreadable_image',
  'unsupported_type',
  'file_too_large',
  'invalid_bytes',
  'empty_file',
]);

async function findDone(deps: Deps, mediaId: string, userId: number): Promise<MediaRow | undefined> {
  const row = await findMedia(deps.db, mediaId);
  const isTheirs = row?.user_id === userId && row.origin === 'upload';
  return isTheirs && (await mayUseMedia(deps.db, mediaId, userId)) ? row : undefined;
}

/** Moves the bytes to where no address leads, once, since the minted one works for a while yet. */
function takeFile(deps: Deps, mediaId: string, userId: number): Promise<UploadRow> {
  const nowMs = deps.now();
  return deps.db.transaction(async tx => {
    const since = new Date(nowMs - WINDOW_MS);
    const upload = await lockUpload(tx, { id: mediaId, userId, since, waitMs: LOCK_WAIT_MS });
    if (upload === 'busy') throw busy('This upload is being completed', deps.now());
    if (upload === undefined) throw notFound();
    if (upload.moved_at !== null) return upload;
    const isHere = await moveOrFind(deps, mediaId);
    if (!isHere) throw notFound();
    await markMoved(tx, mediaId, new Date(nowMs));
    return upload;
  });
}

/** Whether the file is in its place now; it may have been moved by a process that died before it could say so. */
async function moveOrFind(deps: Deps, mediaId: string): Promise<boolean> {
  try {
    await deps.storage.move(pendingKey(mediaId), mediaId);
    return true;
  } catch (err) {
    if (!(err instanceof AppError) || err.code !== 'not_found') throw err;
    return (await deps.storage.stat(mediaId)) !== undefined;
  }
}

async function checkFile(deps: Deps, upload: UploadRow, signal: AbortSignal): Promise<ReceivedFile> {
  const type = acceptDeclared(upload.content_type);
  const { start, ...stored } = await readThrough(deps, upload.id);
  const maxBytes = maxBytesAt('presigned', type);
  if (stored.bytes > maxBytes) throw tooLarge(maxBytes);
  if (stored.bytes !== upload.bytes) {
    throw new AppError('invalid_bytes', `${upload.bytes} bytes were announced and ${stored.bytes} came.`);
  }
  const size = await checkContent(deps, { id: upload.id, bytes: stored.bytes, type, start }, signal);
  return { id: upload.id, name: upload.name, type, size, ...stored };
}

/** Of a file that only the bucket has seen, what it was not asked: its hash and its first bytes. */
async function readThrough(deps: Deps, id: string): Promise<StoredFile & { readonly start: Buffer }> {
  const { stream } = await deps.storage.read(id);
  const hash = createHash('sha256');
  const seen: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of freeing(stream)) {
    if (bytes < SNIFFED_BYTES) seen.push(Buffer.copyBytesFrom(chunk, 0, SNIFFED_BYTES));
    bytes += chunk.length;
    hash.update(chunk);
  }
  return { bytes, sha256: hash.digest('hex'), start: Buffer.concat(seen) };
}

interface UploadedFile {
  readonly id: string;
  readonly bytes: number;
  readonly type: MediaType;
  /** Its first bytes. */
  readonly start: Buffer;
}

async function checkContent(
  deps: Deps,
  { id, bytes, type, start }: UploadedFile,
  signal: AbortSignal,
): Promise<ReceivedFile['size']> {
  if (type.kind !== 'image') {
    await identify(start, type.contentType);
    await probeStored(deps.storage, { key: id, bytes, declared: type.contentType }, signal);
    return undefined;
  }
  const { contentType, width, height } = await inspectImage(() => readAll(deps, id), signal);
  if (contentType === type.contentType) return { width, height };
  throw new AppError(
    'unreadable_image',
    `The bytes are ${contentType}, not ${type.contentType}: mint again.`,
  );
}

async function discard(deps: Deps, mediaId: string): Promise<void> {
  await markDiscarded(deps.db, mediaId, new Date(deps.now()));
  await deps.storage.remove(mediaId);
}

function notFound(): AppError {
  return new AppError(
    'upload_not_found',
    'There is no such upload: it was never minted, its file never came, or 24 hours have passed.',
  );
}
