// Receives the files of visitors and deletes them after a day.
import { AppError } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { getWorkspaceId } from '../services/accounts/access.ts';
import { presentUpload } from '../services/media/media-record.ts';
import {
  dropFile,
  type IncomingFile,
  type ReceivedFile,
  receiveFile,
  recordFile,
} from '../services/media/receive-file.ts';
import { VISITOR_FILE_MS } from '../services/media/serve-media.ts';
import { requireFreeStorage } from '../services/media/storage-quota.ts';
import { deleteMediaRow, type NewMedia } from '../store/media/media.ts';
import { countDayUse, DAY_MS, requireUploadsLeft, toDay } from './day-limits.ts';
import { createOutOfOrderError, type OpenedApp, openApp } from './open-app.ts';
import { requireProof } from './proof.ts';
import { deleteEarlierDays } from './store/app-days.ts';
import { deleteAppUpload, insertAppUpload, listUploadsOfVisitors } from './store/apps.ts';
import { isAnonymous, type VisitorRequest } from './visitor.ts';

export const MAX_APP_UPLOAD_BYTES = 10_485_760;
/** The limit for each id of a visitor. */
const MAX_UPLOADS_PER_HOUR = 30;
const HOUR_SECONDS = 3600;

interface UploadTarget {
  readonly slug: string;
  readonly request: VisitorRequest;
  /** The proof of work of an anonymous visitor. */
  readonly proof?: string | undefined;
}

/**
 * Stores a file for runs of the app, in the workspace of the workflow. Throws 403 `invalid_proof`, 404, 413
 * `file_too_large`, 429 `app_limit_reached`, and the errors of `receiveFile`.
 */
export async function uploadToApp(
  deps: RunDeps,
  { slug, request, proof }: UploadTarget,
  file: Omit<IncomingFile, 'maxBytes'>,
  signal: AbortSignal,
) {
  const opened = await openApp(deps, slug, request);
  const { app, visitor, fields } = opened;
  if (!fields.some(({ control }) => control === 'media'))
    throw new AppError('not_found', 'This app takes no files.');
  if (isAnonymous(visitor)) await requireProof(deps, app, proof);
  for (const id of visitor.ids) {
    const key = `app-uploads:${app.id}:${id}`;
    const reason = `You have uploaded ${MAX_UPLOADS_PER_HOUR} files to this app within an hour`;
    await deps.rateLimiter.requireToken(key, MAX_UPLOADS_PER_HOUR, HOUR_SECONDS, reason, 'app_limit_reached');
  }
  try {
    await requireFreeStorage(deps, app.user_id);
    await requireUploadsLeft(deps, opened);
    const received = await receiveFile(deps, { ...file, maxBytes: () => MAX_APP_UPLOAD_BYTES }, signal);
    const { mediaId, url, contentType } = presentUpload(deps, await storeUpload(deps, opened, received));
    return { mediaId, url, contentType, expiresAt: new Date(deps.now() + VISITOR_FILE_MS).toISOString() };
  } catch (err) {
    // Only the owner can free storage.
    throw err instanceof AppError && err.code === 'storage_quota_exceeded' ? createOutOfOrderError(err) : err;
  }
}

/** Counts and records a file whose size is known by now. Deletes the file if visitors may not upload it today. */
async function storeUpload(deps: RunDeps, opened: OpenedApp, file: ReceivedFile): Promise<NewMedia> {
  const { app, workflow } = opened;
  try {
    await countDayUse(deps, opened, { uploadBytes: file.bytes });
  } catch (err) {
    await dropFile(deps, file.id);
    throw err;
  }
  // The upload is recorded before the file, so that the sweep finds the file even if this process dies.
  await insertAppUpload(deps.db, { appId: app.id, mediaId: file.id, createdAt: new Date(deps.now()) });
  return recordFile(deps, file, {
    userId: app.user_id,
    workspace: getWorkspaceId(workflow),
    origin: 'input',
    executionId: null,
  });
}

const SWEEP_BATCH_SIZE = 100;

/** Deletes files that visitors uploaded more than a day ago, and counts of earlier days. Stops if the signal is aborted. */
export async function sweepAppUploads(deps: RunDeps, signal: AbortSignal): Promise<void> {
  await deleteEarlierDays(deps.db, toDay(deps.now() - DAY_MS));
  const before = new Date(deps.now() - VISITOR_FILE_MS);
  for (;;) {
    const uploads = await listUploadsOfVisitors(deps.db, before, SWEEP_BATCH_SIZE);
    for (const { media_id: id } of uploads) {
      signal.throwIfAborted();
      await deleteMediaRow(deps.db, id);
      await dropFile(deps, id);
      await deleteAppUpload(deps.db, id);
    }
    if (uploads.length < SWEEP_BATCH_SIZE) return;
  }
}
