// Provides delays and time limits that an AbortSignal can end, and the delays between retries.

/** Resolves after `ms`. Rejects with the signal's reason when it is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** A signal that is aborted when the time is up or the caller's signal is aborted. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  /** Restarts the time. */
  readonly restart: () => void;
  /** Must be called to release the timer and the listener on the caller's signal. */
  readonly end: () => void;
}

/**
 * Creates a time limit. Without `ms`, only the caller's signal aborts it. Does not use AbortSignal.any with
 * AbortSignal.timeout, because Node 20 may garbage-collect these signals before they fire.
 */
export function limitTime(ms: number | undefined, signal: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    controller.abort();
  };
  const start = () => (ms === undefined ? undefined : setTimeout(stop, ms));
  let timer = start();
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    isOver: () => isOver,
    restart: () => {
      clearTimeout(timer);
      timer = start();
    },
    end: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}

/** Returns the delay after a number of failures. It doubles up to `capMs`, and a quarter of it is random. */
export function backoffMs(failures: number, { baseMs, capMs }: { baseMs: number; capMs: number }): number {
  const maxMs = Math.min(capMs, baseMs * 2 ** Math.min(30, failures - 1));
  return maxMs * (0.75 + Math.random() / 4);
}
