// Sets timers that wake this process's queue pools when work is due, since the queue itself polls rarely.

export interface WakeTimers<Pool extends string> {
  /** Wakes the pool at `atMs`, or immediately if `atMs` is past. Times within the same 20 ms share a timer. */
  set(pool: Pool, atMs: number): void;
  /** Wakes the pool immediately. */
  wake(pool: Pool): void;
  /** Sets the listener of a pool, replacing the previous one. */
  listen(pool: Pool, wake: () => void): void;
  close(): void;
}

const SLOT_MS = 20;
// Later times are left to polling: setTimeout takes at most 24 days, and a timer costs memory until it fires.
const MAX_DELAY_MS = 86_400_000;

export function createWakeTimers<Pool extends string>(now: () => number): WakeTimers<Pool> {
  const listeners = new Map<Pool, () => void>();
  const timers = new Map<string, NodeJS.Timeout>();
  const set = (pool: Pool, atMs: number): void => {
    const delayMs = Math.max(0, atMs - now());
    if (delayMs > MAX_DELAY_MS) return;
    const slot = `${pool}:${Math.ceil(Math.max(atMs, now()) / SLOT_MS)}`;
    if (timers.has(slot)) return;
    const notify = (): void => {
      timers.delete(slot);
      listeners.get(pool)?.();
    };
    timers.set(slot, setTimeout(notify, delayMs === 0 ? 0 : delayMs + SLOT_MS).unref());
  };
  return {
    set,
    wake: pool => set(pool, 0),
    listen(pool, wake) {
      listeners.set(pool, wake);
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
