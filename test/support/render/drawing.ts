// Draws frames of a scene graph in the drawing thread.
import { AppError } from '../../../src/lib/errors.ts';
import { withRenderFiles } from '../../../src/render/read-files.ts';
import { openScene } from '../../../src/render/scene.ts';
import type { DrawnStills } from '../../../src/render/stills/still.ts';
import { drawSceneStills } from '../../../src/render/stills/stills.ts';
import type { Timeline } from '../../../src/render/timeline/compile.ts';
import { evaluateFrame } from '../../../src/render/timeline/evaluate.ts';

const { signal } = new AbortController();

const rejectRead = (): never => {
  throw new AppError('not_found', 'Tests have no network.');
};

export async function drawTimeline(
  timeline: Timeline,
  frames: readonly number[],
  scale = 1,
): Promise<DrawnStills> {
  const lists = frames.map(frame => evaluateFrame(timeline, frame));
  return withRenderFiles(timeline.resources.values(), rejectRead, signal, files =>
    drawSceneStills({ lists, files, scale, format: 'png' }, signal),
  );
}

export function drawGraph(graph: unknown, frames: readonly number[], scale = 1): Promise<DrawnStills> {
  return drawTimeline(openScene(graph), frames, scale);
}
