// Limits concurrent deliveries per host and account. A delivery that gets no slot within a short time is postponed, so
// that a slow host does not delay deliveries to other hosts.

export interface QueueKey {
  readonly key: string;
  readonly limit: number;
}

export interface HostQueues {
  /** Waits for a slot in each queue. Returns a function that releases them, or undefined if the wait is too long. */
  acquire(keys: readonly QueueKey[]): Promise<(() => void) | undefined>;
}

interface HostQueue {
  readonly limit: number;
  /** Start times of the active deliveries, oldest first. */
  readonly active: Set<{ readonly startedAtMs: number }>;
  /** Moving average of how long a delivery takes. */
  averageMs: number;
  waiting: number;
}

interface Waiter {
  readonly queues: readonly HostQueue[];
  readonly start: (release: (() => void) | undefined) => void;
}

/**
 * Creates queues whose callers wait for a slot for at most `maxWaitMs`. A caller whose wait would probably be longer
 * does not wait at all.
 */
export function createHostQueues(maxWaitMs: number, now: () => number): HostQueues {
  const queues = new Map<string, HostQueue>();
  const waiters = new Set<Waiter>();

  const getQueue = ({ key, limit }: QueueKey): HostQueue => {
    const queue = queues.get(key) ?? { limit, active: new Set(), averageMs: 0, waiting: 0 };
    queues.set(key, queue);
    return queue;
  };
  const claim = (claimed: readonly HostQueue[]): (() => void) => {
    const slot = { startedAtMs: now() };
    for (const queue of claimed) queue.active.add(slot);
    return () => {
      for (const queue of claimed) {
        queue.active.delete(slot);
        queue.averageMs = (queue.averageMs + now() - slot.startedAtMs) / 2;
      }
      startNext();
      for (const [key, queue] of queues) if (queue.active.size + queue.waiting === 0) queues.delete(key);
    };
  };
  const startNext = (): void => {
    for (const waiter of waiters) if (waiter.queues.every(hasSlot)) waiter.start(claim(waiter.queues));
  };
  const wait = (queues: readonly HostQueue[]): Promise<(() => void) | undefined> =>
    new Promise(resolve => {
      const start: Waiter['start'] = release => {
        clearTimeout(timer);
        waiters.delete(waiter);
        for (const queue of queues) queue.waiting--;
        resolve(release);
      };
      const timer = setTimeout(() => start(undefined), maxWaitMs);
      const waiter = { queues, start };
      for (const queue of queues) queue.waiting++;
      waiters.add(waiter);
    });

  return {
    async acquire(keys) {
      const queues = keys.map(getQueue);
      if (queues.every(hasSlot)) return claim(queues);
      if (queues.some(queue => estimateWaitMs(queue, now()) > maxWaitMs)) return undefined;
      return wait(queues);
    },
  };
}

function hasSlot({ active, limit }: HostQueue): boolean {
  return active.size < limit;
}

function estimateWaitMs(queue: HostQueue, nowMs: number): number {
  if (hasSlot(queue)) return 0;
  const [oldest] = queue.active;
  const durationMs = Math.max(queue.averageMs, nowMs - (oldest?.startedAtMs ?? nowMs));
  return ((queue.waiting + 1) / queue.limit) * durationMs;
}
