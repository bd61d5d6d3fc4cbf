// Waits for the next notification. A notification that arrived since the previous wait ends the wait immediately.

export interface ChangeWaiter {
  /** Resolves at the next notification, after `ms`, or when the signal fires. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  notify(): void;
}

export function createChangeWaiter(): ChangeWaiter {
  let isNotified = false;
  let wake: (() => void) | undefined;
  return {
    notify() {
      isNotified = true;
      wake?.();
    },
    wait: (ms, signal) =>
      new Promise(resolve => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          wake = undefined;
          isNotified = false;
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done, { once: true });
        wake = done;
        if (isNotified || signal.aborted) done();
      }),
  };
}
