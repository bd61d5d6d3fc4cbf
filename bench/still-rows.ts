// Previews of scenes: how long a person waits for one frame while the drawing thread is warm.
import { AppError } from '../src/lib/errors.ts';
import { withRenderFiles } from '../src/render/files.ts';
import { openScene, openTemplate } from '../src/render/scene.ts';
import type { SceneStills } from '../src/render/still.ts';
import { drawSceneStills } from '../src/render/stills.ts';
import { TEMPLATES } from '../src/render/templates/catalog.ts';
import type { Timeline } from '../src/render/timeline/compile.ts';
import { evaluateFrame } from '../src/render/timeline/evaluate.ts';
import { sceneS } from './render-scenes.ts';
import type { Row } from './row.ts';

const REACH_MS = 60;
const STILLS = 40;
const FORMATS: readonly SceneStills['format'][] = ['png', 'jpeg'];

export async function* runStillRows(isShort: boolean): AsyncGenerator<Row> {
  const scenes: readonly (readonly [string, Timeline])[] = [
    ...TEMPLATES.map(template => [template.id, openTemplate(template, template.defaultProps)] as const),
    ['scene S', openScene(sceneS('sample:hills by the sea'))],
  ];
  const { signal } = new AbortController();
  for (const [name, timeline] of scenes)
    for (const format of FORMATS) {
      const times = await withRenderFiles(timeline.resources.values(), refuse, signal, files =>
        timeStills(timeline, files, format, isShort ? 3 : STILLS),
      );
      yield {
        figure: `still of ${name}, ${timeline.width} × ${timeline.height}, ${format}, warm, p50`,
        value: times[Math.floor(times.length / 2)] ?? Number.NaN,
        unit: 'ms',
        reach: { value: REACH_MS, is: 'at most' },
      };
    }
}

const refuse = (): never => {
  throw new AppError('not_found', 'benchmarks reach out to nobody');
};

/** Milliseconds of stills all over the timeline, each asked for once the one before is there; sorted. */
async function timeStills(
  timeline: Timeline,
  files: SceneStills['files'],
  format: SceneStills['format'],
  count: number,
): Promise<readonly number[]> {
  const { signal } = new AbortController();
  const times: number[] = [];
  for (let index = -2; index < count; index++) {
    const started = performance.now();
    const frame = Math.floor(((Math.max(0, index) + 0.5) / count) * timeline.durationInFrames);
    const lists = [evaluateFrame(timeline, frame)];
    await drawSceneStills({ lists, files, scale: 1, format }, signal);
    if (index >= 0) times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b);
}
