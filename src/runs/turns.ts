// Shares the event loop between computations that take long: at most one of them continues in each turn of the loop.
// Accounts take turns, and the oldest computation of an account goes first, because it holds memory until it ends.

/**
 * While other accounts have work, a computation rests for this many times as long as it computed, so that their work is
 * done in between.
 */
const REST_SHARE = 4;
const MAX_REST_MS = 1000;

interface Waiter {
  readonly startedAt: number;
  readonly resume: () => void;
}

export class Turns {
  readonly #isShared: () => boolean;
  /** By account, the next one first. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #isGranting = false;
  #number = 0;
  #isCounting = false;

  /** `isShared`: whether several accounts have work in this process. */
  constructor(isShared: () => boolean) {
    this.#isShared = isShared;
  }

  /** Increases as the event loop turns: two different numbers are at least a turn apart. */
  get number(): number {
    if (!this.#isCounting) {
      this.#isCounting = true;
      setImmediate(() => {
        this.#isCounting = false;
        this.#number++;
      });
    }
    return this.#number;
  }

  /** Returns whether a computation of the account waits. */
  isContended(account: string): boolean {
    return this.#waiting.has(account);
  }

  /** Resolves when the account's computation that started at this time may continue for a slice. */
  wait(account: string, startedAt: number): Promise<void> {
    return new Promise(resume => {
      const waiting = this.#waiting.get(account) ?? new Set();
      this.#waiting.set(account, waiting.add({ startedAt, resume }));
      if (this.#isGranting) return;
      this.#isGranting = true;
      setImmediate(this.#grant);
    });
  }

  readonly #grant = (): void => {
    const next = this.#takeNext();
    if (next === undefined) {
      this.#isGranting = false;
      return;
    }
    const beganMs = performance.now();
    next.resume();
    // Called when the slice is over, because a slice is computed without a turn of the loop.
    setImmediate(() => {
      const restMs = Math.min(MAX_REST_MS, REST_SHARE * (performance.now() - beganMs));
      if (this.#waiting.size > 0 && this.#isShared()) setTimeout(this.#grant, restMs);
      else this.#grant();
    });
  };

  #takeNext(): Waiter | undefined {
    const [entry] = this.#waiting;
    if (entry === undefined) return undefined;
    const [account, waiting] = entry;
    let oldest: Waiter | undefined;
    for (const waiter of waiting)
      if (oldest === undefined || waiter.startedAt < oldest.startedAt) oldest = waiter;
    if (oldest !== undefined) waiting.delete(oldest);
    // The account goes to the end of the line.
    this.#waiting.delete(account);
    if (waiting.size > 0) this.#waiting.set(account, waiting);
    return oldest;
  }
}
