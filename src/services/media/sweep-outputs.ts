// Deletes old outputs daily if the operator limits their age: unused files that runs created or fetched, and previews.
import { getFirstIdAt } from '../../lib/ids.ts';
import { getTemplates } from '../../render/templates/catalog.ts';
import { type CheckedOutputs, deleteUnusedOutputs, type OutputBatch } from '../../store/media/outputs.ts';
import { findMediaIds } from '../../store/workflows/versions.ts';
import type { Deps } from '../deps.ts';
import { dropFile } from './receive-file.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;
const CONCURRENT_DELETIONS = 8;

/** Deletes old outputs in batches. Throws between batches if the signal is aborted; the next sweep continues. */
export async function sweepOutputs(deps: Deps, signal: AbortSignal): Promise<void> {
  const days = deps.settings.KEEP_OUTPUTS_DAYS;
  if (days === undefined) return;
  const beforeId = getFirstIdAt('media', deps.now() - days * DAY_MS);
  const protectedIds = findMediaIds(JSON.stringify([...getTemplates().values()]));
  let count = 0;
  for (let afterId: string | undefined = ''; afterId !== undefined; ) {
    signal.throwIfAborted();
    const batch: OutputBatch = { afterId, beforeId, limit: BATCH, protectedIds };
    const { deletedIds, lastId }: CheckedOutputs = await deps.db.transaction(tx =>
      deleteUnusedOutputs(tx, batch),
    );
    await deleteFiles(deps, deletedIds);
    count += deletedIds.length;
    afterId = lastId;
  }
  deps.log.info({ count }, 'old outputs were deleted');
}

/** Deletes the files. If the process crashes, the media sweep deletes the rest, since they are recorded as orphans. */
async function deleteFiles(deps: Deps, ids: readonly string[]): Promise<void> {
  const remainingIds = ids.values();
  const deleteNext = async (): Promise<void> => {
    for (const id of remainingIds) await dropFile(deps, id);
  };
  await Promise.all(Array.from({ length: CONCURRENT_DELETIONS }, deleteNext));
}
