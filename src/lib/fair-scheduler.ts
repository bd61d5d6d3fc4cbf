// Shares the event loop between long computations: at most one computation continues in each turn of the loop. Accounts
// alternate, and the oldest computation of an account continues first, because it holds memory until it ends.

/** While other accounts have work, the pause after a slice is this many times as long as the slice. */
const PAUSE_FACTOR = 4;
const MAX_PAUSE_MS = 1000;

interface Waiter {
  readonly account: string;
  readonly startedAt: number;
  readonly resume: () => void;
}

export class FairScheduler {
  readonly #hasOthers: (account: string) => boolean;
  /** The waiting computations by account. The account that continues next is first. */
  readonly #waiters = new Map<string, Set<Waiter>>();
  #isGranting = false;
  #number = 0;
  #isCounting = false;

  /** `hasOthers`: whether accounts besides this one have work in this process. */
  constructor(hasOthers: (account: string) => boolean) {
    this.#hasOthers = hasOthers;
  }

  /** Increases when the event loop turns. */
  get turnNumber(): number {
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
    return this.#waiters.has(account);
  }

  /** Resolves when the account's computation that started at this time may continue for a slice. */
  wait(account: string, startedAt: number): Promise<void> {
    return new Promise(resume => {
      const waiters = this.#waiters.get(account) ?? new Set();
      this.#waiters.set(account, waiters.add({ account, startedAt, resume }));
      if (this.#isGranting) return;
      this.#isGranting = true;
      setImmediate(this.#grant);
    });
  }

  readonly #grant = (): void => {
    const nextWaiter = this.#takeNext();
    if (nextWaiter === undefined) {
      this.#isGranting = false;
      return;
    }
    const startedMs = performance.now();
    nextWaiter.resume();
    // Called after the slice, because a slice is computed within one turn of the loop.
    setImmediate(() => {
      const pauseMs = Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedMs));
      if (this.#waiters.size > 0 && this.#hasOthers(nextWaiter.account)) setTimeout(this.#grant, pauseMs);
      else this.#grant();
    });
  };

  #takeNext(): Waiter | undefined {
    const [entry] = this.#waiters;
    if (entry === undefined) return undefined;
    const [account, waiters] = entry;
    let oldest: Waiter | undefined;
    for (const waiter of waiters)
      if (oldest === undefined || waiter.startedAt < oldest.startedAt) oldest = waiter;
    if (oldest !== undefined) waiters.delete(oldest);
    // The account moves to the end of the queue.
    this.#waiters.delete(account);
    if (waiters.size > 0) this.#waiters.set(account, waiters);
    return oldest;
  }
}
