// Limits the memory that all runs of this process use. At the limit, no run is claimed and no node starts. A workspace may
// use at most as much memory as it leaves free for the other workspaces.
import { getHeapStatistics } from 'node:v8';
import { MAX_RUN_BYTES, measureAtLeast, measureSize, type Size } from '../../engine/output-size.ts';
import type { RunBudget } from '../../engine/types.ts';
import type { Values } from '../../graph/types.ts';

/** Returns the limit in bytes. Default: a quarter of the heap. */
export function getMemoryLimit(megabytes: number | undefined): number {
  return megabytes === undefined ? getHeapStatistics().heap_size_limit / 4 : megabytes * 1024 * 1024;
}

/** A workspace still counts for this long after its last run, because there are pauses between short runs. */
const SHARED_MS = 1000;

interface WorkspaceUsage {
  usedBytes: number;
  /** The runs of the workspace, oldest first. */
  readonly runs: Set<RunMemory>;
}

/** Memory that several runs use, and that counts once. */
interface SharedMemory {
  readonly bytes: number;
  readonly workspaceUsage: WorkspaceUsage;
  runCount: number;
}

export class RunMemoryPool {
  readonly #limit: number;
  readonly #shared = new Map<object, SharedMemory>();
  #usedBytes = 0;
  /** All runs, oldest first. */
  readonly #runs = new Set<RunMemory>();
  readonly #workspaces = new Map<string, WorkspaceUsage>();
  readonly #listeners = new Set<() => void>();
  #sharedAtMs = Number.NEGATIVE_INFINITY;
  /** Whether any caller waits for memory. */
  #hasWaiters = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the approximate memory of all runs, in bytes. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Returns whether no further run may be claimed. If it returns true, subscribers are notified when memory is freed. */
  isFull(): boolean {
    const isFull = this.#usedBytes >= this.#limit;
    this.#hasWaiters ||= isFull;
    return isFull;
  }

  /** Whether several workspaces have runs in this process, or had runs within the last second. */
  readonly isShared = (): boolean =>
    this.#workspaces.size > 1 || performance.now() - this.#sharedAtMs < SHARED_MS;

  /** Starts tracking a run. `onExceeded` is called when the run records more than a run may. */
  track(workspace: string, onExceeded: () => void): RunMemory {
    const workspaceUsage = this.#workspaces.get(workspace) ?? { usedBytes: 0, runs: new Set() };
    this.#workspaces.set(workspace, workspaceUsage);
    if (this.#workspaces.size > 1) this.#sharedAtMs = performance.now();
    const run = new RunMemory(onExceeded, {
      reserve: bytes => this.#reserve(workspaceUsage, bytes),
      share: (object, bytes) => this.#share(workspaceUsage, object, bytes),
      canStart: () => this.#canStart(workspaceUsage, run),
      subscribe: this.subscribe,
      close: () => {
        this.#runs.delete(run);
        workspaceUsage.runs.delete(run);
        if (workspaceUsage.runs.size === 0) this.#workspaces.delete(workspace);
        this.#notify();
      },
    });
    workspaceUsage.runs.add(run);
    this.#runs.add(run);
    return run;
  }

  /** Calls back when memory was freed. Returns an unsubscribe function. */
  readonly subscribe = (onFreed: () => void): (() => void) => {
    this.#listeners.add(onFreed);
    return () => this.#listeners.delete(onFreed);
  };

  #reserve(workspaceUsage: WorkspaceUsage, bytes: number): void {
    workspaceUsage.usedBytes += bytes;
    this.#usedBytes += bytes;
    if (bytes < 0) this.#notify();
  }

