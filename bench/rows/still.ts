// Measures drawing: the time to a still while the drawing thread is warm, and the cost of a clip's frames.
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
import { captionScene, sceneS } from '../render-scenes.ts';
import type { Row } from '../row.ts';

const TARGET_MS = 60;
const STILLS = 40;
const FORMATS: readonly SceneStills['format'][] = ['png', 'jpeg'];

export async function* runStillRows(isShort: boolean): AsyncGenerator<Row> {
  const scenes: readonly (readonly [string, Timeline])[] = [
    ...TEMPLATES.map(
      template => [template.id, openTemplateScene(template, template.exampleProps ?? {})] as const,
    ),
    ['scene S', openScene(sceneS('sample:hills by the sea'))],
  ];
  const { signal } = new AbortController();
  for (const [name, timeline] of scenes)
    for (const format of FORMATS) {
      const times = await withRenderFiles(timeline.resources.values(), rejectRead, signal, files =>
        timeStills(timeline, files, format, isShort ? 1 : STILLS),
      );
      yield {
        figure: `still of ${name}, ${timeline.width} × ${timeline.height}, ${format}, warm, p50`,
        value: times[Math.floor(times.length / 2)] ?? Number.NaN,
        unit: 'ms',
        target: { value: TARGET_MS, is: 'at most' },
      };
    }
  yield* runFrameRows(isShort);
}

/** Measured for the rasterizer alone, drawing scene S by hand and reading its pixels. */
const RESEARCHED_MS = 10.1;

async function* runFrameRows(isShort: boolean): AsyncGenerator<Row> {
  const frames = isShort ? 2 : 300;
  const photo = 'sample:hills by the sea';
  const { cpuMs } = await paintFrames(openScene(sceneS(photo)), frames);
  yield {
    figure: 'frame of scene S, drawn and read, processor time',
    value: cpuMs / frames,
    unit: 'ms',
    target: { value: RESEARCHED_MS, is: 'at most' },
  };
  const { cpuMs: stillMs, changed } = await paintFrames(openScene(captionScene(photo)), frames);
  yield {
    figure: 'frame of a still scene whose caption changes every ten frames, processor time',
    value: stillMs / frames,
    unit: 'ms',
    target: { value: 2, is: 'at most' },
    note: `${changed} of ${frames} frames had to be drawn`,
  };
}

/** Draws one frame after another and reads the pixels of those that changed. */
function paintFrames(timeline: Timeline, count: number): Promise<{ cpuMs: number; changed: number }> {
  const { width, height } = timeline;
  const { signal } = new AbortController();
  return withRenderFiles(timeline.resources.values(), rejectRead, signal, async files => {
    const painter = createPainter(width, height, 1, await loadResources(files));
    let changed = 0;
    const before = process.cpuUsage();
    for (let frame = 0; frame < count; frame++) {
      const { rows } = painter.paint(evaluateFrame(timeline, frame));
      if (rows !== undefined) {
        changed++;
        painter.surface.canvas.data();
      }
      // Pixels are freed only between turns of the event loop.
      await setImmediate();
    }
    const { user, system } = process.cpuUsage(before);
    return { cpuMs: (user + system) / 1000, changed };
  });
}

const rejectRead = (): never => {
  throw new AppError('not_found', 'benchmarks have no network access');
};

/** Milliseconds of stills across the timeline, each requested after the previous one; sorted. */
async function timeStills(
  timeline: Timeline,
  files: SceneStills['files'],
  format: SceneStills['format'],
  count: number,
): Promise<readonly number[]> {
  const { signal } = new AbortController();
  const times: number[] = [];
  for (let index = -Math.min(2, count - 1); index < count; index++) {
    const started = performance.now();
    const frame = Math.floor(((Math.max(0, index) + 0.5) / count) * timeline.durationInFrames);
    const lists = [evaluateFrame(timeline, frame)];
    await drawSceneStills({ lists, files, scale: 1, format }, signal);
    if (index >= 0) times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b);
}
