// Provides the frames of a video in order: draws them one by one, or ahead of time with threads and shared memory.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { getI420Size } from '../../codecs/pixels/i420.ts';
import { createFrameDrawer, type FrameDrawer, type VideoScene } from './frame-drawer.ts';
import type { FrameRange } from './segments.ts';
import type { FrameRequest, FrameResponse, ThreadData } from './thread.ts';

export interface FrameSource {
  /** Queues the frames of the range behind those already requested. */
  request(range: FrameRange): void;
  /**
   * Reads the frames as I420. Read ranges completely and in the order requested. The bytes of a frame are reused once
   * the frame after the next is requested.
   */
  read(range: FrameRange): AsyncGenerator<Uint8Array>;
  /** JSON pointers of what could not be drawn so far. */
  readonly warnings: ReadonlySet<string>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/**
 * Starts `threadCount` threads, which draw frames as soon as they are requested. With 0, this thread draws each frame
 * when it is read.
 */
export function openFrames(scene: VideoScene, threadCount: number): FrameSource {
  if (threadCount === 0) return new LocalFrames(scene);
  // Slots for the frames drawn ahead, the frame being encoded, the frame before that, and one frame per thread.
  const slots = Array.from(
    { length: FRAMES_AHEAD + 2 + threadCount },
    () => new SharedArrayBuffer(getI420Size(scene.width, scene.height)),
  );
  const threads = Array.from({ length: threadCount }, () => startThread({ ...scene, slots, threadCount }));
  return new ThreadFrames(threads, slots);
}

/** Number of frames drawn ahead, so that a slow frame does not stall the codec. */
const FRAMES_AHEAD = 3;

function startThread(data: ThreadData): Worker {
  // Sources run as .ts; the published package has .js.
  const file = new URL(`./thread${extname(import.meta.filename)}`, import.meta.url);
  return new Worker(file, { workerData: data });
}

class LocalFrames implements FrameSource {
  readonly warnings = new Set<string>();
  readonly #drawer: Promise<FrameDrawer>;
  /** Two alternating buffers, because the codec may still be reading the previous frame. */
  readonly #buffers: readonly [Uint8Array, Uint8Array];
  #currentBuffer: 0 | 1 = 0;

  constructor(scene: VideoScene) {
    const size = getI420Size(scene.width, scene.height);
    this.#buffers = [new Uint8Array(size), new Uint8Array(size)];
    this.#drawer = createFrameDrawer(scene, 1);
    // `read` throws the error.
    this.#drawer.catch(() => undefined);
  }

  request(): void {
    // Frames are drawn when they are read.
  }

  async close(): Promise<void> {
    // No threads were started.
  }

  async *read([from, to]: FrameRange): AsyncGenerator<Uint8Array> {
    const { draw, image } = await this.#drawer;
    for (let frame = from; frame < to; frame++) {
      const { isNew, warnings } = await draw(frame);
      for (const warning of warnings) this.warnings.add(warning);
      if (isNew) {
        this.#currentBuffer = this.#currentBuffer === 0 ? 1 : 0;
        this.#buffers[this.#currentBuffer].set(image);
      }
      yield this.#buffers[this.#currentBuffer];
    }
  }
}

class ThreadFrames implements FrameSource {
  readonly warnings = new Set<string>();
  readonly #threads: readonly Worker[];
  readonly #buffers: readonly Uint8Array[];
  readonly #freeSlots: number[];
  /** Ranges whose frames must still be requested from threads. */
  #pendingRanges: readonly FrameRange[] = [];
  /** Responses by frame, for frames that were drawn and not yet read. */
  readonly #responses = new Map<number, FrameResponse>();
  #requestedCount = 0;
  #failure: Error | undefined;
  #wake: () => void = () => undefined;
  /** The slot of the frame that was read last, which the codec may still be reading. */
  #previousSlot: number | undefined;

  constructor(threads: readonly Worker[], slots: readonly SharedArrayBuffer[]) {
    this.#threads = threads;
    this.#buffers = slots.map(slot => new Uint8Array(slot));
    this.#freeSlots = [...slots.keys()];
    for (const thread of threads) {
      thread.on('message', (response: FrameResponse) => this.#onResponse(response));
      thread.on('error', err => this.#fail(err));
      thread.on('exit', () => this.#fail(new Error('A drawing thread exited unexpectedly.')));
    }
  }

  request(range: FrameRange): void {
    this.#pendingRanges = [...this.#pendingRanges, range];
    this.#requestFrames();
  }

  async *read([from, to]: FrameRange): AsyncGenerator<Uint8Array> {
    for (let frame = from; frame < to; frame++) {
      const { slot } = await this.#waitForFrame(frame);
      yield this.#buffers[slot] as Uint8Array;
      if (this.#previousSlot !== undefined) this.#freeSlots.push(this.#previousSlot);
      this.#previousSlot = slot;
      this.#requestFrames();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.terminate()));
  }

  async #waitForFrame(frame: number): Promise<FrameResponse> {
    for (;;) {
      const response = this.#responses.get(frame);
      if (response !== undefined) {
        this.#responses.delete(frame);
        return response;
      }
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  /** Requests frames from the threads in rotation, as long as there are free slots. */
  #requestFrames(): void {
    for (
      let [range] = this.#pendingRanges;
      range !== undefined && this.#freeSlots.length > 0;
      [range] = this.#pendingRanges
    ) {
      const [frame, to] = range;
      const laterRanges = this.#pendingRanges.slice(1);
      this.#pendingRanges = frame + 1 < to ? [[frame + 1, to], ...laterRanges] : laterRanges;
      const request: FrameRequest = { frame, slot: this.#freeSlots.pop() ?? 0 };
      this.#threads[this.#requestedCount++ % this.#threads.length]?.postMessage(request);
    }
  }

  #onResponse(response: FrameResponse): void {
    for (const warning of response.warnings) this.warnings.add(warning);
    this.#responses.set(response.frame, response);
    this.#wake();
  }

  #fail(err: Error): void {
    this.#failure ??= err;
    this.#wake();
  }
}
