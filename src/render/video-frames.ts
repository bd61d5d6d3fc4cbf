// The frames of a video in order, drawn ahead by threads into slots of shared memory.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { i420Size } from '../codecs/i420.ts';
import type { Range } from './video-segments.ts';
import type { FrameAnswer, FrameRequest, ThreadData } from './video-thread.ts';

export interface FrameSource {
  /** Has these frames drawn after those that are wanted already. */
  want(range: Range): void;
  /**
   * The frames as I420; ranges are read in the order in which they are wanted, each to its end. The bytes of a frame
   * are used again once the one after the next is asked for.
   */
  read(range: Range): AsyncGenerator<Uint8Array>;
  /** What could not be drawn so far, by JSON pointer. */
  readonly warnings: ReadonlySet<string>;
  close(): void;
}

/** Frames that are drawn before they are asked for, so that a frame which takes long does not keep the codec waiting. */
const AHEAD = 3;

/** Starts the threads; they draw as soon as frames are wanted. */
export function openFrames(
  scene: Omit<ThreadData, 'slots' | 'threadCount'>,
  threadCount: number,
): FrameSource {
  // Besides those drawn ahead: one on its way to the codec, one before it, and what each thread is at.
  const slots = Array.from(
    { length: AHEAD + 2 + threadCount },
    () => new SharedArrayBuffer(i420Size(scene.width, scene.height)),
  );
  const threads = Array.from({ length: threadCount }, () => startThread({ ...scene, slots, threadCount }));
  return new ThreadFrames(threads, slots);
}

function startThread(data: ThreadData): Worker {
  // Sources run as .ts; the published package holds .js.
  const file = new URL(`./video-thread${extname(import.meta.filename)}`, import.meta.url);
  return new Worker(file, { workerData: data });
}

class ThreadFrames implements FrameSource {
  readonly warnings = new Set<string>();
  readonly #threads: readonly Worker[];
  readonly #pictures: readonly Uint8Array[];
  readonly #free: number[];
  /** Ranges of which frames are still to be asked for. */
  #wanted: readonly Range[] = [];
  /** Drawn and not yet read, by frame. */
  readonly #drawn = new Map<number, FrameAnswer>();
  #asked = 0;
  #failure: Error | undefined;
  #wake: () => void = () => undefined;
  /** Where the last frame that was read stands. */
  #shown: number | undefined;

  constructor(threads: readonly Worker[], slots: readonly SharedArrayBuffer[]) {
    this.#threads = threads;
    this.#pictures = slots.map(slot => new Uint8Array(slot));
    this.#free = [...slots.keys()];
    for (const thread of threads) {
      thread.on('message', (answer: FrameAnswer) => this.#take(answer));
      thread.on('error', err => this.#fail(err));
      thread.on('exit', () => this.#fail(new Error('A drawing thread ended early.')));
    }
  }

  want(range: Range): void {
    this.#wanted = [...this.#wanted, range];
    this.#ask();
  }

  async *read([from, to]: Range): AsyncGenerator<Uint8Array> {
    for (let frame = from; frame < to; frame++) {
      const { slot, isNew } = await this.#find(frame);
      // One that is not new shows what still stands in the slot of the last; then its own was not needed.
      const over = isNew ? this.#shown : slot;
      if (isNew) this.#shown = slot;
      yield this.#pictures[this.#shown ?? slot] as Uint8Array;
      if (over !== undefined) this.#free.push(over);
      this.#ask();
    }
  }

  close(): void {
    for (const thread of this.#threads) void thread.terminate();
  }

  async #find(frame: number): Promise<FrameAnswer> {
    for (;;) {
      const answer = this.#drawn.get(frame);
      if (answer !== undefined) {
        this.#drawn.delete(frame);
        return answer;
      }
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  /** Gives out all free slots, to the threads in turn. */
  #ask(): void {
    for (let [range] = this.#wanted; range !== undefined && this.#free.length > 0; [range] = this.#wanted) {
      const [frame, to] = range;
      const rest = this.#wanted.slice(1);
      this.#wanted = frame + 1 < to ? [[frame + 1, to], ...rest] : rest;
      const request: FrameRequest = { frame, slot: this.#free.pop() ?? 0 };
      this.#threads[this.#asked++ % this.#threads.length]?.postMessage(request);
    }
  }

  #take(answer: FrameAnswer): void {
    for (const warning of answer.warnings) this.warnings.add(warning);
    this.#drawn.set(answer.frame, answer);
    this.#wake();
  }

  #fail(err: Error): void {
    this.#failure ??= err;
    this.#wake();
  }
}
