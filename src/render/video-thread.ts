// The thread that draws the frames of a video: asked for one frame after another, it leaves each as I420 in the slot it
// was given. Frames that look as the last one are not converted again, and of others only the rows that changed.
import { parentPort, workerData } from 'node:worker_threads';
import { restoreBackend } from '../codecs/backend.ts';
import { createI420Writer } from '../codecs/i420-simd.ts';
import type { BackendRef } from '../codecs/job.ts';
import { createClipFrames } from './clip-frames.ts';
import { createPainter, type Painter } from './paint-frame.ts';
import { loadResources } from './resources.ts';
import { openScene } from './scene.ts';
import type { ResourceFile } from './still.ts';
import type { Timeline } from './timeline/compile.ts';
import { evaluateFrame } from './timeline/evaluate.ts';

export interface ThreadData {
  readonly graph: unknown;
  readonly files: ReadonlyMap<string, ResourceFile>;
  readonly peaks: Timeline['peaks'];
  readonly scale: number;
  /** Of the frames that are wanted: even. */
  readonly width: number;
  readonly height: number;
  readonly slots: readonly SharedArrayBuffer[];
  /** They draw in turn: this thread every so many frames. */
  readonly threadCount: number;
  /** Of the clips. */
  readonly backend: BackendRef;
}

/** Draw this frame into that slot. */
export interface FrameRequest {
  readonly frame: number;
  readonly slot: number;
}

export interface FrameAnswer extends FrameRequest {
  /** False: the frame is as the one asked for before, and the slot was left alone. */
  readonly isNew: boolean;
  readonly warnings: readonly string[];
}

const { graph, files, peaks, scale, width, height, slots, threadCount, backend }: ThreadData = workerData;
const timeline = { ...openScene(graph), peaks };
const resources = await loadResources(files);
const painter = createPainter(timeline.width, timeline.height, scale, resources);
const clips = createClipFrames(resources, {
  backend: restoreBackend(backend),
  scale,
  stride: threadCount,
  // Whoever ends the process ends the decoders with it.
  signal: new AbortController().signal,
});
const writer = createI420Writer(width, height, painter.surface.canvas.width);
const pictures = slots.map(slot => new Uint8Array(slot));

const STRIP_ROWS = 128;

const waiting: FrameRequest[] = [];
let isDrawing = false;
parentPort?.on('message', (request: FrameRequest) => {
  waiting.push(request);
  if (!isDrawing) void drawAll();
});

async function drawAll(): Promise<void> {
  isDrawing = true;
  for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
    parentPort?.postMessage(await draw(request));
    // The memory of the pixels that were read is given back in the event loop only.
    await new Promise(setImmediate);
  }
  isDrawing = false;
}

async function draw({ frame, slot }: FrameRequest): Promise<FrameAnswer> {
  const list = evaluateFrame(timeline, frame);
  await clips.prepare(list);
  const { warnings, rows } = painter.paint(list);
  if (rows !== undefined) convert(painter, rows);
  // With several threads the frame before is in another's hands.
  const isNew = rows !== undefined || threadCount > 1;
  if (isNew) pictures[slot]?.set(writer.frame);
  return { frame, slot, isNew, warnings };
}

/** In strips: the pixels of a whole frame would be 8 MB at 1080p, allocated anew each time. */
function convert({ surface }: Painter, [from, to]: readonly [number, number]): void {
  const { canvas, brush } = surface;
  const end = Math.min(height, to + (to % 2));
  for (let top = from - (from % 2); top < end; top += STRIP_ROWS) {
    const { data } = brush.getImageData(0, top, canvas.width, Math.min(STRIP_ROWS, end - top));
    writer.write(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), top);
  }
}
