// Performs pointer gestures on a board and measures the script time of each frame.
import type { CDPSession, Page } from 'playwright-core';
import { quantile } from '../load.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Times per frame in milliseconds. */
export interface FrameTimes {
  readonly scriptP95: number;
  /** All work of the main thread: script, style, layout and the rest. */
  readonly taskP95: number;
}

export interface Meter {
  /** Measures `count` pointer steps, each together with the frame that the step causes. */
  measureFrames(count: number, step: (index: number) => Promise<unknown>): Promise<FrameTimes>;
  readHeapMb(): Promise<number>;
  /** Returns the time for which the main thread has worked since the page was opened. */
  readTaskMs(): Promise<number>;
}

export async function openMeter(page: Page): Promise<Meter> {
  const session = await page.context().newCDPSession(page);
  // Measures the thread's processor time, which other processes do not affect.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    measureFrames: (count, step) => measureFrames(session, count, step),
    readTaskMs: async () => (await readMetrics(session)).task * 1000,
    readHeapMb: async () => {
      await session.send('HeapProfiler.collectGarbage');
      return (await readMetrics(session)).heap / 1e6;
    },
  };
}

async function measureFrames(
  session: CDPSession,
  count: number,
  step: (index: number) => Promise<unknown>,
): Promise<FrameTimes> {
  const scriptTimes: number[] = [];
  const taskTimes: number[] = [];
  for (let index = 0; index < count; index++) {
    const before = await readMetrics(session);
    await step(index);
    await session.send('Runtime.evaluate', { expression: WAIT_FOR_TWO_FRAMES, awaitPromise: true });
    const after = await readMetrics(session);
    scriptTimes.push((after.script - before.script) * 1000);
    taskTimes.push((after.task - before.task) * 1000);
  }
  return { scriptP95: quantile(scriptTimes, 0.95), taskP95: quantile(taskTimes, 0.95) };
}

/** Waits for two frames, because the work that a step causes may happen in the second. */
const WAIT_FOR_TWO_FRAMES =
  'new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

async function readMetrics(
  session: CDPSession,
): Promise<{ readonly script: number; readonly task: number; readonly heap: number }> {
  const { metrics } = await session.send('Performance.getMetrics');
  const value = (name: string): number => metrics.find(metric => metric.name === name)?.value ?? Number.NaN;
  return { script: value('ScriptDuration'), task: value('TaskDuration'), heap: value('JSHeapUsedSize') };
}

const STEPS = 60;
const CENTER = { x: 720, y: 480 };

/** Pans back and forth, starting at a point without a node. */
export async function pan(page: Page, meter: Meter, from: Point): Promise<FrameTimes> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  const frames = await meter.measureFrames(STEPS, index =>
    page.mouse.move(from.x + swing(index) * 240, from.y + swing(index * 1.3) * 160),
  );
  await page.mouse.up();
  return frames;
}

/** Zooms in and out again with the wheel. */
export async function zoom(page: Page, meter: Meter): Promise<FrameTimes> {
  await page.mouse.move(CENTER.x, CENTER.y);
  return meter.measureFrames(STEPS, index => page.mouse.wheel(0, index % 20 < 10 ? -60 : 60));
}

/** Drags the selection by the node at `from`, and back to the start. */
export async function drag(page: Page, meter: Meter, from: Point): Promise<FrameTimes> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  const frames = await meter.measureFrames(STEPS, index =>
    page.mouse.move(from.x + swing(index + 1) * 120, from.y + swing((index + 1) * 1.3) * 90),
  );
  await page.mouse.move(from.x, from.y);
  await page.mouse.up();
  return frames;
}

const swing = (index: number): number => Math.sin((index / STEPS) * 4 * Math.PI);
