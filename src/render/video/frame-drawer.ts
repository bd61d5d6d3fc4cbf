// Draws the frames of a video in order and keeps the newest as I420, converting only the rows that changed.
import { restoreBackend } from '../../codecs/backend.ts';
import type { BackendRef } from '../../codecs/command.ts';
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
  /** Size of the output frames. Both sides are even. */
  readonly width: number;
  readonly height: number;
  /** The back end that decodes clips. */
  readonly backend: BackendRef;
}

export interface DrawnFrame {
  /** False if the frame equals the previous one. */
  readonly isNew: boolean;
  /** JSON pointers of what could not be drawn so far. */
  readonly warnings: readonly string[];
}

export interface FrameDrawer {
  draw(frame: number): Promise<DrawnFrame>;
  /** The newest frame. */
  readonly image: Uint8Array;
}

/** Number of rows read per call. Reading a full 1080p frame would allocate 8 MB each time. */
const STRIP_ROWS = 128;

/** Draws every `stride`-th frame. */
export async function createFrameDrawer(scene: VideoScene, stride: number): Promise<FrameDrawer> {
  const { graph, files, peaks, scale, width, height, backend } = scene;
  const timeline = { ...openScene(graph), peaks };
  const resources = await loadResources(files);
  const painter = createPainter(timeline.width, timeline.height, scale, resources);
  // Never aborted: the decoders end with the process.
  const { signal } = new AbortController();
  const clips = new ClipFrames(resources, {
    backend: restoreBackend(backend),
    scale,
    stride,
    signal,
    getList: frame => (frame < timeline.durationInFrames ? evaluateFrame(timeline, frame) : undefined),
  });
  const { canvas, ctx } = painter.surface;
  const writer = createI420Writer(width, height, canvas.width);
  return {
    image: writer.frame,
    async draw(frame) {
      const list = evaluateFrame(timeline, frame);
      await clips.prepare(list);
      const { warnings, rows } = painter.paint(list);
      const [from, to] = rows ?? [0, 0];
      const end = Math.min(height, to + (to % 2));
      for (let top = from - (from % 2); top < end; top += STRIP_ROWS) {
        const { data } = ctx.getImageData(0, top, canvas.width, Math.min(STRIP_ROWS, end - top));
        writer.write(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), top);
        // Releases the buffer now. Left to the garbage collector, these buffers made a frame cost 1.6 times as much.
        (data.buffer as ArrayBuffer).transfer(0);
      }
      // The rasterizer frees memory only when the event loop turns.
      await new Promise(setImmediate);
      return { isNew: rows !== undefined, warnings };
    },
  };
}
