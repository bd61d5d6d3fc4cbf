// Limits concurrent deliveries per key. A delivery without a slot waits a moment and is then put back, so that a slow
// host delays nobody else.

export interface QueueKey {
  readonly key: string;
  readonly limit: number;
}

export interface HostQueues {
  /** Waits for a slot in every named queue and returns a release function, or undefined if there is none soon. */
  enter(keys: readonly QueueKey[]): Promise<(() => void) | undefined>;
}

interface HostQueue {
  readonly limit: number;
  /** Start times of the active ones, oldest first. */
  readonly active: Set<{ readonly atMs: number }>;
  /** Durations of the latest ones. */
  paceMs: number;
  waiting: number;
}

interface Waiter {
  readonly queues: readonly HostQueue[];
  readonly start: (release: (() => void) | undefined) => void;
}

/** Creates queues whose callers wait for a slot for at most `maxWaitMs`. If a queue is too slow for that, they are rejected immediately. */
export function createHostQueues(maxWaitMs: number, now: () => number): HostQueues {
  const queues = new Map<string, HostQueue>();
  const waiters = new Set<Waiter>();

  const getQueue = ({ key, limit }: QueueKey): HostQueue => {
    const queue = queues.get(key) ?? { limit, active: new Set(), paceMs: 0, waiting: 0 };
    queues.set(key, queue);
    return queue;
  };
  const claim = (claimed: readonly HostQueue[]): (() => void) => {
    const slot = { atMs: now() };
    for (const queue of claimed) queue.active.add(slot);
    return () => {
      for (const queue of claimed) {
        queue.active.delete(slot);
        queue.paceMs = (queue.paceMs + now() - slot.atMs) / 2;
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
    async enter(keys) {
      const queues = keys.map(getQueue);
      if (queues.every(hasSlot)) return claim(queues);
      if (queues.some(queue => estimateMs(queue, now()) > maxWaitMs)) return undefined;
      return wait(queues);
    },
  };
}

function hasSlot({ active, limit }: HostQueue): boolean {
  return active.size < limit;
}

function estimateMs(queue: HostQueue, nowMs: number): number {
  if (hasSlot(queue)) return 0;
  const [oldest] = queue.active;
  const paceMs = Math.max(queue.paceMs, nowMs - (oldest?.atMs ?? nowMs));
  return ((queue.waiting + 1) / queue.limit) * paceMs;
}
