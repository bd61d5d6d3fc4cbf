// Deletes uploads that were never completed, and files without a media record. Runs daily.
import { toPendingKey } from '../../media/storage.ts';
import { forgetOrphan, listOrphans } from '../../store/media/orphans.ts';
import { deleteUpload, listUploadsBefore } from '../../store/media/uploads.ts';
import type { Deps } from '../deps.ts';

/** An hour longer than an upload may take, so that no upload is deleted while it is being completed. */
const AGE_MS = 90_000_000;
const BATCH = 100;

/** Deletes one file after another. Stops if the signal is aborted, and continues the next day. */
export async function sweepMedia(deps: Deps, signal: AbortSignal): Promise<void> {
  const before = new Date(deps.now() - AGE_MS);
  await inBatches(
    () => listUploadsBefore(deps.db, before, BATCH),
    async ({ id, is_media }) => {
      // A presigned URL still works after the upload was completed, so there may be a file in either case.
      await deps.storage.remove(toPendingKey(id));
      if (!is_media) await deps.storage.remove(id);
      await deleteUpload(deps.db, id);
    },
    signal,
  );
  await inBatches(
    () => listOrphans(deps.db, before, BATCH),
    async ({ id }) => {
      await deps.storage.remove(id);
      await forgetOrphan(deps.db, id);
    },
    signal,
  );
}

/** Sweeps one batch before it reads the next one. */
async function inBatches<T>(
  list: () => Promise<readonly T[]>,
  sweep: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let batch = await list(); batch.length > 0; batch = await list()) {
    for (const item of batch) {
      signal.throwIfAborted();
      await sweep(item);
    }
  }
}
