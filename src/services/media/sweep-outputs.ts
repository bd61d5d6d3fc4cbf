// Deletes old files that runs made or fetched, and old previews, if the operator limits their age. Runs daily.
import { firstIdAt } from '../../lib/ids.ts';
import { allTemplates } from '../../render/templates/catalog.ts';
import { deleteOutputs, type OutputBatch, type SweptOutputs } from '../../store/media/outputs.ts';
import { listMediaIds } from '../../store/workflows/versions.ts';
import type { Deps } from '../deps.ts';
import { dropFile } from './receive-file.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;
const CONCURRENT_REMOVALS = 8;

/** Stops between two batches if the signal aborts; the next day's run continues. */
export async function sweepOutputs(deps: Deps, signal: AbortSignal): Promise<void> {
  const days = deps.settings.KEEP_OUTPUTS_DAYS;
  if (days === undefined) return;
  const beforeId = firstIdAt('media', deps.now() - days * DAY_MS);
  const keptIds = listMediaIds(JSON.stringify([...allTemplates().values()]));
  let count = 0;
  for (let afterId: string | undefined = ''; afterId !== undefined; ) {
    signal.throwIfAborted();
    const batch: OutputBatch = { afterId, beforeId, limit: BATCH, keptIds };
    const { removed, lastId }: SweptOutputs = await deps.db.transaction(tx => deleteOutputs(tx, batch));
    await removeFiles(deps, removed);
    count += removed.length;
    afterId = lastId;
  }
  deps.log.info({ count }, 'old outputs were swept');
}

/** A crash leaves orphaned files, which the media sweep deletes. */
async function removeFiles(deps: Deps, ids: readonly string[]): Promise<void> {
  const remainingIds = ids.values();
  const removeNext = async (): Promise<void> => {
    for (const id of remainingIds) await dropFile(deps, id);
  };
  await Promise.all(Array.from({ length: CONCURRENT_REMOVALS }, removeNext));
}
