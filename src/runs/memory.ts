// The memory that the runs of this process hold together: past its limit no run is claimed and no node is started. A
// workspace that holds as much as is left starts no more, so that one account leaves memory to the others.
import { getHeapStatistics } from 'node:v8';
import { MAX_RUN_BYTES, OutputMeter, type Size, sizeOf } from '../engine/budget.ts';
import type { RunBudget } from '../engine/types.ts';
import type { Values } from '../graph/types.ts';

/** The limit where none is set: a quarter of the heap. */
export function memoryLimit(megabytes: number | undefined): number {
  return megabytes === undefined ? getHeapStatistics().heap_size_limit / 4 : megabytes * 1024 * 1024;
}

interface Share {
  held: number;
  /** In the order in which they began. */
  readonly runs: Set<HeldRun>;
}

export class RunsMemory {
  readonly #limit: number;
  #held = 0;
  /** In the order in which they began. */
  readonly #runs = new Set<HeldRun>();
  readonly #shares = new Map<string, Share>();
  readonly #listeners = new Set<() => void>();
  /** Whether anything waits for memory. */
  #isAwaited = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that all runs hold, about. */
  get held(): number {
    return this.#held;
  }

  /** Whether no further run is to be claimed. Those who ask are called back where it is. */
  isFull(): boolean {
    const isFull = this.#held >= this.#limit;
    this.#isAwaited ||= isFull;
    return isFull;
  }

  /** Begins to count a run. `onExceeded` is called once it records more than a run may. */
  open(workspace: string, onExceeded: () => void): HeldRun {
    const share = this.#shares.get(workspace) ?? { held: 0, runs: new Set() };
    this.#shares.set(workspace, share);
    const run = new HeldRun(onExceeded, {
      hold: bytes => {
        share.held += bytes;
        this.#held += bytes;
        if (bytes < 0) this.#notify();
      },
      hasRoom: () => this.#hasRoom(share, run),
      subscribe: this.subscribe,
      close: () => {
        this.#runs.delete(run);
        share.runs.delete(run);
        if (share.runs.size === 0) this.#shares.delete(workspace);
        this.#notify();
      },
    });
    share.runs.add(run);
    this.#runs.add(run);
    return run;
  }

  /** Calls back when memory was freed; returns an unsubscribe function. */
  readonly subscribe = (onFreed: () => void): (() => void) => {
    this.#listeners.add(onFreed);
    return () => this.#listeners.delete(onFreed);
  };

  // The oldest run always goes on, and the oldest of a workspace while there is memory at all: each of them ends or
  // leaves memory some time, so that none waits for ever.
  #hasRoom(share: Share, run: HeldRun): boolean {
    const left = this.#limit - this.#held;
    if (share.held < left || isFirst(left > 0 ? share.runs : this.#runs, run)) return true;
    this.#isAwaited = true;
    return false;
  }

  #notify(): void {
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    for (const listener of this.#listeners) listener();
  }
}

const isFirst = (runs: ReadonlySet<HeldRun>, run: HeldRun): boolean => runs.values().next().value === run;

interface Account {
  hold(bytes: number): void;
  hasRoom(): boolean;
  subscribe(onRoom: () => void): () => void;
  close(): void;
}

/** One run of this process: what it records and what it holds. */
export class HeldRun implements RunBudget {
  readonly #meter = new OutputMeter();
  readonly #onExceeded: () => void;
  readonly #account: Account;
  #held = 0;

  constructor(onExceeded: () => void, account: Account) {
    this.#onExceeded = onExceeded;
    this.#account = account;
  }

  /** Bytes of its outputs as JSON. */
  get bytes(): number {
    return this.#meter.size.bytes;
  }

  get exceededBy(): string | undefined {
    return this.#meter.exceededBy;
  }

  take(nodeId: string, outputs: Values): boolean {
    return this.count(nodeId, sizeOf(outputs, MAX_RUN_BYTES));
  }

  /** Counts what the run records. */
  count(nodeId: string, size: Size): boolean {
    if (this.#meter.exceededBy !== undefined) return false;
    if (this.#meter.add(nodeId, size)) {
      this.hold(size.held);
      return true;
    }
    this.#onExceeded();
    return false;
  }

  /** Counts memory; negative: that it was let go. */
  hold(bytes: number): void {
    this.#held += bytes;
    this.#account.hold(bytes);
  }

  hasRoom(): boolean {
    return this.#account.hasRoom();
  }

  subscribe(onRoom: () => void): () => void {
    return this.#account.subscribe(onRoom);
  }

  /** Resolves once there is memory for more of the run, or the signal fires. */
  async room(signal: AbortSignal): Promise<void> {
    while (!this.hasRoom() && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const unsubscribe = this.subscribe(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      unsubscribe();
    }
  }

  /** The run has left this process. */
  close(): void {
    this.hold(-this.#held);
    this.#account.close();
  }
}
