// The daily cleanup: uploads that were never completed, and files that no row of media names.
import { pendingKey } from '../../media/storage.ts';
import { forgetOrphan, listOrphans } from '../../store/media/orphans.ts';
import { deleteUpload, listUploadsBefore } from '../../store/media/uploads.ts';
import type { Deps } from '../deps.ts';

/** An hour past the window in which an upload may be completed, so that none is swept under its completion. */
const AGE_MS = 90_000_000;
const BATCH = 100;

/** Stops between two files where the signal is aborted; the next day goes on. */
export async function sweepMedia(deps: Deps, signal: AbortSignal): Promise<void> {
  const before = new Date(deps.now() - AGE_MS);
  await inBatches(
    () => listUploadsBefore(deps.db, before, BATCH),
    async ({ id, is_media }) => {
      // A minted address works on after the upload was completed, so something may lie there in either case.
      await deps.storage.remove(pendingKey(id));
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

/** Each batch is gone from the list before the next is read. */
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
