// Shows the progress of long work as a bar at the bottom of a terminal, or as occasional lines in a pipe.
import type { Terminal } from './terminal.ts';

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** Text after the bar, such as `frame 3 of 20`. */
  readonly text: string;
}

const BAR_COLUMNS = 20;
const LINE_EVERY_MS = 5000;
const DRAW_EVERY_MS = 50;

/** Returns a function that shows the progress. The caller must erase the bar at the end. */
export function startProgress(terminal: Terminal): (progress: Progress) => void {
  const start = performance.now();
  let lastMs = start;
  return ({ done, total, text }) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < (terminal.isLive ? DRAW_EVERY_MS : LINE_EVERY_MS) && done < total) return;
    lastMs = nowMs;
    const remainingMs = done === 0 ? undefined : ((total - done) * (nowMs - start)) / done;
    const remainingNote = remainingMs === undefined ? '' : `, ${formatMs(remainingMs)} left`;
    if (terminal.isLive)
      terminal.draw([`  ${drawBar(total === 0 ? 1 : done / total, terminal)}  ${text}${remainingNote}`]);
    else if (done < total) terminal.note(`${text}${remainingNote}`);
  };
}

/** Returns a bar that is filled to the fraction. */
export function drawBar(fraction: number, { paint }: Terminal): string {
  const full = Math.round(Math.min(1, Math.max(0, fraction)) * BAR_COLUMNS);
  return paint('cyan', '━'.repeat(full)) + paint('dim', '─'.repeat(BAR_COLUMNS - full));
}

/** Formats a duration: `7 ms`, `1.2 s`, `3 min 05 s`. */
export function formatMs(ms: number): string {
  const positiveMs = Math.max(0, ms);
  if (positiveMs < 1000) return `${Math.round(positiveMs)} ms`;
  if (positiveMs < 60_000) return `${(positiveMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(positiveMs / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** Formats a size in powers of 1000: `7 B`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const unit = UNITS.findLast(({ size }) => bytes >= size) ?? { size: 1, name: 'B' };
  return `${(bytes / unit.size).toFixed(unit.size === 1 ? 0 : 1)} ${unit.name}`;
}

const UNITS = [
  { size: 1, name: 'B' },
  { size: 1e3, name: 'kB' },
  { size: 1e6, name: 'MB' },
  { size: 1e9, name: 'GB' },
] as const;
