// Draws the frames of a video one after another and keeps the last as I420, of which only the rows that changed are
// converted again.
import { restoreBackend } from '../../codecs/backend.ts';
import type { BackendRef } from '../../codecs/job.ts';
import { createI420Writer } from '../../codecs/pixels/i420-simd.ts';
import { createPainter } from '../paint/frame.ts';
import { loadResources } from '../paint/resources.ts';
import { openScene } from '../scene.ts';
import type { ResourceFiles } from '../stills/still.ts';
import type { Timeline } from '../timeline/compile.ts';
import { evaluateFrame } from '../timeline/evaluate.ts';
import { ClipFrames } from './clip-frames.ts';

export interface VideoScene {
  readonly graph: unknown;
  readonly files: ResourceFiles;
  readonly peaks: Timeline['peaks'];
  readonly scale: number;
  /** Of the frames that are wanted: even. */
  readonly width: number;
  readonly height: number;
  /** Of the clips. */
  readonly backend: BackendRef;
}

export interface DrawnFrame {
  /** False: the frame is as the one before. */
  readonly isNew: boolean;
  /** What could not be drawn so far, by JSON pointer. */
  readonly warnings: readonly string[];
}

export interface FrameDrawer {
  draw(frame: number): Promise<DrawnFrame>;
  /** The frame that was drawn last. */
  readonly picture: Uint8Array;
}

/** Rows that are read at once: the pixels of a complete frame would be 8 MB at 1080p, allocated anew each time. */
const STRIP_ROWS = 128;

/** A drawer of every `stride`-th frame. */
export async function createFrameDrawer(scene: VideoScene, stride: number): Promise<FrameDrawer> {
  const { graph, files, peaks, scale, width, height, backend } = scene;
  const timeline = { ...openScene(graph), peaks };
  const resources = await loadResources(files);
  const painter = createPainter(timeline.width, timeline.height, scale, resources);
  // Whoever ends the process ends the decoders with it.
  const { signal } = new AbortController();
  const clips = new ClipFrames(resources, {
    backend: restoreBackend(backend),
    scale,
    stride,
    signal,
    listAt: frame => (frame < timeline.durationInFrames ? evaluateFrame(timeline, frame) : undefined),
  });
  const { canvas, brush } = painter.surface;
  const writer = createI420Writer(width, height, canvas.width);
  return {
    picture: writer.frame,
    async draw(frame) {
      const list = evaluateFrame(timeline, frame);
      await clips.prepare(list);
      const { warnings, rows } = painter.paint(list);
      const [from, to] = rows ?? [0, 0];
      const end = Math.min(height, to + (to % 2));
      for (let top = from - (from % 2); top < end; top += STRIP_ROWS) {
        const { data } = brush.getImageData(0, top, canvas.width, Math.min(STRIP_ROWS, end - top));
        writer.write(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), top);
        // Given back at once: left to the collector, whose runs they cause, they made a frame cost 1.6 times as much.
        (data.buffer as ArrayBuffer).transfer(0);
      }
      // What the rasterizer keeps is freed in the event loop only.
      await new Promise(setImmediate);
      return { isNew: rows !== undefined, warnings };
    },
  };
}
