// Limits the concurrency of costly work: some calls run at the same time, some wait, and the rest are rejected. Calls
// that belong to work that the service has already accepted always wait.
import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from './errors.ts';

export interface LimiterOptions {
  readonly concurrency: number;
  /** Queue length beyond which the next caller is rejected with `unavailable`. Unset: no limit. */
  readonly maxWaiting?: number;
}

const acceptedWork = new AsyncLocalStorage<true>();

/** Runs work that the service has already accepted. No limiter that the work calls, at any depth, rejects it. */
export function runAccepted<T>(work: () => T): T {
  return acceptedWork.run(true, work);
}

/** Returns whether the current call belongs to accepted work. */
export function isAccepted(): boolean {
  return acceptedWork.getStore() === true;
}

export type Limiter = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Returns a function that runs the work when a slot is free, in order of arrival. Aborting the signal removes a waiting
 * call from the queue.
 */
export function createLimiter({
  concurrency,
  maxWaiting = Number.POSITIVE_INFINITY,
}: LimiterOptions): Limiter {
  const waiters = new Set<() => void>();
  let activeCount = 0;

  const acquire = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (activeCount < concurrency) {
      activeCount++;
      return;
    }
    if (waiters.size >= maxWaiting && !isAccepted()) {
      throw new AppError(
        'unavailable',
        'The service is busy with other work of this kind. Try again in a few seconds.',
      );
    }
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        waiters.delete(start);
        reject(signal.reason);
      };
      waiters.add(start);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  };

  // Passes the slot on directly, so that later callers cannot overtake.
  const release = (): void => {
    const [next] = waiters;
    if (next === undefined) {
      activeCount--;
      return;
    }
    waiters.delete(next);
    next();
  };

  return async (work, signal) => {
    await acquire(signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      release();
    }
  };
}
