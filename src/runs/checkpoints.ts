// What a run reports while it goes on: node states gathered for a moment, written together, one write at a time.
import { sizeOf } from '../engine/budget.ts';
import { isSettled, type Step } from '../engine/types.ts';
import type { Values } from '../graph/types.ts';
import { isOutage } from '../store/db.ts';
import { outlast } from '../store/retry.ts';
import type { RunRow } from '../store/runs.ts';
import type { RunDeps } from './deps.ts';
import type { RunEvent } from './lifecycle.ts';
import type { RunMemory } from './memory.ts';

type ReportField = 'lease' | 'steps' | 'nodesDone' | 'timeoutAtMs';
/** How a run leaves its worker, but for the states of its nodes. */
export type LeaseRelease = WithoutLease<Extract<RunEvent, { readonly kind: 'suspend' | 'release' | 'end' }>>;
type WithoutLease<E> = E extends unknown ? Omit<E, ReportField> : never;

// A run of a few free nodes is over sooner, and then costs no checkpoint of its own.
const GATHER_MS = 10;

/** Of an item's result that is made again rather than stored on the way. */
const LARGE_BYTES = 16_000;

const isLarge = (item: Values): boolean => sizeOf(item, LARGE_BYTES).bytes > LARGE_BYTES;

interface CheckpointedRun {
  readonly row: RunRow;
  readonly timeoutAtMs: number;
  readonly steps: Map<string, Step>;
  readonly memory: RunMemory;
}

/**
 * `stop` is aborted with 'lost' where a write finds that the lease number no longer stands or the database stays away,
 * with 'broken' where it refuses what is to be written.
 */
export class Checkpoints {
  /** The newest state of every node that has begun. */
  readonly steps: Map<string, Step>;
  readonly #deps: RunDeps;
  readonly #timeoutAtMs: number;
  readonly #stop: AbortController;
  readonly #memory: RunMemory;
  /** The results of items that are stored. */
  readonly #storedItems = new WeakSet<Values>();
  /** As it was last written. */
  #row: RunRow;
  #pending = new Map<string, Step>();
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isShut = false;

  constructor(deps: RunDeps, { row, timeoutAtMs, steps, memory }: CheckpointedRun, stop: AbortController) {
    this.#deps = deps;
    this.#row = row;
    this.#timeoutAtMs = timeoutAtMs;
    this.steps = steps;
    this.#stop = stop;
    this.#memory = memory;
    for (const step of steps.values()) this.#noteStored(step);
  }

  add(step: Step): void {
    if (this.#isShut) return;
    // Of a released run only what a call at a provider keeps of itself still counts: it may have cost already.
    if (this.#stop.signal.reason === 'released' && step.jobs === undefined) return;
    this.steps.set(step.nodeId, step);
    // Re-inserted, so that the order of writing is the order of happening.
    this.#pending.delete(step.nodeId);
    this.#pending.set(step.nodeId, step);
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** Resolves once what was added is stored; rejects where the run is no longer this worker's, or cannot be stored. */
  async saved(): Promise<void> {
    this.#clearTimer();
    this.#flush();
    await this.#writing;
    if (this.#isShut) throw new Error('The states of the run can no longer be stored by this worker.');
  }

  /** Writes what is left together with the way the run leaves this worker. Rejects where it could not be written. */
  async releaseLease(release: LeaseRelease): Promise<void> {
    await this.#writing;
    await this.#write(release);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #shut(reason: 'lost' | 'broken'): void {
    this.#isShut = true;
    this.#stop.abort(reason);
  }

  #takePending(): readonly Step[] {
    this.#clearTimer();
    const pending = [...this.#pending.values()];
    this.#pending = new Map();
    return pending;
  }

  /**
   * `true` stands for the result of an item that is stored already (executed-graph.ts foldSteps), and while the node
   * runs for a large one that cost nothing: whoever takes the run over makes that again.
   */
  #toStored(step: Step): Step {
    if (step.items === undefined) return step;
    const isCheap = step.status === 'RUNNING' && step.credits === undefined;
    const items = step.items.map(item => {
      if (item === null) return item;
      return this.#storedItems.has(item) || (isCheap && isLarge(item)) ? true : item;
    });
    return { ...step, items: items as NonNullable<Step['items']> };
  }

  #noteStored({ items = [] }: Step): void {
    for (const item of items) if (typeof item === 'object' && item !== null) this.#storedItems.add(item);
  }

  #flush(): void {
    this.#writing = this.#writing
      .then(async () => {
        if (this.#pending.size > 0) await this.#write({ kind: 'checkpoint' });
      })
      .catch((err: unknown) => {
        this.#deps.log.error({ err, executionId: this.#row.id }, 'a checkpoint could not be written');
        this.#shut(isOutage(err) ? 'lost' : 'broken');
      });
  }

  async #write(release: LeaseRelease | { readonly kind: 'checkpoint' }): Promise<void> {
    const { id, lease } = this.#row;
    const steps = this.#takePending().map(step => this.#toStored(step));
    const state = { lease, steps, nodesDone: countSettled(this.steps), timeoutAtMs: this.#timeoutAtMs };
    const event = { ...release, ...state } as RunEvent;
    const written = await outlast(
      // A write that did arrive and is made again finds the run released, or says the same things twice.
      () => this.#deps.commit.write(this.#row, event, this.#memory.bytes),
      err => this.#deps.log.warn({ err, executionId: id }, 'a checkpoint is written again'),
    );
    if (written === undefined) return this.#shut('lost');
    for (const step of steps) this.#noteStored(step);
    this.#row = written;
    this.#deps.runNotifier.notify(id);
  }
}

function countSettled(steps: ReadonlyMap<string, Step>): number {
  let count = 0;
  for (const { status } of steps.values()) if (isSettled(status)) count++;
  return count;
}
