// A database that is waited for: work of a run must not fail because PostgreSQL is restarted under it.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, isOutage } from './db.ts';

// A database that restarts is back by then; if not, others have taken the run over.
const RETRY_DELAYS_MS = [100, 200, 400, 800, 1600, 3200, 6400, 12_800] as const;

/** Does the work again as long as the database cannot be reached, for half a minute at most. The work may be done twice. */
export async function outlast<T>(work: () => Promise<T>, onOutage: (err: unknown) => void): Promise<T> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await work();
    } catch (err) {
      if (!isOutage(err)) throw err;
      onOutage(err);
      await sleep(delayMs);
    }
  }
  return work();
}

/**
 * The database for statements that say the same when they are made twice. A transaction's work must throw nothing of its
 * own but AppError, or that is taken for an outage.
 */
export function retryingDb(db: Db, onOutage: (err: unknown) => void): Db {
  return {
    ...db,
    query: (statement, values) => outlast(() => db.query(statement, values), onOutage),
    transaction: work => outlast(() => db.transaction(work), onOutage),
  };
}
