// Writes checkpoints of a running run: gathers node states for a moment and writes them together, one write at a time.
import { measureSize } from '../engine/budget.ts';
import { isSettled, type Step } from '../engine/types.ts';
import type { Values } from '../graph/types.ts';
import { isOutage } from '../store/db.ts';
import { outlast } from '../store/retry.ts';
import type { RunRow } from '../store/runs.ts';
import type { RunDeps } from './deps.ts';
import type { RunEvent } from './lifecycle.ts';
import type { RunMemory } from './memory.ts';

type ReportField = 'lease' | 'steps' | 'nodesDone' | 'timeoutAtMs';
/** How a run leaves its worker, without the states of its nodes. */
export type LeaseRelease = WithoutLease<Extract<RunEvent, { readonly kind: 'suspend' | 'release' | 'end' }>>;
type WithoutLease<E> = E extends unknown ? Omit<E, ReportField> : never;

// A run with a few free nodes ends earlier and then needs no checkpoint of its own.
const GATHER_MS = 10;

/** Above this size, an item's result is computed again after a crash instead of being stored early. */
const LARGE_BYTES = 16_000;

const isLarge = (item: Values): boolean => measureSize(item, LARGE_BYTES).bytes > LARGE_BYTES;

interface CheckpointedRun {
  readonly row: RunRow;
  readonly timeoutAtMs: number;
  readonly steps: Map<string, Step>;
  readonly memory: RunMemory;
}

/**
 * Aborts `stop` with 'lost' if a write finds that the lease is gone or the database stays away, and with 'broken' if
 * the database rejects the data.
 */
export class Checkpoints {
  /** The newest state of every node that has started. */
  readonly steps: Map<string, Step>;
  readonly #deps: RunDeps;
  readonly #timeoutAtMs: number;
  readonly #stop: AbortController;
  readonly #memory: RunMemory;
  /** Item results that are already stored. */
  readonly #storedItems = new WeakSet<Values>();
  /** The row as it was last written. */
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
    // After a release, only the records of provider tasks still count: they may have cost credits.
    if (this.#stop.signal.reason === 'released' && step.jobs === undefined) return;
    this.steps.set(step.nodeId, step);
    // Re-inserted, so that states are written in the order in which they occurred.
    this.#pending.delete(step.nodeId);
    this.#pending.set(step.nodeId, step);
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /**
   * Resolves once the added states are stored. Rejects if the run no longer belongs to this worker or cannot be stored.
   */
  async saved(): Promise<void> {
    this.#clearTimer();
    this.#flush();
    await this.#writing;
    if (this.#isShut) throw new Error('The states of the run can no longer be stored by this worker.');
  }

  /** Writes the remaining states together with the release of the lease. Rejects if they could not be written. */
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
   * Replaces item results that are already stored by `true` (see foldSteps in executed-graph.ts). While the node runs,
   * also replaces large results that cost nothing: a worker that takes over computes them again.
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
      // A retry of a write that did arrive finds the run released, or writes the same states again.
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
