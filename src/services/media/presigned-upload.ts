// Creates presigned uploads. The client then sends the bytes to a signed URL of the bucket or of this service, and
// completes the upload (complete-upload.ts).
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { getMaxBytes, type MediaType, SVG_TYPE } from '../../media/accepted-types.ts';
import { toFileName } from '../../media/file-name.ts';
import { presignPut } from '../../media/presign.ts';
import { getObjectUrl } from '../../media/s3.ts';
import { getMediaType } from '../../media/sniff.ts';
import { createTooLargeError } from '../../media/spool.ts';
import { toPendingKey } from '../../media/storage.ts';
import type { Tx } from '../../store/db.ts';
import {
  findBudgetFreedAt,
  insertUpload,
  lockUploadCreation,
  sumUploadedBytes,
} from '../../store/media/uploads.ts';
import type { Actor } from '../accounts/actor.ts';
import { createRateLimitError } from '../accounts/rate-limits.ts';
import type { Deps } from '../deps.ts';
import { createUploadSigningKey, getUploadUrl } from './local-uploads.ts';
import type { CreateUploadBody } from './media.schema.ts';
import { getMediaUrl } from './media-record.ts';
import { claimStorage } from './storage-quota.ts';
import { authorizeUpload } from './upload-media.ts';

const HOUR_MS = 3_600_000;
const BUDGET_BYTES = 10 * 1_073_741_824;
const LOCK_WAIT_MS = 1000;

/**
 * Creates an upload. Throws `unsupported_type`, `file_too_large`, `upload_budget_exceeded`, `upload_busy`,
 * `storage_quota_exceeded`.
 */
export async function createUpload(
  deps: Deps,
  actor: Actor,
  { contentType, bytes, filename }: CreateUploadBody,
) {
  const owner = await authorizeUpload(deps, actor);
  const type = requirePresignable(contentType, bytes);
  const nowMs = deps.now();
  const upload = {
    id: newId('media', nowMs),
    user_id: owner.userId,
    workspace: owner.workspace,
    name: toFileName(filename, type),
    content_type: type.contentType,
    bytes,
    created_at: new Date(nowMs),
  };
  await deps.db.transaction(async tx => {
    if (!(await lockUploadCreation(tx, owner.userId, LOCK_WAIT_MS)))
      throw createBusyError('Another upload of this account is being created', nowMs);
    await requireWithinHourlyLimit(tx, owner.userId, bytes, nowMs);
    await claimStorage(tx, deps.settings, { userId: owner.userId, bytes });
    await insertUpload(tx, upload);
  });
  const presigned = await presign(deps, upload.id, { contentType: type.contentType, bytes, nowMs });
  return {
    uploadUrl: presigned.uploadUrl,
    method: 'PUT' as const,
    headers: presigned.headers,
    mediaId: upload.id,
    url: getMediaUrl(deps, upload),
    contentType: type.contentType,
    bytes,
    expiresAt: presigned.expiresAt.toISOString(),
  };
}

function requirePresignable(contentType: string, bytes: number): MediaType {
  const type = getMediaType(contentType);
  if (type.contentType === SVG_TYPE) {
    throw new AppError(
      'unsupported_type',
      'Presigned uploads do not accept SVG. Use POST /media/upload, which sanitizes it.',
    );
  }
  const maxBytes = getMaxBytes('presigned', type);
  if (bytes > maxBytes) throw createTooLargeError(maxBytes);
  return type;
}

/** Checks the hourly limit. Every upload counts, completed or not. */
async function requireWithinHourlyLimit(tx: Tx, userId: number, bytes: number, nowMs: number): Promise<void> {
  const since = new Date(nowMs - HOUR_MS);
  const excessBytes = (await sumUploadedBytes(tx, userId, since)) + bytes - BUDGET_BYTES;
  if (excessBytes <= 0) return;
  // The new upload fits an hour after the upload that was created at this time.
  const createdAt = await findBudgetFreedAt(tx, userId, since, excessBytes);
  const reset = Math.ceil(((createdAt?.getTime() ?? nowMs) + HOUR_MS) / 1000);
  const reason = 'This upload would exceed the limit of 10 GB per hour';
  throw createRateLimitError('upload_budget_exceeded', reason, { limit: BUDGET_BYTES, reset }, nowMs);
}

/** Creates the error for a request that could not get the account's lock. Advises to try again in a second. */
export function createBusyError(reason: string, nowMs: number): AppError {
  return createRateLimitError(
    'upload_busy',
    reason,
    { limit: 1, reset: Math.floor(nowMs / 1000) + 1 },
    nowMs,
  );
}

function presign(
  deps: Deps,
  id: string,
  put: { readonly contentType: string; readonly bytes: number; readonly nowMs: number },
) {
  const { bucket } = deps;
  if (bucket === undefined)
    return presignPut(createUploadSigningKey(deps), { url: getUploadUrl(deps, id), ...put });
  return presignPut(bucket.signingKey, { url: getObjectUrl(bucket, toPendingKey(id)), ...put });
}
