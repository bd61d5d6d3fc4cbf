// A thread that draws frames of a video: asked for one after another, it leaves each as I420 in the slot it was given.
import { parentPort, workerData } from 'node:worker_threads';
import { createFrameDrawer, type VideoScene } from './draw.ts';

export interface ThreadData extends VideoScene {
  readonly slots: readonly SharedArrayBuffer[];
  /** They draw in turn: this thread every so many frames. */
  readonly threadCount: number;
}

/** Draw this frame into that slot. */
export interface FrameRequest {
  readonly frame: number;
  readonly slot: number;
}

export interface FrameAnswer extends FrameRequest {
  /** What could not be drawn so far, by JSON pointer. */
  readonly warnings: readonly string[];
}

const { slots, threadCount, ...scene }: ThreadData = workerData;
const drawer = createFrameDrawer(scene, threadCount);
const pictures = slots.map(slot => new Uint8Array(slot));

let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (request: FrameRequest) => {
  last = last.then(() => answer(request));
});

async function answer({ frame, slot }: FrameRequest): Promise<void> {
  const { draw, picture } = await drawer;
  const { warnings } = await draw(frame);
  pictures[slot]?.set(picture);
  parentPort?.postMessage({ frame, slot, warnings } satisfies FrameAnswer);
}
