// Counts views by readers who cannot edit, and writes them in one statement every few seconds.
import { toError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { Db } from '../../store/db.ts';
import { addViews } from '../../store/workflows/writes.ts';

export interface ViewCounts {
  count(workflowId: string): void;
  /** Writes the pending counts. If that fails, they are written with the next flush. */
  flush(): Promise<void>;
}

const FLUSH_DELAY_MS = 5000;

export function createViewCounts({ db, log }: { readonly db: Db; readonly log: Logger }): ViewCounts {
  let counts = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (counts.size === 0) return;
    const pending = counts;
    counts = new Map();
    try {
      await addViews(db, pending);
    } catch (err) {
      log.warn({ err: toError(err) }, 'views could not be written');
      for (const [id, views] of pending) add(id, views);
    }
  };
  const add = (id: string, views: number): void => {
    counts.set(id, (counts.get(id) ?? 0) + views);
    // Does not keep the process alive; the shutdown flushes.
    timer ??= setTimeout(() => void flush(), FLUSH_DELAY_MS).unref();
  };
  return { count: id => add(id, 1), flush };
}
