// Advances a trigger: settles its runs, starts waiting ones, and looks at its feed or folder when it is time.
import type { RunDeps } from '../../runs/deps.ts';
import {
  lockTrigger,
  type TriggerKind,
  type TriggerRow,
  updateTrigger,
} from '../../store/automation/triggers.ts';
import { enqueue } from '../../store/queue.ts';
import { settleTrigger, startItems } from './start-items.ts';
import type { TriggerConfig } from './trigger.schema.ts';
import { pollBucket } from './watch-bucket.ts';
import { pollFeed } from './watch-feed.ts';

export const DEFAULT_FEED_MINUTES = 15;
const BUCKET_MS = 10_000;

/** The kinds that look for something new: how often, and how. */
const POLLS: Partial<Readonly<Record<TriggerKind, Poll>>> = {
  feed: {
    everyMs: ({ everyMinutes = DEFAULT_FEED_MINUTES }) => everyMinutes * 60_000,
    poll: pollFeed,
  },
  bucket: { everyMs: () => BUCKET_MS, poll: pollBucket },
};

interface Poll {
  readonly everyMs: (config: TriggerConfig) => number;
  /** Stores new items and what went wrong. Never throws for what the outside sends. */
  readonly poll: (deps: RunDeps, trigger: TriggerRow, config: TriggerConfig) => Promise<void>;
}

/** Returns when a new or changed trigger looks for the first time; null: its kind does not look. */
export const firstPollAt = (kind: TriggerKind, nowMs: number): Date | null =>
  POLLS[kind] === undefined ? null : new Date(nowMs);

/** Called by a job whenever a run of the trigger has ended, an item waits, or it is time to look. */
export async function advanceTrigger(deps: RunDeps, id: string): Promise<void> {
  const trigger = await settleTrigger(deps, id);
  if (trigger === undefined) return;
  await startItems(deps, trigger);
  const look = POLLS[trigger.kind];
  const due = look && (await claimPoll(deps, id, look));
  if (due !== undefined) {
    await look?.poll(deps, due, JSON.parse(due.config) as TriggerConfig);
    await startItems(deps, due);
  }
  // A run may have ended before its item was recorded as running.
  await settleTrigger(deps, id);
}

/**
 * Sets the time of the next look and queues its job. Returns the trigger if this look is due. A process that dies while
 * it looks has stored nothing, and the next look finds the same.
 */
function claimPoll(deps: RunDeps, id: string, { everyMs }: Poll): Promise<TriggerRow | undefined> {
  return deps.runDb.transaction(async tx => {
    const trigger = await lockTrigger(tx, id);
    if (trigger?.is_active !== true || trigger.look_at === null) return undefined;
    const nowMs = deps.now();
    const isDue = trigger.look_at.getTime() <= nowMs;
    const at = isDue
      ? new Date(nowMs + everyMs(JSON.parse(trigger.config) as TriggerConfig))
      : trigger.look_at;
    if (isDue) await updateTrigger(tx, id, { look_at: at });
    await enqueue(tx, 'automation', [id], at);
    deps.wakeTimers.set('deliveries', at.getTime());
    return isDue ? trigger : undefined;
  });
}
