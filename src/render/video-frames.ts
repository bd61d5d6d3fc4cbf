// The frames of a video in order, drawn ahead by threads into slots of shared memory.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { i420Size } from '../codecs/i420.ts';
import type { FrameAnswer, FrameRequest, ThreadData } from './video-thread.ts';

export interface FrameSource {
  /**
   * The frames [from, to) as I420. The bytes of one may be used again once the one after the next is asked for. Ranges
   * are asked for as they were told, each when the one before has been read to its end.
   */
  read(range: readonly [number, number]): AsyncGenerator<Uint8Array>;
  /** What could not be drawn so far, by JSON pointer. */
  readonly warnings: ReadonlySet<string>;
  close(): void;
}

/** Frames that are drawn before they are asked for, so that a frame which takes long does not keep the codec waiting. */
const AHEAD = 3;

/** Starts the threads, which at once begin to draw the ranges, one after the other. */
export function openFrames(
  scene: Omit<ThreadData, 'slots' | 'threadCount'>,
  ranges: readonly (readonly [number, number])[],
  threadCount: number,
): FrameSource {
  // Besides those drawn ahead: one on its way to the codec, one before it, and what each thread is at.
  const slots = Array.from(
    { length: AHEAD + 2 + threadCount },
    () => new SharedArrayBuffer(i420Size(scene.width, scene.height)),
  );
  const threads = Array.from({ length: threadCount }, () => startThread({ ...scene, slots, threadCount }));
  return new ThreadFrames(threads, slots, ranges);
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
  readonly #wanted: Iterator<number>;
  /** Drawn and not yet read, by frame. */
  readonly #drawn = new Map<number, FrameAnswer>();
  #asked = 0;
  #failure: Error | undefined;
  #wake: () => void = () => undefined;
  /** Where the last frame that was read stands. */
  #shown: number | undefined;

  constructor(
    threads: readonly Worker[],
    slots: readonly SharedArrayBuffer[],
    ranges: readonly (readonly [number, number])[],
  ) {
    this.#threads = threads;
    this.#pictures = slots.map(slot => new Uint8Array(slot));
    this.#free = [...slots.keys()];
    this.#wanted = framesOf(ranges);
    for (const thread of threads) {
      thread.on('message', (answer: FrameAnswer) => this.#take(answer));
      thread.on('error', err => this.#fail(err));
      thread.on('exit', () => this.#fail(new Error('A drawing thread ended early.')));
    }
    this.#ask();
  }

  async *read([from, to]: readonly [number, number]): AsyncGenerator<Uint8Array> {
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
    for (let slot = this.#free.pop(); slot !== undefined; slot = this.#free.pop()) {
      const { value: frame, done } = this.#wanted.next();
      if (done === true) return;
      const request: FrameRequest = { frame, slot };
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

function* framesOf(ranges: readonly (readonly [number, number])[]): Generator<number> {
  for (const [from, to] of ranges) for (let frame = from; frame < to; frame++) yield frame;
}
