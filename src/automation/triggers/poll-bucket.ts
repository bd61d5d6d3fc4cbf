// Polls the inbox of a trigger. Each file, identified by key and ETag, starts one run once its size no longer changes.
import { sha256Hex } from '../../lib/crypto.ts';
import { AppError, toError } from '../../lib/errors.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { openInbox, receiveInboxFile, toInboxPrefix } from '../../services/media/inbox-media.ts';
import { MAX_RUNS_PER_POLL, storeFailedPoll, storeFoundItems } from './new-items.ts';
import { insertEvent, listSeen, recordCandidates, type TriggerRow } from './store.ts';
import type { TriggerConfig } from './trigger.schema.ts';

const POLL_TIMEOUT_MS = 600_000;

export async function pollBucket(
  deps: RunDeps,
  trigger: TriggerRow,
  { prefix = toInboxPrefix(trigger.id) }: TriggerConfig,
): Promise<void> {
  const inbox = openInbox(deps, trigger.id, prefix);
  const signal = AbortSignal.timeout(POLL_TIMEOUT_MS);
  const listing = await inbox.list(signal).catch(toError);
  if (listing instanceof Error) {
    deps.log.warn({ err: listing, triggerId: trigger.id }, 'an inbox could not be listed');
    return storeFailedPoll(deps, trigger, `The inbox could not be listed: ${listing.message}`);
  }
  if (listing.isTruncated)
    await storeFailedPoll(
      deps,
      trigger,
      'The inbox has more than 10,000 files. The rest is ignored. Move files out of it.',
    );
  const files = new Map(listing.files.map(file => [toItem(file), file]));
  const listedItems = [...files.keys()];
  if (!trigger.has_baseline) {
    const newItems = [...files].map(([item, { key }]) => ({ item, label: key, payload: null }));
    return storeFoundItems(deps, trigger, async () => ({
      listedItems,
      seenItems: listedItems,
      newItems,
      notes: [],
    }));
  }
  const seenItems = await listSeen(deps.db, trigger.id, listedItems);
  const newFiles = [...files].filter(([item]) => !seenItems.has(item)).slice(0, MAX_RUNS_PER_POLL);
  const sizes = newFiles.map(([item, { sizeBytes }]) => ({ item, size: sizeBytes }));
  const completeItems = await recordCandidates(deps.db, trigger.id, sizes);
  const owner = { userId: trigger.user_id, workspace: trigger.workspace };
  for (const [item, file] of newFiles) {
    if (!completeItems.has(item)) continue;
    const received = await receiveInboxFile(deps, inbox, file, owner, signal).catch(toError);
    const isRefused = received instanceof AppError && received.status < 500;
    if (received instanceof Error && !isRefused) {
      deps.log.warn({ err: received, triggerId: trigger.id }, 'a file of an inbox could not be read');
      await storeFailedPoll(deps, trigger, `${file.key} could not be read. The next poll tries again.`);
      continue;
    }
    const newItems = received instanceof Error ? [] : [{ item, label: file.key, payload: received }];
    await storeFoundItems(deps, trigger, async tx => {
      const reason = isRefused ? `${file.key}: ${received.message}` : '';
      if (isRefused) await insertEvent(tx, trigger.id, { outcome: 'refused', reason });
      return { listedItems, seenItems: [item], newItems, notes: [] };
    });
  }
}

const toItem = ({ key, etag }: { readonly key: string; readonly etag: string }): string =>
  sha256Hex(JSON.stringify([key, etag]));
