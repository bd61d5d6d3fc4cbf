// Draws video frames on request in a worker thread, and writes each as I420 into a slot of shared memory.
import { parentPort, workerData } from 'node:worker_threads';
import { createFrameDrawer, type VideoScene } from './frame-drawer.ts';

export interface ThreadData extends VideoScene {
  readonly slots: readonly SharedArrayBuffer[];
  /** The threads alternate, so that each draws every `threadCount`-th frame. */
  readonly threadCount: number;
}

/** A request to draw a frame into a slot. */
export interface FrameRequest {
  readonly frame: number;
  readonly slot: number;
}

export interface FrameResponse extends FrameRequest {
  /** JSON pointers of what could not be drawn so far. */
  readonly warnings: readonly string[];
}

const { slots, threadCount, ...scene }: ThreadData = workerData;
const drawer = createFrameDrawer(scene, threadCount);
const buffers = slots.map(slot => new Uint8Array(slot));

let lastResponse: Promise<void> = Promise.resolve();
parentPort?.on('message', (request: FrameRequest) => {
  lastResponse = lastResponse.then(() => handleRequest(request));
});

async function handleRequest({ frame, slot }: FrameRequest): Promise<void> {
  const { draw, image } = await drawer;
  const { warnings } = await draw(frame);
  buffers[slot]?.set(image);
  parentPort?.postMessage({ frame, slot, warnings } satisfies FrameResponse);
}
