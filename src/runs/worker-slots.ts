// The active runs of a worker, and its slots for them.
import { memoryLimit, RunMemoryPool } from './memory.ts';
import { LONG_MS, listSaturated, mayStartHere, type Occupant, queueShare } from './policy.ts';

/**
 * Why a run was stopped from outside. `released` and `lost` end nothing: another worker goes on. `broken`: what it
 * has done cannot be stored.
 */
export type StopReason = 'cancelled' | 'timeout' | 'broken' | 'released' | 'lost';

/** Notifies an active run that calls of it have ended. */
export class Wakes {
  #listener: (() => void) | undefined;
  #isMissed = false;

  /** One listener; it is called at once for a wake that came before it. */
  listen(listener: (() => void) | undefined): void {
    this.#listener = listener;
    if (listener === undefined || !this.#isMissed) return;
    this.#isMissed = false;
    listener();
  }

  wake(): void {
    if (this.#listener === undefined) this.#isMissed = true;
    else this.#listener();
  }
}

/** What an active run is reached by. */
export interface RunControl {
  readonly stop: AbortController;
  readonly wakes: Wakes;
  readonly memory: RunMemoryPool;
}

export interface ActiveRun {
  readonly stop: (reason: StopReason) => void;
  readonly wake: () => void;
  /** Resolves once this process has released it. */
  readonly ended: Promise<void>;
}

interface Slot {
  /** undefined until the run is known. */
  occupant: Occupant | undefined;
  /** Whether it is one of those for runs that have just come by the queue. */
  isQueued: boolean;
}

const MAX_FAILURES = 3;
const MAX_TRACKED_FAILURES = 1000;

export class WorkerSlots {
  /** The worker that this process is to the others. Another one after it was taken for dead. */
  workerId = '';
  #isOpen = false;
  readonly capacity: number;
  /** By execution id. */
  readonly runs = new Map<string, ActiveRun>();
  readonly #slots = new Set<Slot>();
  readonly #waiting = new Set<() => void>();
  /** Failures of runs that could not be read or written, by execution id; the last ones. */
  readonly #failures = new Map<string, number>();
  readonly #memory: RunMemoryPool;
  readonly #now: () => number;

  constructor(capacity: number, now: () => number, memory = new RunMemoryPool(memoryLimit(undefined))) {
    this.capacity = capacity;
    this.#memory = memory;
    this.#now = now;
    memory.subscribe(() => this.#wakeAll());
  }

  /** Counts one more failure of a run; true once it need not be tried again. */
  hasFailedTooOften(id: string): boolean {
    const count = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.delete(id);
    if (count >= MAX_FAILURES) return true;
    this.#failures.set(id, count);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_TRACKED_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
    return false;
  }

  /** From now on it takes runs, as that worker. */
  open(workerId: string): void {
    this.workerId = workerId;
    this.#isOpen = true;
  }

  /** A slot for a run that is being accepted; undefined where it had better be queued. */
  reserve(workspace: string): (() => void) | undefined {
    if (!this.#isOpen || this.#memory.isFull() || !this.#hasFreeSlot()) return undefined;
    if (!mayStartHere(this.capacity, this.#occupants(), workspace)) return undefined;
    return this.#claim({ occupant: { workspace, sinceMs: this.#now() }, isQueued: false }).release;
  }

  /** Resolves once there is a slot for a run out of the queue; to undefined once this worker takes no more. */
  async waitForSlot(): Promise<ClaimedSlot | undefined> {
    while (
      this.#isOpen &&
      (this.#count({ isQueued: true }) >= queueShare(this.capacity) || this.#memory.isFull())
    )
      await new Promise<void>(resolve => this.#waiting.add(resolve));
    return this.#isOpen ? this.#claim({ occupant: undefined, isQueued: true }) : undefined;
  }

  /** Workspaces that get no more slots for now. */
  saturated(): readonly string[] {
    return listSaturated(this.capacity, this.#occupants(), this.#now());
  }

  /** Claims no more runs; the active ones go on. */
  close(): void {
    this.#isOpen = false;
    this.#wakeAll();
  }

  /** Registers a run before it is claimed, so that whoever asks for it finds it here. */
  register(id: string): { readonly control: RunControl; release(): void } {
    const stop = new AbortController();
    const wakes = new Wakes();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.runs.set(id, { stop: reason => stop.abort(reason), wake: () => wakes.wake(), ended });
    return {
      control: { stop, wakes, memory: this.#memory },
      release: () => {
        this.runs.delete(id);
        resolve();
      },
    };
  }

  #occupants(): readonly Occupant[] {
    return [...this.#slots].flatMap(({ occupant }) => (occupant === undefined ? [] : [occupant]));
  }

  #count({ isQueued }: Pick<Slot, 'isQueued'>): number {
    let count = 0;
    for (const slot of this.#slots) if (slot.isQueued === isQueued) count++;
    return count;
  }

  /** The slots for runs that have just come by the queue not counted. */
  #hasFreeSlot(): boolean {
    return this.#count({ isQueued: false }) < this.capacity - queueShare(this.capacity);
  }

  #claim(slot: Slot): ClaimedSlot {
    this.#slots.add(slot);
    let timer: NodeJS.Timeout | undefined;
    // A long run releases its slot to the next as soon as there is another for it.
    const promote = (): void => {
      if (!this.#hasFreeSlot()) return;
      clearInterval(timer);
      slot.isQueued = false;
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
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #wakeNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next();
  }
}

export interface ClaimedSlot {
  /** Says whose run it is, once it is claimed. */
  assign(workspace: string): void;
  release(): void;
}
