// Stores what a poll of a feed or folder found: the baseline, or the items that start runs.
import type { RunDeps } from '../../runs/deps.ts';
import {
  insertEvent,
  insertWaiting,
  listEvents,
  lockTrigger,
  markSeen,
  type NewItem,
  type TriggerRow,
  trimItems,
  updateTrigger,
} from '../../store/automation/triggers.ts';
import type { Tx } from '../../store/db.ts';

/** The maximum number of runs that a poll starts. It bounds the cost if a source renames all of its items. */
export const MAX_NEW = 50;
/** The maximum number of items that are remembered, besides those that the source still lists. */
const MAX_KEPT = 5000;

export interface Found {
  /** Everything that the source lists. An item is never forgotten while it is listed: it would start a second run. */
  readonly listed: readonly string[];
  /** What becomes known, besides `fresh`. */
  readonly seen: readonly string[];
  /** What starts runs, oldest first. */
  readonly fresh: readonly NewItem[];
  /** What the history says besides. */
  readonly notes: readonly string[];
}

/** Stores the outcome of a poll in one transaction. The first poll starts nothing. */
export async function storeFound(
  deps: RunDeps,
  { id }: TriggerRow,
  find: (tx: Tx, trigger: TriggerRow) => Promise<Found>,
): Promise<void> {
  await deps.runDb.transaction(async tx => {
    const trigger = await lockTrigger(tx, id);
    if (trigger === undefined) return;
    const { listed, seen, fresh, notes } = await find(tx, trigger);
    const isBaseline = !trigger.has_baseline;
    const chosen = isBaseline ? [] : fresh.slice(0, MAX_NEW);
    await insertWaiting(tx, id, chosen);
    await markSeen(tx, id, seen);
    await trimItems(tx, id, listed, MAX_KEPT);
    if (isBaseline) await updateTrigger(tx, id, { has_baseline: true });
    const skipped = isBaseline ? 0 : fresh.length - chosen.length;
    const all = [
      ...notes,
      ...(skipped === 0
        ? []
        : [`New items beyond the first ${MAX_NEW}, which start runs, were skipped: ${skipped}.`]),
      ...(isBaseline ? [`First poll: existing items, which start nothing: ${fresh.length}.`] : []),
    ];
    for (const reason of all) await insertEvent(tx, id, { outcome: 'skipped', reason });
  });
}

/** Records in the history that a poll failed, unless its last entry says so. The next poll tries again. */
export async function storeFailedPoll(deps: RunDeps, { id }: TriggerRow, reason: string): Promise<void> {
  await deps.runDb.transaction(async tx => {
    const [last] = await listEvents(tx, id, { after: null, limit: 1 });
    if (last?.reason !== reason) await insertEvent(tx, id, { outcome: 'skipped', reason });
  });
}
