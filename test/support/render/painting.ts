// Paints frames in this thread, with a reused painter and with a new painter for each frame.
import { AppError } from '../../../src/lib/errors.ts';
import { createPainter, type PaintResult } from '../../../src/render/paint/frame.ts';
import { loadResources } from '../../../src/render/paint/resources.ts';
import { withRenderFiles } from '../../../src/render/read-files.ts';
import type { Timeline } from '../../../src/render/timeline/compile.ts';
import { evaluateFrame } from '../../../src/render/timeline/evaluate.ts';

const { signal } = new AbortController();

const rejectRead = (): never => {
  throw new AppError('not_found', 'Tests have no network.');
};

export interface TwicePaintedFrame {
  readonly frame: number;
  readonly newPixels: Buffer;
  readonly reusedPixels: Buffer;
  readonly rows: PaintResult['rows'];
  /** The pixels of the reused painter before this frame. Undefined for the first frame. */
  readonly previousPixels: Buffer | undefined;
}

/** Paints each frame with a new painter and with a reused painter. */
export function paintTwice(
  timeline: Timeline,
  frames: readonly number[],
): Promise<readonly TwicePaintedFrame[]> {
  const { width, height } = timeline;
  return withRenderFiles(timeline.resources.values(), rejectRead, signal, async files => {
    const resources = await loadResources(files);
    const painter = createPainter(width, height, 1, resources);
    const painted: TwicePaintedFrame[] = [];
    for (const frame of frames) {
      const list = evaluateFrame(timeline, frame);
      const { rows } = painter.paint(list);
      const reusedPixels = painter.surface.canvas.data();
      const newPainter = createPainter(width, height, 1, resources);
      newPainter.paint(list);
      const newPixels = newPainter.surface.canvas.data();
      painted.push({
        frame,
        newPixels,
        reusedPixels,
        rows,
        previousPixels: painted.at(-1)?.reusedPixels,
      });
    }
    return painted;
  });
}
