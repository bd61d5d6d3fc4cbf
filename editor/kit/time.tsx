// Renders a relative time with the exact time on hover.
import { useSyncExternalStore } from 'react';
import { formatAgo, formatExact } from '../lib/format.ts';

const TICK_MS = 20_000;

/** The clock that all relative times of the page share. */
const clock = {
  now: Date.now(),
  listeners: new Set<() => void>(),
  timer: 0 as ReturnType<typeof setInterval> | 0,
};

function subscribe(listener: () => void): () => void {
  clock.listeners.add(listener);
  if (clock.timer === 0) {
    // The clock stops while the page shows no relative time.
    clock.now = Date.now();
    clock.timer = setInterval(tick, TICK_MS);
  }
  return () => {
    clock.listeners.delete(listener);
    if (clock.listeners.size > 0) return;
    clearInterval(clock.timer);
    clock.timer = 0;
  };
}

function tick(): void {
  clock.now = Date.now();
  for (const listener of clock.listeners) listener();
}

/** Renders a time such as `5 min. ago` and keeps it up to date. */
export function RelativeTime({ time }: { readonly time: string }) {
  const now = useSyncExternalStore(subscribe, () => clock.now);
  const timeMs = Date.parse(time);
  return (
    <time dateTime={time} title={formatExact(timeMs)}>
      {/* The clock of the service may be ahead of this one. */}
      {formatAgo(Math.min(timeMs, now), now)}
    </time>
  );
}
