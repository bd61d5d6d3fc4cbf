// Measures drawing: the time to draw a still in a warm drawing thread, and the processor time of a video's frames.
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../src/lib/errors.ts';
import { createPainter } from '../../src/render/paint/frame.ts';
import { loadResources } from '../../src/render/paint/resources.ts';
import { withRenderFiles } from '../../src/render/read-files.ts';
import { openScene, openTemplateScene } from '../../src/render/scene.ts';
import type { SceneStills } from '../../src/render/stills/still.ts';
import { drawSceneStills } from '../../src/render/stills/stills.ts';
import { TEMPLATES } from '../../src/render/templates/catalog.ts';
import type { Timeline } from '../../src/render/timeline/compile.ts';
import { evaluateFrame } from '../../src/render/timeline/evaluate.ts';
import { median } from '../load.ts';
import { createCaptionScene, createMovingScene } from '../render-scenes.ts';
import type { Row } from '../row.ts';

const TARGET_MS = 60;
const STILLS = 40;
const FORMATS: readonly SceneStills['format'][] = ['png', 'jpeg'];

export async function* runStillRows(isShort: boolean): AsyncGenerator<Row> {
  const scenes: readonly (readonly [string, Timeline])[] = [
    ...TEMPLATES.map(
      template => [template.id, openTemplateScene(template, template.exampleProps ?? {})] as const,
    ),
    ['scene S', openScene(createMovingScene('sample:hills by the sea'))],
  ];
  const { signal } = new AbortController();
  for (const [name, timeline] of scenes)
    for (const format of FORMATS) {
      const times = await withRenderFiles(timeline.resources.values(), rejectRead, signal, files =>
        measureStills(timeline, files, format, isShort ? 1 : STILLS),
      );
      yield {
        figure: `still of ${name}, ${timeline.width} × ${timeline.height}, ${format}, warm, p50`,
        value: median(times),
        unit: 'ms',
        target: { value: TARGET_MS, is: 'at most' },
      };
    }
  yield* measureFrames(isShort);
}

/** The processor time of hand-written calls of the rasterizer that draw scene S and read the pixels. */
const RASTERIZER_MS = 10.1;

async function* measureFrames(isShort: boolean): AsyncGenerator<Row> {
  const frameCount = isShort ? 2 : 300;
  const photo = 'sample:hills by the sea';
  const { cpuMs } = await paintFrames(openScene(createMovingScene(photo)), frameCount);
  yield {
    figure: 'frame of scene S, drawn and read, processor time',
    value: cpuMs / frameCount,
    unit: 'ms',
    target: { value: RASTERIZER_MS, is: 'at most' },
  };
  const { cpuMs: captionCpuMs, changedCount } = await paintFrames(
    openScene(createCaptionScene(photo)),
    frameCount,
  );
  yield {
    figure: 'frame of a still scene whose caption changes every ten frames, processor time',
    value: captionCpuMs / frameCount,
    unit: 'ms',
    target: { value: 2, is: 'at most' },
    note: `${changedCount} of ${frameCount} frames had to be drawn`,
  };
}

/** Draws one frame after another and reads the pixels of those that changed. */
function paintFrames(timeline: Timeline, count: number): Promise<{ cpuMs: number; changedCount: number }> {
  const { width, height } = timeline;
  const { signal } = new AbortController();
  return withRenderFiles(timeline.resources.values(), rejectRead, signal, async files => {
    const painter = createPainter(width, height, 1, await loadResources(files));
    let changedCount = 0;
    const usageBefore = process.cpuUsage();
    for (let frame = 0; frame < count; frame++) {
      const { rows } = painter.paint(evaluateFrame(timeline, frame));
      if (rows !== undefined) {
        changedCount++;
        painter.surface.canvas.data();
      }
      // Pixels are freed only between turns of the event loop.
      await setImmediate();
    }
    const { user, system } = process.cpuUsage(usageBefore);
    return { cpuMs: (user + system) / 1000, changedCount };
  });
}

const rejectRead = (): never => {
  throw new AppError('not_found', 'benchmarks have no network access');
};

/** Returns the time of each of `count` stills at equal distances in the timeline, without two stills that warm the thread. */
async function measureStills(
  timeline: Timeline,
  files: SceneStills['files'],
  format: SceneStills['format'],
  count: number,
): Promise<readonly number[]> {
  const { signal } = new AbortController();
  const times: number[] = [];
  for (let index = -Math.min(2, count - 1); index < count; index++) {
    const startMs = performance.now();
    const frame = Math.floor(((Math.max(0, index) + 0.5) / count) * timeline.durationInFrames);
    const lists = [evaluateFrame(timeline, frame)];
    await drawSceneStills({ lists, files, scale: 1, format }, signal);
    if (index >= 0) times.push(performance.now() - startMs);
  }
  return times;
}
