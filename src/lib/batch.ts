// Group commit: items that arrive while a flush is under way share the next one, so that one transaction
// serves many callers and an idle service still answers at once.

export interface BatchOptions {
  /** Items in one flush, at most. */
  readonly maxItems: number;
  /** Flushes under way at once. */
  readonly concurrency: number;
  /** Whether a flush that threw this did nothing and may have been spoilt by one item: each is then tried alone. */
  readonly isItemFault?: (err: unknown) => boolean;
}

interface Pending<I, R> {
  readonly item: I;
  readonly resolve: (result: R) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Returns a function that hands its item to `flush` together with others, and resolves to the item's own result.
 * `flush` returns one result an item, in order; where it throws or returns another number of results, every item of
 * that flush is rejected, unless it was one item's fault.
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
  // setImmediate, not a microtask: everything that one turn of the event loop read from its sockets goes together.
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
