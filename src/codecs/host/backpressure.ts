// Backpressure for a codec that answers by callbacks: its caller waits while too much is in progress, and learns of failures.

// A codec may keep frames back until it gets more; then the next one is fed after this wait.
const STALL_MS = 100;

/** Of one codec, or of several that work together. */
export class Backpressure {
  #failure: Error | undefined;
  #wake: () => void = () => undefined;

  fail(err: Error): void {
    // The codec's own words may be bytes of freed memory: the place where it failed is enough.
    this.#failure ??= new Error('The codec reported an error.', { cause: err });
    this.#wake();
  }

  /** An output has arrived. */
  progress(): void {
    this.#wake();
  }

  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves when fewer than `limit` are under way; rejects where the codec failed. */
  async untilBelow(limit: number, underWay: () => number): Promise<void> {
    this.check();
    while (underWay() >= limit) {
      await this.#next();
      this.check();
    }
  }

  /** As `untilBelow`, but gives up when nothing has come out for a while. */
  async untilBelowOrStalled(limit: number, underWay: () => number): Promise<void> {
    this.check();
    while (underWay() >= limit) {
      const before = underWay();
      await this.#next();
      this.check();
      if (underWay() === before) return;
    }
  }

  #next(): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, STALL_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
