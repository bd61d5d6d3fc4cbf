// Limits the concurrency of each key and of all keys together. A key gets at most a share of the free slots, so that a
// few keys whose work does not end cannot use up all slots.
import { getOrCreate } from '../lib/get-or-create.ts';

export interface SharedLimits {
  readonly perKey: number;
  /** For all keys together. */
  readonly total: number;
}

export type SharedLimiter = <T>(key: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** The share of the free slots that one key may take. */
const SHARE = 0.25;

/**
 * Returns a function that runs the work when its key may take a slot. A key may take its first slot while any is free,
 * and further slots up to `perKey` and its share. Aborting the signal removes the work from the queue.
 */
export function createSharedLimiter({ perKey, total }: SharedLimits): SharedLimiter {
  const active = new Map<string, number>();
  const queues = new Map<string, Set<() => void>>();
  let usedSlots = 0;

  const hasSlot = (key: string): boolean => {
    const count = active.get(key) ?? 0;
    return usedSlots < total && count < perKey && (count === 0 || count < (total - usedSlots) * SHARE);
  };
  const occupy = (key: string): void => {
    usedSlots++;
    active.set(key, (active.get(key) ?? 0) + 1);
  };
  const leaveQueue = (key: string, start: () => void): void => {
    const queue = queues.get(key);
    queue?.delete(start);
    if (queue?.size === 0) queues.delete(key);
  };

  const enter = async (key: string, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (!queues.has(key) && hasSlot(key)) return occupy(key);
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        leaveQueue(key, start);
        reject(signal.reason);
      };
      getOrCreate(queues, key, () => new Set()).add(start);
      signal.addEventListener('abort', abort, { once: true });
    });
  };

  // Starts queued work of each key that may take a slot, in the order in which the keys began to wait.
  const startWaiting = (): void => {
    for (const [key, queue] of queues) {
      if (usedSlots >= total) return;
      for (const start of queue) {
        if (!hasSlot(key)) break;
        occupy(key);
        leaveQueue(key, start);
        start();
      }
    }
  };

  const exit = (key: string): void => {
    usedSlots--;
    const count = (active.get(key) ?? 1) - 1;
    if (count === 0) active.delete(key);
    else active.set(key, count);
    startWaiting();
  };

  return async (key, work, signal) => {
    await enter(key, signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      exit(key);
    }
  };
}
