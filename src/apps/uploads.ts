// Receives the files of visitors and deletes them after a day.
import { AppError } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { getWorkspaceId } from '../services/accounts/access.ts';
import { presentUpload } from '../services/media/media-record.ts';
import { dropFile, type IncomingFile, receiveFile, recordFile } from '../services/media/receive-file.ts';
import { requireFreeStorage } from '../services/media/storage-quota.ts';
import { deleteAppUpload, insertAppUpload, listUploadsOfVisitors } from '../store/apps.ts';
import { deleteMediaRow } from '../store/media/media.ts';
import { createOutOfOrderError, openApp } from './open-app.ts';
import type { VisitorRequest } from './visitor.ts';

export const MAX_APP_UPLOAD_BYTES = 10_485_760;
/** The limit for each id of a visitor. */
const MAX_UPLOADS_PER_HOUR = 30;
const HOUR_SECONDS = 3600;
const DAY_MS = 86_400_000;

/**
 * Stores a file for runs of the app, in the workspace of the workflow. Throws 404, 413 `file_too_large`, 429
 * `app_limit_reached`, and the errors of `receiveFile`.
 */
export async function uploadToApp(
  deps: RunDeps,
  { slug, request }: { readonly slug: string; readonly request: VisitorRequest },
  file: Omit<IncomingFile, 'maxBytes'>,
  signal: AbortSignal,
) {
  const opened = await openApp(deps, slug, request);
  const { app, workflow, visitor, fields } = opened;
  if (!fields.some(({ control }) => control === 'media'))
    throw new AppError('not_found', 'This app takes no files.');
  for (const id of visitor.ids) {
    const key = `app-uploads:${app.id}:${id}`;
    const reason = `You have uploaded ${MAX_UPLOADS_PER_HOUR} files to this app within an hour`;
    await deps.limiter.requireToken(key, MAX_UPLOADS_PER_HOUR, HOUR_SECONDS, reason, 'app_limit_reached');
  }
  const owner = {
    userId: app.user_id,
    workspace: getWorkspaceId(workflow),
    origin: 'input' as const,
    executionId: null,
  };
  try {
    await requireFreeStorage(deps, app.user_id);
    const received = await receiveFile(deps, { ...file, maxBytes: () => MAX_APP_UPLOAD_BYTES }, signal);
    // The upload is recorded before the file, so that the sweep finds the file even if this process dies.
    await insertAppUpload(deps.db, app.id, received.id);
    const { mediaId, url, contentType } = presentUpload(deps, await recordFile(deps, received, owner));
    return { mediaId, url, contentType, expiresAt: new Date(deps.now() + DAY_MS).toISOString() };
  } catch (err) {
    // Only the owner can free storage.
    throw err instanceof AppError && err.code === 'storage_quota_exceeded' ? createOutOfOrderError(err) : err;
  }
}

const SWEEP_BATCH_SIZE = 100;

/** Deletes files that visitors uploaded more than a day ago. Stops if the signal is aborted. */
export async function sweepAppUploads(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const before = new Date(deps.now() - DAY_MS);
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
