// Stores the items that a poll of a feed or folder found. Those of the first poll start nothing; later ones start runs.
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
export const MAX_RUNS_PER_POLL = 50;
/** Items that are remembered, besides those that the source still lists. */
const MAX_REMEMBERED = 5000;

export interface FoundItems {
  /** All items of the source. They are remembered while they are listed, so that none starts a second run. */
  readonly listed: readonly string[];
  /** Items to remember, in addition to `unseen`. */
  readonly seen: readonly string[];
  /** Items that start runs, oldest first. */
  readonly unseen: readonly NewItem[];
  /** Notes for the history. */
  readonly notes: readonly string[];
}

/** Stores the result of a poll in one transaction. */
export async function storeFoundItems(
  deps: RunDeps,
  { id }: TriggerRow,
  find: (tx: Tx, trigger: TriggerRow) => Promise<FoundItems>,
): Promise<void> {
  await deps.runDb.transaction(async tx => {
    const trigger = await lockTrigger(tx, id);
    if (trigger === undefined) return;
    const { listed, seen, unseen, notes } = await find(tx, trigger);
    const isBaseline = !trigger.has_baseline;
    const chosen = isBaseline ? [] : unseen.slice(0, MAX_RUNS_PER_POLL);
    await insertWaiting(tx, id, chosen);
    await markSeen(tx, id, seen);
    await trimItems(tx, id, listed, MAX_REMEMBERED);
    if (isBaseline) await updateTrigger(tx, id, { has_baseline: true });
    const skipped = isBaseline ? 0 : unseen.length - chosen.length;
    const reasons = [
      ...notes,
      ...(skipped === 0
        ? []
        : [`New items beyond the first ${MAX_RUNS_PER_POLL}, which start runs, were skipped: ${skipped}.`]),
      ...(isBaseline ? [`First poll: existing items, which start nothing: ${unseen.length}.`] : []),
    ];
    for (const reason of reasons) await insertEvent(tx, id, { outcome: 'skipped', reason });
  });
}

/** Records in the history that a poll failed, unless its last entry says so. The next poll tries again. */
export async function storeFailedPoll(deps: RunDeps, { id }: TriggerRow, reason: string): Promise<void> {
  await deps.runDb.transaction(async tx => {
    const [last] = await listEvents(tx, id, { after: null, limit: 1 });
    if (last?.reason !== reason) await insertEvent(tx, id, { outcome: 'skipped', reason });
  });
}