  /** Counts the object for its first run. Returns a function to call when the run no longer uses the object. */
  #share(workspaceUsage: WorkspaceUsage, object: object, bytes: number): () => void {
    const known = this.#shared.get(object);
    const shared = known ?? { bytes, workspaceUsage, runCount: 0 };
    if (known === undefined) {
      this.#shared.set(object, shared);
      this.#reserve(workspaceUsage, bytes);
    }
    shared.runCount++;
    return () => {
      shared.runCount--;
      if (shared.runCount > 0) return;
      this.#shared.delete(object);
      this.#reserve(shared.workspaceUsage, -shared.bytes);
    };
  }

  // The oldest run always continues, and the oldest run of a workspace continues while any memory is left. Each of them
  // eventually ends or frees memory, so no run waits forever.
  #canStart(workspaceUsage: WorkspaceUsage, run: RunMemory): boolean {
    const freeBytes = this.#limit - this.#usedBytes;
    if (
      workspaceUsage.usedBytes < freeBytes ||
      isOldest(freeBytes > 0 ? workspaceUsage.runs : this.#runs, run)
    )
      return true;
    this.#hasWaiters = true;
    return false;
  }

  #notify(): void {
    if (!this.#hasWaiters) return;
    this.#hasWaiters = false;
    for (const listener of this.#listeners) listener();
  }
}

const isOldest = (runs: ReadonlySet<RunMemory>, run: RunMemory): boolean =>
  runs.values().next().value === run;

interface PoolShare {
  reserve(bytes: number): void;
  share(object: object, bytes: number): () => void;
  canStart(): boolean;
  subscribe(onFreed: () => void): () => void;
  close(): void;
}

/** The outputs and memory of one run of this process. */
export class RunMemory implements RunBudget {
  readonly #onExceeded: () => void;
  readonly #share: PoolShare;
  readonly #releases: (() => void)[] = [];
  #usedBytes = 0;
  #outputBytes = 0;
  #exceededBy: string | undefined;

  constructor(onExceeded: () => void, share: PoolShare) {
    this.#onExceeded = onExceeded;
    this.#share = share;
  }

  /** Returns the size of the run's outputs as JSON. */
  get outputBytes(): number {
    return this.#outputBytes;
  }

  get exceededBy(): string | undefined {
    return this.#exceededBy;
  }

  record(nodeId: string, outputs: Values): boolean {
    return this.recordSize(nodeId, measureSize(outputs, MAX_RUN_BYTES - this.#outputBytes));
  }

  recordMinimum(nodeId: string, outputs: Values): boolean {
    return this.recordSize(nodeId, measureAtLeast(outputs, MAX_RUN_BYTES - this.#outputBytes));
  }

  recordRest(nodeId: string, outputs: Values): boolean {
    const { bytes } = measureAtLeast(outputs, MAX_RUN_BYTES);
    const fullSize = measureSize(outputs, MAX_RUN_BYTES - this.#outputBytes + bytes);
    return this.#addBytes(nodeId, fullSize.bytes - bytes);
  }

  /** Counts outputs of a known size. */
  recordSize(nodeId: string, { bytes, memoryBytes }: Size): boolean {
    if (this.#exceededBy !== undefined || !this.#addBytes(nodeId, bytes)) return false;
    this.reserve(memoryBytes);
    return true;
  }

  #addBytes(nodeId: string, bytes: number): boolean {
    if (this.#outputBytes + bytes <= MAX_RUN_BYTES) {
      this.#outputBytes += bytes;
      return true;
    }
    this.#exceededBy ??= nodeId;
    this.#onExceeded();
    return false;
  }

  /** Reserves memory; a negative number frees it. */
  reserve(bytes: number): void {
    this.#usedBytes += bytes;
    this.#share.reserve(bytes);
  }

  /** Reserves the memory of an object that other runs may use too, such as a graph. It counts once. */
  share(object: object, bytes: number): void {
    this.#releases.push(this.#share.share(object, bytes));
  }

  canStart(): boolean {
    return this.#share.canStart();
  }

  subscribe(onFreed: () => void): () => void {
    return this.#share.subscribe(onFreed);
  }

  /** Resolves once the run may use more memory, or the signal fires. */
  async waitForMemory(signal: AbortSignal): Promise<void> {
    while (!this.canStart() && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const unsubscribe = this.subscribe(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      unsubscribe();
    }
  }

  /** Frees the run's memory when the run leaves this process. */
  close(): void {
    this.reserve(-this.#usedBytes);
    for (const release of this.#releases) release();
    this.#share.close();
  }
}
