// Wakes what sleeps in this process at the times it is told: the queue polls rarely, and its work should not wait for it.

export interface Alarms<Bell extends string> {
  /** Rings at the time, or at once where it is past. Times within the same 20 ms share a ring. */
  set(bell: Bell, atMs: number): void;
  /** One listener a bell; the last one counts. */
  listen(bell: Bell, ring: () => void): void;
  close(): void;
}

const SLOT_MS = 20;
// Longer ones are left to the poll: setTimeout takes 24 days at most, and memory is not for sleepers of weeks.
const MAX_DELAY_MS = 86_400_000;

export function createAlarms<Bell extends string>(now: () => number): Alarms<Bell> {
  const listeners = new Map<Bell, () => void>();
  const timers = new Map<string, NodeJS.Timeout>();
  return {
    set(bell, atMs) {
      const delayMs = Math.max(0, atMs - now());
      if (delayMs > MAX_DELAY_MS) return;
      const slot = `${bell}:${Math.ceil(Math.max(atMs, now()) / SLOT_MS)}`;
      if (timers.has(slot)) return;
      const ring = (): void => {
        timers.delete(slot);
        listeners.get(bell)?.();
      };
      timers.set(slot, setTimeout(ring, delayMs === 0 ? 0 : delayMs + SLOT_MS).unref());
    },
    listen(bell, ring) {
      listeners.set(bell, ring);
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
