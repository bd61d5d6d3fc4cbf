// Performs pointer gestures on a board and measures the script time of each frame.
import type { CDPSession, Page } from 'playwright-core';
import { quantile } from '../load.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Frames {
  /** Script time per frame in milliseconds. */
  readonly p95: number;
  readonly median: number;
  /** Script, style, layout and other work of the main thread. */
  readonly taskP95: number;
}

export interface Meter {
  /** Measures one pointer step together with the frame that it causes. */
  frames(count: number, step: (index: number) => Promise<unknown>): Promise<Frames>;
  heapMB(): Promise<number>;
  /** Returns the main thread's work since the page was opened, in milliseconds. */
  taskMs(): Promise<number>;
}

export async function openMeter(page: Page): Promise<Meter> {
  const debug = await page.context().newCDPSession(page);
  // The processor time of the thread, which other processes do not affect.
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    frames: (count, step) => measureFrames(debug, count, step),
    taskMs: async () => (await readMetrics(debug)).task * 1000,
    heapMB: async () => {
      await debug.send('HeapProfiler.collectGarbage');
      return (await readMetrics(debug)).heap / 1e6;
    },
  };
}

async function measureFrames(
  debug: CDPSession,
  count: number,
  step: (index: number) => Promise<unknown>,
): Promise<Frames> {
  const script: number[] = [];
  const task: number[] = [];
  for (let index = 0; index < count; index++) {
    const before = await readMetrics(debug);
    await step(index);
    await debug.send('Runtime.evaluate', { expression: TWO_FRAMES, awaitPromise: true });
    const after = await readMetrics(debug);
    script.push((after.script - before.script) * 1000);
    task.push((after.task - before.task) * 1000);
  }
  const ascending = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);
  return {
    p95: quantile(ascending(script), 0.95),
    median: quantile(ascending(script), 0.5),
    taskP95: quantile(ascending(task), 0.95),
  };
}

/** Work caused by a step happens in the next frame or the one after, so both are counted. */
const TWO_FRAMES = 'new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

async function readMetrics(
  debug: CDPSession,
): Promise<{ readonly script: number; readonly task: number; readonly heap: number }> {
  const { metrics } = await debug.send('Performance.getMetrics');
  const value = (name: string): number => metrics.find(metric => metric.name === name)?.value ?? Number.NaN;
  return { script: value('ScriptDuration'), task: value('TaskDuration'), heap: value('JSHeapUsedSize') };
}

const STEPS = 60;
const CENTER = { x: 720, y: 480 };

/** Pans back and forth. `from` is a point without a node. */
export async function pan(page: Page, meter: Meter, from: Point): Promise<Frames> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  const frames = await meter.frames(STEPS, index =>
    page.mouse.move(from.x + swing(index) * 240, from.y + swing(index * 1.3) * 160),
  );
  await page.mouse.up();
  return frames;
}

/** Zooms in and out again with the wheel. */
export async function zoom(page: Page, meter: Meter): Promise<Frames> {
  await page.mouse.move(CENTER.x, CENTER.y);
  return meter.frames(STEPS, index => page.mouse.wheel(0, index % 20 < 10 ? -60 : 60));
}

/** Drags the selection by the node at `from` and moves it back. */
export async function drag(page: Page, meter: Meter, from: Point): Promise<Frames> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  const frames = await meter.frames(STEPS, index =>
    page.mouse.move(from.x + swing(index + 1) * 120, from.y + swing((index + 1) * 1.3) * 90),
  );
  await page.mouse.move(from.x, from.y);
  await page.mouse.up();
  return frames;
}

const swing = (index: number): number => Math.sin((index / STEPS) * 4 * Math.PI);
