// Stores the items that a poll of a feed or inbox found. Items of the first poll start no runs, later items do.
import { yieldTurn } from '../../lib/yield-turn.ts';
import type { RunDeps } from '../../runs/deps.ts';
import type { Tx } from '../../store/db.ts';
import { toRefusal } from '../start-for-user.ts';
import { mapInputs } from './map-inputs.ts';
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
} from './store.ts';

/** The maximum number of runs that a poll starts. It limits the cost if a source renames all of its items. */
export const MAX_RUNS_PER_POLL = 50;
/** The maximum number of remembered items that the source no longer lists. */
const MAX_UNLISTED_ITEMS = 5000;

/** The maximum size of the inputs that a poll stores, in characters of JSON. */
const MAX_CHARS_PER_POLL = 16_000_000;

export interface FoundItem {
  readonly item: string;
  readonly label: string;
  /** The trigger maps it to the inputs of the run. */
  readonly payload: unknown;
}

export interface FoundItems {
  /** All items of the source. An item is remembered as long as it is listed, so that it does not start a second run. */
  readonly listedItems: readonly string[];
  /** Items to remember, in addition to `newItems`. */
  readonly seenItems: readonly string[];
  /** Items that start runs, oldest first. */
  readonly newItems: readonly FoundItem[];
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
    const { listedItems, seenItems, newItems, notes } = await find(tx, trigger);
    const isBaseline = !trigger.has_baseline;
    const { waitingItems, refusals } = isBaseline ? NO_ITEMS : await mapItems(trigger, newItems);
    await insertWaiting(tx, id, waitingItems);
    for (const reason of refusals) await insertEvent(tx, id, { outcome: 'refused', reason });
    await markSeen(tx, id, seenItems);
    await trimItems(tx, id, listedItems, MAX_UNLISTED_ITEMS);
    if (isBaseline) await updateTrigger(tx, id, { has_baseline: true });
    const handledCount = waitingItems.length + refusals.length;
    const skippedCount = isBaseline ? 0 : newItems.length - handledCount;
    const reasons = [
      ...notes,
      ...(skippedCount === 0
        ? []
        : [`New items beyond the first ${handledCount}, which start runs, were skipped: ${skippedCount}.`]),
      ...(isBaseline ? [`First poll: existing items, which start nothing: ${newItems.length}.`] : []),
    ];
    for (const reason of reasons) await insertEvent(tx, id, { outcome: 'skipped', reason });
  });
}

interface MappedItems {
  readonly waitingItems: readonly NewItem[];
  /** Why the other items start no runs. */
  readonly refusals: readonly string[];
}

const NO_ITEMS: MappedItems = { waitingItems: [], refusals: [] };

/** Maps the first items to inputs, as many as a poll may store. An item whose inputs are too large is refused. */
async function mapItems(trigger: TriggerRow, items: readonly FoundItem[]): Promise<MappedItems> {
  const waitingItems: NewItem[] = [];
  const refusals: string[] = [];
  let chars = 0;
  for (const { item, label, payload } of items.slice(0, MAX_RUNS_PER_POLL)) {
    await yieldTurn();
    try {
      const inputs = mapInputs(trigger.inputs, payload);
      chars += inputs.length;
      if (chars > MAX_CHARS_PER_POLL) break;
      waitingItems.push({ item, label, inputs });
    } catch (err) {
      refusals.push(`${label}: ${toRefusal(err).message}`);
    }
  }
  return { waitingItems, refusals };
}

/** Records in the history that a poll failed, unless the last entry says so already. The next poll tries again. */
export async function storeFailedPoll(deps: RunDeps, { id }: TriggerRow, reason: string): Promise<void> {
  await deps.runDb.transaction(async tx => {
    const [last] = await listEvents(tx, id, { after: null, limit: 1 });
    if (last?.reason !== reason) await insertEvent(tx, id, { outcome: 'skipped', reason });
  });
}
