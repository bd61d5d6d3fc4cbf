// Writes checkpoints of an active run: collects steps for a few milliseconds and writes them together.
import { measureSize } from '../../engine/output-size.ts';
import { isSettled, type Step } from '../../engine/types.ts';
import type { Values } from '../../graph/types.ts';
import type { NewApproval } from '../../store/approvals.ts';
import { isOutage } from '../../store/db.ts';
import { retryOutages } from '../../store/retry.ts';
import type { RunRow } from '../../store/runs.ts';
import type { LifecycleEvent } from '../change/lifecycle.ts';
import type { RunDeps } from '../deps.ts';
import type { RunMemory } from '../slots/memory.ts';

type ReportField = 'lease' | 'steps' | 'nodesDone' | 'timeoutAtMs' | 'approvals';
/** The event that releases the lease. `#write` adds the report fields. */
export type LeaseRelease = WithoutLease<
  Extract<LifecycleEvent, { readonly kind: 'suspend' | 'release' | 'end' }>
>;
type WithoutLease<E> = E extends unknown ? Omit<E, ReportField> : never;

// A run with a few free nodes ends within this time and needs no separate checkpoint.
const COLLECT_MS = 10;

/** An item's result above this size is not stored early; after a crash, it is computed again. */
const LARGE_ITEM_BYTES = 16_000;

const isLarge = (item: Values): boolean => measureSize(item, LARGE_ITEM_BYTES).bytes > LARGE_ITEM_BYTES;

interface CheckpointedRun {
  readonly row: RunRow;
  readonly timeoutAtMs: number;
  readonly steps: Map<string, Step>;
  readonly memory: RunMemory;
  /** Describes the approval of a node that waits for a decision. */
  readonly toApproval: (step: Step) => NewApproval | undefined;
}

/**
 * Writes checkpoints. Aborts `stop` with 'lost' if another worker has the lease or the database stays unreachable, and
 * with 'broken' if the database rejects the data.
 */
export class Checkpoints {
  /** The newest step of every node that has started. */
  readonly steps: Map<string, Step>;
  readonly #deps: RunDeps;
  readonly #timeoutAtMs: number;
  readonly #toApproval: CheckpointedRun['toApproval'];
  readonly #stop: AbortController;
  readonly #memory: RunMemory;
  /** Item results that are already stored. */
  readonly #storedItems = new WeakSet<Values>();
  /** The row as it was last written. */
  #row: RunRow;
  #pending = new Map<string, Step>();
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(deps: RunDeps, run: CheckpointedRun, stop: AbortController) {
    this.#deps = deps;
    const { row, timeoutAtMs, steps, memory, toApproval } = run;
    this.#row = row;
    this.#timeoutAtMs = timeoutAtMs;
    this.#toApproval = toApproval;
    this.steps = steps;
    this.#stop = stop;
    this.#memory = memory;
    for (const step of steps.values()) this.#markStored(step);
  }

  add(step: Step): void {
    if (this.#isStopped) return;
    // After a release, only records of provider tasks are still written, because they may have cost credits.
    if (this.#stop.signal.reason === 'released' && step.jobs === undefined) return;
    this.steps.set(step.nodeId, step);
    // Re-inserted, so that steps are written in the order in which they occurred.
    this.#pending.delete(step.nodeId);
    this.#pending.set(step.nodeId, step);
    this.#timer ??= setTimeout(() => this.#flush(), COLLECT_MS);
  }

  /** Resolves once the added steps are stored. Rejects if the run belongs to another worker or cannot be stored. */
  async whenSaved(): Promise<void> {
    this.#clearTimer();
    this.#flush();
    await this.#writing;
    if (this.#isStopped) throw new Error('This worker can no longer store the steps of the run.');
  }

  /** Writes the remaining steps together with the release of the lease. Rejects if they could not be written. */
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

  #stopRun(reason: 'lost' | 'broken'): void {
    this.#isStopped = true;
    this.#stop.abort(reason);
  }

  #takePending(): readonly Step[] {
    this.#clearTimer();
    const pending = [...this.#pending.values()];
    this.#pending = new Map();
    return pending;
  }

  /**
   * Replaces item results that are already stored with `true` (see mergeSteps in stored-run.ts). While the node
   * runs, also replaces large free results, which a worker that takes over computes again.
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

  #markStored({ items = [] }: Step): void {
    for (const item of items) if (typeof item === 'object' && item !== null) this.#storedItems.add(item);
  }

  #flush(): void {
    this.#writing = this.#writing
      .then(async () => {
        if (this.#pending.size > 0) await this.#write({ kind: 'checkpoint' });
      })
      .catch((err: unknown) => {
        this.#deps.log.error({ err, executionId: this.#row.id }, 'a checkpoint could not be written');
        this.#stopRun(isOutage(err) ? 'lost' : 'broken');
      });
  }

  async #write(release: LeaseRelease | { readonly kind: 'checkpoint' }): Promise<void> {
    const { id, lease } = this.#row;
    const steps = this.#takePending().map(step => this.#toStored(step));
    const approvals = steps.flatMap(step => this.#toApproval(step) ?? []);
    const nodesDone = countSettled(this.steps);
    const report = { lease, steps, nodesDone, timeoutAtMs: this.#timeoutAtMs, approvals };
    const event = { ...release, ...report } as LifecycleEvent;
    const row = await retryOutages(
      // If the first attempt reached PostgreSQL, the retry finds the run released or writes the same steps again.
      () => this.#deps.commit.write(this.#row, event, this.#memory.outputBytes),
      err =>
        this.#deps.log.warn({ err, executionId: id }, 'a checkpoint could not be written; it is tried again'),
    );
    if (row === undefined) return this.#stopRun('lost');
    for (const step of steps) this.#markStored(step);
    this.#row = row;
    this.#deps.changeHub.notify(id);
  }
}

function countSettled(steps: ReadonlyMap<string, Step>): number {
  let count = 0;
  for (const { status } of steps.values()) if (isSettled(status)) count++;
  return count;
}
