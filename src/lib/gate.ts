// Limits concurrency of costly work: a number runs at once, a number waits, the rest is refused. Work that was accepted
// elsewhere is never refused; it waits.
import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from './errors.ts';

export interface GateOptions {
  readonly concurrency: number;
  /** Queue length beyond which the next caller is refused as `unavailable`. Absent: never refuses. */
  readonly maxWaiting?: number;
}

const accepted = new AsyncLocalStorage<true>();

/** Runs work that was already accepted: no gate inside it refuses, at any depth. */
export function doAccepted<T>(work: () => T): T {
  return accepted.run(true, work);
}

/** Whether the current call belongs to accepted work. */
export function isAccepted(): boolean {
  return accepted.getStore() === true;
}

export type Gate = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Returns a function that runs the work when a slot is free, in order of arrival; aborting leaves the queue. */
export function createGate({ concurrency, maxWaiting = Number.POSITIVE_INFINITY }: GateOptions): Gate {
  const waiting = new Set<() => void>();
  let active = 0;

  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (active < concurrency) {
      active++;
      return;
    }
    if (waiting.size >= maxWaiting && !isAccepted()) {
      throw new AppError(
        'unavailable',
        'Too much work of this kind is waiting already; try again in a moment.',
      );
    }
    await new Promise<void>((resolve, reject) => {
      const admit = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(admit);
        reject(signal.reason);
      };
      waiting.add(admit);
      signal.addEventListener('abort', leave, { once: true });
    });
  };

  // Pass the slot on directly, so that nobody who arrives later overtakes.
  const exit = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      active--;
      return;
    }
    waiting.delete(next);
    next();
  };

  return async (work, signal) => {
    await enter(signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      exit();
    }
  };
}
