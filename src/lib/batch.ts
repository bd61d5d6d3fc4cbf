// Group commit: items that arrive during a flush share the next one, so that one transaction serves many callers while
// an idle service still answers at once.

export interface BatchOptions {
  /** Maximum number of items in a flush. */
  readonly maxItems: number;
  /** Maximum number of concurrent flushes. */
  readonly concurrency: number;
  /**
   * Whether an error means that the flush did nothing and one bad item may have caused it; then each item is retried
   * alone.
   */
  readonly isItemFault?: (err: unknown) => boolean;
}

interface Pending<I, R> {
  readonly item: I;
  readonly resolve: (result: R) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Returns a function that adds its item to a flush and resolves to that item's result. `flush` returns one result per
 * item, in order. If it throws or returns a different number, every item of the flush is rejected, unless one item
 * caused it.
 */
export function createBatcher<I, R>(
  flush: (items: readonly I[]) => Promise<readonly R[]>,
  { maxItems, concurrency, isItemFault }: BatchOptions,
): (item: I) => Promise<R> {
  let waiting: Pending<I, R>[] = [];
  let active = 0;
  let scheduled = false;

  const pump = async (): Promise<void> => {
    scheduled = false;
    if (active >= concurrency || waiting.length === 0) return;
    const batch = waiting.slice(0, maxItems);
    waiting = waiting.slice(maxItems);
    active++;
    if (waiting.length > 0) schedule();
    try {
      await settle(batch);
    } finally {
      active--;
      if (waiting.length > 0) schedule();
    }
  };
  const settle = async (batch: readonly Pending<I, R>[]): Promise<void> => {
    try {
      const results = await flush(batch.map(pending => pending.item));
      if (results.length !== batch.length)
        throw new Error(`A flush of ${batch.length} items gave ${results.length} results.`);
      for (const [index, pending] of batch.entries()) pending.resolve(results[index] as R);
    } catch (err) {
      if (batch.length > 1 && isItemFault?.(err) === true) {
        for (const pending of batch) await settle([pending]);
      } else for (const pending of batch) pending.reject(err);
    }
  };
  // setImmediate rather than a microtask, so that everything read from sockets in one turn of the event loop goes
  // together.
  const schedule = (): void => {
    if (scheduled || active >= concurrency) return;
    scheduled = true;
    setImmediate(() => void pump());
  };
  return item =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}
