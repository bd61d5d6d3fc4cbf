// Applies backpressure to a codec with callbacks: the caller waits while too much is in progress, and receives
// failures.

// A codec may hold back frames until it receives more; after this wait the next one is sent.
const STALL_MS = 100;

/** Tracks a single codec, or several that work together. */
export class Backpressure {
  #failure: Error | undefined;
  #wake: () => void = () => undefined;

  fail(err: Error): void {
    // The codec's message may contain freed memory, so only the failing call is reported.
    this.#failure ??= new Error('The codec reported an error.', { cause: err });
    this.#wake();
  }

  /** Records that an output has arrived. */
  progress(): void {
    this.#wake();
  }

  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves when fewer than `limit` are in progress; rejects if the codec failed. */
  async untilBelow(limit: number, inProgress: () => number): Promise<void> {
    this.check();
    while (inProgress() >= limit) {
      await this.#nextOutput();
      this.check();
    }
  }

  /** Waits like `untilBelow`, but no longer if there is no output for a while. */
  async untilBelowOrStalled(limit: number, inProgress: () => number): Promise<void> {
    this.check();
    while (inProgress() >= limit) {
      const before = inProgress();
      await this.#nextOutput();
      this.check();
      if (inProgress() === before) return;
    }
  }

  #nextOutput(): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, STALL_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
