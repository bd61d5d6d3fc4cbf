// Advances a trigger: settles its runs, starts waiting runs, and polls the trigger's feed or inbox if a poll is due.
import type { RunDeps } from '../../runs/deps.ts';
import {
  lockTrigger,
  type TriggerKind,
  type TriggerRow,
  updateTrigger,
} from '../../store/automation/triggers.ts';
import { enqueue } from '../../store/queue.ts';
import { pollBucket } from './poll-bucket.ts';
import { pollFeed } from './poll-feed.ts';
import { settleTrigger, startItems } from './start-items.ts';
import type { TriggerConfig } from './trigger.schema.ts';

export const DEFAULT_FEED_MINUTES = 15;

/** How to poll a trigger, for the kinds that are polled. */
const POLL_BY_KIND: Partial<Readonly<Record<TriggerKind, Poll>>> = {
  feed: {
    everyMs: ({ everyMinutes = DEFAULT_FEED_MINUTES }) => everyMinutes * 60_000,
    run: pollFeed,
  },
  bucket: { everyMs: (_, { inboxPollMs }) => inboxPollMs, run: pollBucket },
};

interface Poll {
  readonly everyMs: (config: TriggerConfig, timing: RunDeps['timing']) => number;
  /** Stores new items. Records a response that is unusable in the history, instead of throwing. */
  readonly run: (deps: RunDeps, trigger: TriggerRow, config: TriggerConfig) => Promise<void>;
}

/** Returns when to poll a new or changed trigger for the first time, or null if its kind is not polled. */
export const getFirstPollAt = (kind: TriggerKind, nowMs: number): Date | null =>
  POLL_BY_KIND[kind] === undefined ? null : new Date(nowMs);

/** Advances a trigger. A job calls this function whenever a run of the trigger has ended, an item waits, or a poll is due. */
export async function advanceTrigger(deps: RunDeps, id: string): Promise<void> {
  const trigger = await settleTrigger(deps, id);
  if (trigger === undefined) return;
  await startItems(deps, trigger);
  const poll = POLL_BY_KIND[trigger.kind];
  const dueTrigger = poll && (await claimPoll(deps, id, poll));
  if (dueTrigger !== undefined) {
    await poll?.run(deps, dueTrigger, JSON.parse(dueTrigger.config) as TriggerConfig);
    await startItems(deps, dueTrigger);
  }
  // A run may have ended before its item was recorded as running.
  await settleTrigger(deps, id);
}

/**
 * Sets the time of the next poll and queues its job. Returns the trigger if a poll is due now. A process that dies
 * during a poll has stored nothing, and the next poll finds the same items.
 */
function claimPoll(deps: RunDeps, id: string, { everyMs }: Poll): Promise<TriggerRow | undefined> {
  return deps.runDb.transaction(async tx => {
    const trigger = await lockTrigger(tx, id);
    if (trigger?.is_active !== true || trigger.poll_at === null) return undefined;
    const nowMs = deps.now();
    const isDue = trigger.poll_at.getTime() <= nowMs;
    const nextPollAt = isDue
      ? new Date(nowMs + everyMs(JSON.parse(trigger.config) as TriggerConfig, deps.timing))
      : trigger.poll_at;
    if (isDue) await updateTrigger(tx, id, { poll_at: nextPollAt });
    await enqueue(tx, 'automation', [id], nextPollAt);
    deps.wakeTimers.set('background', nextPollAt.getTime());
    return isDue ? trigger : undefined;
  });
}
