// Applies backpressure to codecs with callbacks: the caller waits while too much is in progress, and receives errors.

// A codec may hold back frames until it receives more, so the next frame is sent after this time.
const STALL_MS = 100;

/** Tracks one codec, or several that work together. */
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

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves when fewer than `limit` are in progress. Rejects if the codec failed. */
  async untilBelow(limit: number, countInProgress: () => number): Promise<void> {
    this.throwIfFailed();
    while (countInProgress() >= limit) {
      await this.#nextOutput();
      this.throwIfFailed();
    }
  }

  /** Like `untilBelow`, but also resolves if there is no output for a while. */
  async untilBelowOrStalled(limit: number, countInProgress: () => number): Promise<void> {
    this.throwIfFailed();
    while (countInProgress() >= limit) {
      const before = countInProgress();
      await this.#nextOutput();
      this.throwIfFailed();
      if (countInProgress() === before) return;
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
