// Advances a trigger: settles its runs, starts waiting runs, and polls the trigger's feed or inbox if a poll is due.
import { runAccepted } from '../../lib/work.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { getPersonalWorkspaceId } from '../../services/accounts/access.ts';
import type { OutboundSlots } from '../../services/outbound-slots.ts';
import { enqueue } from '../../store/queue.ts';
import { pollBucket } from './poll-bucket.ts';
import { pollFeed } from './poll-feed.ts';
import { settleTrigger, startItems } from './start-items.ts';
import { lockTrigger, type TriggerKind, type TriggerRow, updateTrigger } from './store.ts';
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

/** The host of a poll that has no own: inboxes are folders, or one bucket of the operator. */
const INBOX_HOST = 'inbox';

/** Advances a trigger. A job calls this function whenever a run of the trigger has ended, an item waits, or a poll is due. */
export async function advanceTrigger(deps: RunDeps, id: string): Promise<void> {
  const trigger = await settleTrigger(deps, id);
  if (trigger === undefined) return;
  await runAccepted(getPersonalWorkspaceId(trigger.user_id), () => startAndPoll(deps, trigger));
  // A run may have ended before its item was recorded as running.
  await settleTrigger(deps, id);
}

async function startAndPoll(deps: RunDeps, trigger: TriggerRow): Promise<void> {
  await startItems(deps, trigger);
  const poll = POLL_BY_KIND[trigger.kind];
  const polledTrigger = poll === undefined ? undefined : await pollIfDue(deps, trigger, poll);
  // It may have changed while this job waited for a slot.
  if (polledTrigger !== undefined) await startItems(deps, polledTrigger);
}

/** Polls the trigger if a poll is due and has a slot. Returns the trigger as it was polled. */
async function pollIfDue(deps: RunDeps, trigger: TriggerRow, poll: Poll): Promise<TriggerRow | undefined> {
  const slot = isPollDue(deps, trigger) ? await acquireSlot(deps, trigger) : undefined;
  const release = typeof slot === 'function' ? slot : undefined;
  try {
    const dueTrigger = await claimPoll(deps, trigger.id, poll, slot);
    if (dueTrigger !== undefined)
      await poll.run(deps, dueTrigger, JSON.parse(dueTrigger.config) as TriggerConfig);
    return dueTrigger;
  } finally {
    release?.();
  }
}

type Slot = Awaited<ReturnType<OutboundSlots['acquire']>>;

function acquireSlot({ outboundSlots }: RunDeps, { user_id, config }: TriggerRow): Promise<Slot> {
  const { url } = JSON.parse(config) as TriggerConfig;
  const host = url === undefined ? INBOX_HOST : new URL(url).host;
  return outboundSlots.acquire({ account: getPersonalWorkspaceId(user_id), host });
}

function isPollDue({ now }: RunDeps, { is_active, poll_at }: TriggerRow): boolean {
  return is_active && poll_at !== null && poll_at.getTime() <= now();
}

/**
 * Sets the time of the next poll and queues its job. Returns the trigger if a poll is due now and has a slot. A process
 * that dies during a poll has stored nothing, and the next poll finds the same items.
 */
function claimPoll(
  deps: RunDeps,
  id: string,
  { everyMs }: Poll,
  slot: Slot | undefined,
): Promise<TriggerRow | undefined> {
  return deps.runDb.transaction(async tx => {
    const trigger = await lockTrigger(tx, id);
    if (trigger?.is_active !== true || trigger.poll_at === null) return undefined;
    const nowMs = deps.now();
    const isDue = isPollDue(deps, trigger);
    const isClaimed = isDue && typeof slot === 'function';
    const nextPollAt = isClaimed
      ? new Date(nowMs + everyMs(JSON.parse(trigger.config) as TriggerConfig, deps.timing))
      : trigger.poll_at;
    if (isClaimed) await updateTrigger(tx, id, { poll_at: nextPollAt });
    const runAt = isDue && typeof slot === 'object' ? new Date(nowMs + slot.delayMs) : nextPollAt;
    await enqueue(tx, 'automation', [id], runAt);
    deps.wakeTimers.set('background', runAt.getTime());
    return isClaimed ? trigger : undefined;
  });
}
