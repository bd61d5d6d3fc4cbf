// Deletes uploads that were never completed, and files without a media record. Runs daily.
import { toPendingKey } from '../../media/storage.ts';
import { forgetOrphan, listOrphans } from '../../store/media/orphans.ts';
import { deleteUpload, listUploadsBefore } from '../../store/media/uploads.ts';
import type { Deps } from '../deps.ts';

/** An hour longer than an upload may take, so that the sweep does not delete uploads that are being completed. */
const MIN_AGE_MS = 25 * 3_600_000;
const BATCH = 100;

/** Deletes files one by one. The next sweep retries files that cannot be deleted. Throws if the signal is aborted. */
export async function sweepMedia(deps: Deps, signal: AbortSignal): Promise<void> {
  const before = new Date(deps.now() - MIN_AGE_MS);
  await sweepInBatches(
    deps,
    after => listUploadsBefore(deps.db, { before, after, limit: BATCH }),
    async ({ id, is_media }) => {
      // A client may have sent the file again after completing the upload, since the presigned URL stays valid.
      await deps.storage.remove(toPendingKey(id));
      if (!is_media) await deps.storage.remove(id);
      await deleteUpload(deps.db, id);
    },
    signal,
  );
  await sweepInBatches(
    deps,
    after => listOrphans(deps.db, { before, after, limit: BATCH }),
    async ({ id }) => {
      await deps.storage.remove(id);
      await forgetOrphan(deps.db, id);
    },
    signal,
  );
}

/** Sweeps the listed items in batches. Each batch starts after the last id of the previous one. */
async function sweepInBatches<T extends { readonly id: string }>(
  { log }: Pick<Deps, 'log'>,
  list: (after: string) => Promise<readonly T[]>,
  sweep: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let batch = await list('');
  for (; batch.length > 0; batch = await list(batch.at(-1)?.id ?? '')) {
    let failures = 0;
    for (const item of batch) {
      signal.throwIfAborted();
      await sweep(item).catch((err: unknown) => {
        // If every item of a batch fails, the storage is probably down.
        if (++failures === BATCH) throw err;
        log.error({ err, mediaId: item.id }, 'a file could not be swept; the next sweep tries again');
      });
    }
  }
}
