// The runs that a worker has in hand, and its places for them.
import type { Occupant } from './policy.ts';
import { LONG_MS, listCrowded, mayBeginHere, queueShare } from './policy.ts';

/**
 * Why a run was stopped from outside. `released` and `lost` end nothing: another worker goes on. `broken`: what it
 * has done cannot be stored.
 */
export type StopReason = 'cancelled' | 'timeout' | 'broken' | 'released' | 'lost';

/** Notifies an active run that calls of it have ended. */
export class Wakes {
  #listener: (() => void) | undefined;
  #isMissed = false;

  /** One listener; it hears at once of a wake that nobody heard. */
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

/** What a run in hand is reached by. */
export interface InHand {
  readonly stop: AbortController;
  readonly wakes: Wakes;
}

export interface RunInHand {
  readonly stop: (reason: StopReason) => void;
  readonly wake: () => void;
  /** Resolves once this process has let go of it. */
  readonly ended: Promise<void>;
}

interface Place {
  /** undefined until the run is known. */
  occupant: Occupant | undefined;
  /** Whether it is one of those for runs that have just come by the queue. */
  isFresh: boolean;
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
    if (!this.#isOpen || !this.#hasRoom() || !mayBeginHere(this.capacity, this.#occupants(), workspace))
      return undefined;
    return this.#take({ occupant: { workspace, sinceMs: this.#now() }, isFresh: false }).free;
  }

  /** Resolves once there is a place for a run out of the queue; to undefined once this worker takes no more. */
  async enter(): Promise<TakenPlace | undefined> {
    while (this.#isOpen && this.#count({ isFresh: true }) >= queueShare(this.capacity))
      await new Promise<void>(resolve => this.#waiting.add(resolve));
    return this.#isOpen ? this.#take({ occupant: undefined, isFresh: true }) : undefined;
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
  hold(id: string): { readonly inHand: InHand; letGo(): void } {
    const stop = new AbortController();
    const wakes = new Wakes();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.runs.set(id, { stop: reason => stop.abort(reason), wake: () => wakes.wake(), ended });
    return {
      inHand: { stop, wakes },
      letGo: () => {
        this.runs.delete(id);
        resolve();
      },
    };
  }

  #occupants(): readonly Occupant[] {
    return [...this.#places].flatMap(({ occupant }) => (occupant === undefined ? [] : [occupant]));
  }

  #count({ isFresh }: Pick<Place, 'isFresh'>): number {
    let count = 0;
    for (const place of this.#places) if (place.isFresh === isFresh) count++;
    return count;
  }

  /** Beside the places for runs that have just come by the queue. */
  #hasRoom(): boolean {
    return this.#count({ isFresh: false }) < this.capacity - queueShare(this.capacity);
  }

  #take(place: Place): TakenPlace {
    this.#places.add(place);
    let timer: NodeJS.Timeout | undefined;
    // A run that is long leaves its place to the next as soon as there is another for it.
    const moveOn = (): void => {
      if (!this.#hasRoom()) return;
      clearInterval(timer);
      place.isFresh = false;
      this.#wakeNext();
    };
    return {
      occupy: workspace => {
        place.occupant = { workspace, sinceMs: this.#now() };
        timer = setInterval(moveOn, LONG_MS);
      },
      free: () => {
        clearInterval(timer);
        this.#places.delete(place);
        this.#wakeNext();
      },
    };
  }

  #wakeNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next();
  }
}

export interface TakenPlace {
  /** Says whose run it is, once it is claimed. */
  occupy(workspace: string): void;
  free(): void;
}
