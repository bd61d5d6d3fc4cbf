// The runs that a worker has in hand, and its places for them.
import type { Occupant } from './policy.ts';
import { listCrowded, mayBeginHere } from './policy.ts';

/**
 * Why a run was stopped from outside. `released` and `lost` end nothing: another worker goes on. `broken`: what it
 * has done cannot be stored.
 */
export type StopReason = 'cancelled' | 'timeout' | 'broken' | 'released' | 'lost';

export interface RunInHand {
  readonly stop: (reason: StopReason) => void;
  /** Resolves once this process has let go of it. */
  readonly ended: Promise<void>;
}

interface Place {
  /** undefined until the run is known. */
  occupant: Occupant | undefined;
}

export class Hand {
  /** The worker that this process is to the others. Another one after it was taken for dead. */
  workerId = '';
  #isOpen = false;
  readonly capacity: number;
  /** By execution id. */
  readonly runs = new Map<string, RunInHand>();
  readonly #places = new Set<Place>();
  readonly #waiting = new Set<() => void>();
  readonly #now: () => number;

  constructor(capacity: number, now: () => number) {
    this.capacity = capacity;
    this.#now = now;
  }

  /** From now on it takes runs, as that worker. */
  open(workerId: string): void {
    this.workerId = workerId;
    this.#isOpen = true;
  }

  /** A place for a run that is being accepted; undefined where it had better be queued. */
  reserve(workspace: string): (() => void) | undefined {
    if (!this.#isOpen || !mayBeginHere(this.capacity, this.#occupants(), workspace)) return undefined;
    return this.#take({ occupant: { workspace, sinceMs: this.#now() } }).free;
  }

  /** Resolves once there is a place for a run out of the queue; to undefined once this worker takes no more. */
  async enter(): Promise<TakenPlace | undefined> {
    while (this.#places.size >= this.capacity && this.#isOpen)
      await new Promise<void>(resolve => this.#waiting.add(resolve));
    return this.#isOpen ? this.#take({ occupant: undefined }) : undefined;
  }

  /** Workspaces that get no more places for now. */
  crowded(): readonly string[] {
    return listCrowded(this.capacity, this.#occupants(), this.#now());
  }

  /** Takes no more runs; those in hand go on. */
  shut(): void {
    this.#isOpen = false;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Registers a run before it is claimed, so that whoever asks for it finds it here. */
  hold(id: string): { readonly stop: AbortController; letGo(): void } {
    const stop = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.runs.set(id, { stop: reason => stop.abort(reason), ended });
    return {
      stop,
      letGo: () => {
        this.runs.delete(id);
        resolve();
      },
    };
  }

  #occupants(): readonly Occupant[] {
    return [...this.#places].flatMap(({ occupant }) => (occupant === undefined ? [] : [occupant]));
  }

  #take(place: Place): TakenPlace {
    this.#places.add(place);
    return {
      occupy: workspace => {
        place.occupant = { workspace, sinceMs: this.#now() };
      },
      free: () => {
        this.#places.delete(place);
        const [next] = this.#waiting;
        if (next === undefined) return;
        this.#waiting.delete(next);
        next();
      },
    };
  }
}

export interface TakenPlace {
  /** Says whose run it is, once it is claimed. */
  occupy(workspace: string): void;
  free(): void;
}
