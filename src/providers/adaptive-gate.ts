// Room for so many at once at a provider, found by its 429s: the number sinks by half, and grows again by one a success.
// Who finds no room waits for as long as it takes.

export interface AdaptiveGate {
  /** Does the work once there is room, in order of arrival; a signal that fires leaves the queue. */
  enter<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** The provider has turned a request away. */
  shrink(): void;
  /** The provider has taken a request. */
  grow(): void;
  /** At once, for now. */
  readonly limit: number;
}

// Requests that were under way together are turned away together: they count once.
const SHRINK_EVERY_MS = 1000;

export function createAdaptiveGate(most: number, now: () => number): AdaptiveGate {
  const waiting = new Set<() => void>();
  let limit = most;
  let active = 0;
  let shrunkAtMs = Number.NEGATIVE_INFINITY;
  const admitNext = (): void => {
    for (const admit of waiting) {
      if (active >= limit) return;
      waiting.delete(admit);
      active++;
      admit();
    }
  };
  const getRoom = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (active < limit && waiting.size === 0) {
      active++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(admit);
        reject(signal.reason);
      };
      const admit = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      waiting.add(admit);
      signal.addEventListener('abort', leave, { once: true });
    });
  };
  return {
    get limit() {
      return limit;
    },
    shrink() {
      if (now() - shrunkAtMs < SHRINK_EVERY_MS) return;
      shrunkAtMs = now();
      limit = Math.max(1, Math.floor(limit / 2));
    },
    grow() {
      limit = Math.min(most, limit + 1);
    },
    async enter(work, signal) {
      await getRoom(signal);
      try {
        return await work();
      } finally {
        active--;
        admitNext();
      }
    },
  };
}
