// A gate in front of costly work: so many at once, so many waiting, the rest refused. Work that has been accepted is
// never refused: it waits for its turn.
import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from './errors.ts';

export interface GateOptions {
  readonly concurrency: number;
  /** Callers in the queue beyond which the next one is refused as `unavailable`. Absent: only accepted work comes here. */
  readonly maxWaiting?: number;
}

const accepted = new AsyncLocalStorage<true>();

/** Does what was promised to somebody: no gate that it comes to, at whatever depth, refuses it. */
export function doAccepted<T>(work: () => T): T {
  return accepted.run(true, work);
}

/** Whether it is called on behalf of work that was promised to somebody. */
export function isAccepted(): boolean {
  return accepted.getStore() === true;
}

export type Gate = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Returns a function that runs the work once a slot is free, in order of arrival; an aborted signal leaves the queue. */
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

  // The place is handed on rather than freed, so that nobody who arrives later overtakes.
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
