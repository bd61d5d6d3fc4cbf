// Waiting that an AbortSignal ends: a pause, a time limit, and the growing pauses between attempts.

/** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
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

/** A signal that is aborted when time is up or when the caller's signal is. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  /** Begins the time anew. */
  readonly restart: () => void;
  /** Must be called: it releases the timer and the caller's signal. */
  readonly end: () => void;
}

// Not AbortSignal.any and AbortSignal.timeout: Node 20 may collect such a pair before it fires.
/** `ms` undefined: only the caller's signal counts. */
export function limitTime(ms: number | undefined, signal: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  let over = false;
  const stop = (): void => {
    over = true;
    controller.abort();
  };
  const start = () => (ms === undefined ? undefined : setTimeout(stop, ms));
  let timer = start();
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    isOver: () => over,
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

/** The pause before the attempt after `failures` failed ones: doubling up to `capMs`, a quarter of it random. */
export function backoffMs(failures: number, { baseMs, capMs }: { baseMs: number; capMs: number }): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(30, failures - 1));
  return full * (0.75 + Math.random() / 4);
}
