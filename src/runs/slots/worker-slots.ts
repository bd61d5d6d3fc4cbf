// Tracks a worker's slots and its active runs.

import { FairScheduler } from '../../lib/fair-scheduler.ts';
import { getMemoryLimit, RunMemoryPool } from './memory.ts';
import { canStartLocally, countQueueSlots, LONG_MS, listSaturated, type Occupant } from './policy.ts';

/**
 * Why a run was stopped from outside. `released` and `lost`: another worker continues the run. `broken`: the run's
 * results cannot be stored.
 */
export type StopReason = 'cancelled' | 'timeout' | 'broken' | 'released' | 'lost';

/** Passes the wakes of an active run to one listener. A wake without a listener is kept until there is one. */
export class WakeMailbox {
  #listener: (() => void) | undefined;
  #isPending = false;

  /** Sets the only listener, and calls it immediately if there was an earlier wake. */
  listen(listener: (() => void) | undefined): void {
    this.#listener = listener;
    if (listener === undefined || !this.#isPending) return;
    this.#isPending = false;
    listener();
  }

  wake(): void {
    if (this.#listener === undefined) this.#isPending = true;
    else this.#listener();
  }
}

/** The controls of an active run. */
export interface RunControl {
  readonly stop: AbortController;
  readonly wakeMailbox: WakeMailbox;
  readonly memory: RunMemoryPool;
  readonly turns: FairScheduler;
}

export interface ActiveRun {
  readonly stop: (reason: StopReason) => void;
  readonly wake: () => void;
  /** Resolves once this process has released the run. */
  readonly whenReleased: Promise<void>;
}

interface Slot {
  /** The run in the slot; undefined until a run is claimed. */
  occupant: Occupant | undefined;
  /** Whether the slot belongs to the share for runs that just arrived from the queue. */
  isReservedForQueued: boolean;
}

/** A run that cannot be read or written this many times ends. */
export const MAX_FAILURES = 3;
const MAX_TRACKED_FAILURES = 1000;

export class WorkerSlots {
  /** The id of this process's worker, which changes after the worker was declared dead. */
  workerId = '';
  #isOpen = false;
  readonly capacity: number;
  /** The active runs, by execution id. */
  readonly runs = new Map<string, ActiveRun>();
  readonly #slots = new Set<Slot>();
  readonly #waiters = new Set<() => void>();
  /** By execution id, how often a run could not be read or written. Only the most recent runs are kept. */
  readonly #failures = new Map<string, number>();
  readonly #memory: RunMemoryPool;
  readonly #turns: FairScheduler;
  readonly #now: () => number;

  constructor(capacity: number, now: () => number, memory = new RunMemoryPool(getMemoryLimit(undefined))) {
    this.capacity = capacity;
    this.#memory = memory;
    this.#turns = new FairScheduler(memory.isShared);
    this.#now = now;
    memory.subscribe(() => this.#wakeAll());
  }

  /** Records that the run could not be read or written. Returns how often that has happened. */
  countFailure(id: string): number {
    const count = (this.#failures.get(id) ?? 0) + 1;
    // Re-inserted, so that the map lists the most recent runs last.
    this.#failures.delete(id);
    this.#failures.set(id, count);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_TRACKED_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
    return count;
  }

  /** Starts accepting runs under this worker id. */
  open(workerId: string): void {
    this.workerId = workerId;
    this.#isOpen = true;
  }

  /** Reserves a slot for an accepted run. Returns undefined if the run should be queued. */
  reserve(workspace: string): (() => void) | undefined {
    if (!this.#isOpen || this.#memory.isFull() || !this.#hasFreeSlot()) return undefined;
    if (!canStartLocally(this.capacity, this.#occupants(), workspace)) return undefined;
    return this.#claim({ occupant: { workspace, sinceMs: this.#now() }, isReservedForQueued: false }).release;
  }

  /** Resolves once there is a slot for a queued run, or to undefined once this worker accepts no more. */
  async waitForSlot(): Promise<ClaimedSlot | undefined> {
    while (
      this.#isOpen &&
      (this.#count({ isReservedForQueued: true }) >= countQueueSlots(this.capacity) || this.#memory.isFull())
    )
      await new Promise<void>(resolve => this.#waiters.add(resolve));
    return this.#isOpen ? this.#claim({ occupant: undefined, isReservedForQueued: true }) : undefined;
  }

  /** Lists workspaces that get no more slots for now. */
  listSaturated(): readonly string[] {
    return listSaturated(this.capacity, this.#occupants(), this.#now());
  }

  /** Stops accepting runs. Active runs continue. */
  close(): void {
    this.#isOpen = false;
    this.#wakeAll();
  }

  /** Registers a run before it is claimed, so that cancels and wakes reach it from the start. */
  register(id: string): { readonly control: RunControl; release(): void } {
    const stop = new AbortController();
    const wakeMailbox = new WakeMailbox();
    const { promise: whenReleased, resolve } = Promise.withResolvers<void>();
    this.runs.set(id, { stop: reason => stop.abort(reason), wake: () => wakeMailbox.wake(), whenReleased });
    return {
      control: { stop, wakeMailbox, memory: this.#memory, turns: this.#turns },
      release: () => {
        this.runs.delete(id);
        resolve();
      },
    };
  }

  #occupants(): readonly Occupant[] {
    return [...this.#slots].flatMap(({ occupant }) => (occupant === undefined ? [] : [occupant]));
  }

  #count({ isReservedForQueued }: Pick<Slot, 'isReservedForQueued'>): number {
    let count = 0;
    for (const slot of this.#slots) if (slot.isReservedForQueued === isReservedForQueued) count++;
    return count;
  }

  /** Does not count the slots for runs that just arrived from the queue. */
  #hasFreeSlot(): boolean {
    return this.#count({ isReservedForQueued: false }) < this.capacity - countQueueSlots(this.capacity);
  }

  #claim(slot: Slot): ClaimedSlot {
    this.#slots.add(slot);
    let timer: NodeJS.Timeout | undefined;
    // A long run moves to a regular slot as soon as one is free.
    const promote = (): void => {
      if (!this.#hasFreeSlot()) return;
      clearInterval(timer);
      slot.isReservedForQueued = false;
      this.#wakeNext();
    };
    return {
      assign: workspace => {
        slot.occupant = { workspace, sinceMs: this.#now() };
        timer = setInterval(promote, LONG_MS);
      },
      release: () => {
        clearInterval(timer);
        this.#slots.delete(slot);
        this.#wakeNext();
      },
    };
  }

  #wakeAll(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }

  #wakeNext(): void {
    const [waiter] = this.#waiters;
    if (waiter === undefined) return;
    this.#waiters.delete(waiter);
    waiter();
  }
}

export interface ClaimedSlot {
  /** Assigns the slot to the run's workspace once the run is claimed. */
  assign(workspace: string): void;
  release(): void;
}
