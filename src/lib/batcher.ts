// Groups concurrent calls into batches. Items that arrive during a flush share the next flush. One transaction thus serves
// many callers, and an idle service still responds immediately.

export interface BatchOptions {
  /** Maximum number of items in a flush. */
  readonly maxItems: number;
  /** Maximum number of concurrent flushes. */
  readonly concurrency: number;
  /**
   * Returns whether an error means that the flush changed nothing, and that a single bad item may have caused the error.
   * Each item is then flushed alone.
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
 * item, in order. If `flush` throws or returns a different number of results, every item is rejected, unless
 * `isItemFault` allows the items to be flushed alone.
 */
export function createBatcher<I, R>(
  flush: (items: readonly I[]) => Promise<readonly R[]>,
  { maxItems, concurrency, isItemFault }: BatchOptions,
): (item: I) => Promise<R> {
  let pendingItems: Pending<I, R>[] = [];
  let activeFlushes = 0;
  let isScheduled = false;

  const flushNext = async (): Promise<void> => {
    isScheduled = false;
    if (activeFlushes >= concurrency || pendingItems.length === 0) return;
    const batch = pendingItems.slice(0, maxItems);
    pendingItems = pendingItems.slice(maxItems);
    activeFlushes++;
    if (pendingItems.length > 0) schedule();
    try {
      await settleBatch(batch);
    } finally {
      activeFlushes--;
      if (pendingItems.length > 0) schedule();
    }
  };
  const settleBatch = async (batch: readonly Pending<I, R>[]): Promise<void> => {
    try {
      const results = await flush(batch.map(pending => pending.item));
      if (results.length !== batch.length)
        throw new Error(`A flush of ${batch.length} items returned ${results.length} results.`);
      for (const [index, pending] of batch.entries()) pending.resolve(results[index] as R);
    } catch (err) {
      if (batch.length > 1 && isItemFault?.(err) === true) {
        for (const pending of batch) await settleBatch([pending]);
      } else for (const pending of batch) pending.reject(err);
    }
  };
  // setImmediate rather than a microtask, so that everything read from sockets in one turn of the event loop shares a
  // flush.
  const schedule = (): void => {
    if (isScheduled || activeFlushes >= concurrency) return;
    isScheduled = true;
    setImmediate(() => void flushNext());
  };
  return item =>
    new Promise<R>((resolve, reject) => {
      pendingItems.push({ item, resolve, reject });
      schedule();
    });
}
