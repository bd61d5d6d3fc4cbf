// Retries while the database is unreachable: a run must not fail because PostgreSQL is restarted.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, isOutage } from './db.ts';

// A restart is over by then; if not, other workers have claimed the run.
const RETRY_DELAYS_MS = [100, 200, 400, 800, 1600, 3200, 6400, 12_800] as const;

/** Repeats the work while the database cannot be reached, for at most half a minute. The work may be executed twice. */
export async function retryOutages<T>(work: () => Promise<T>, onOutage: (err: unknown) => void): Promise<T> {
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
 * Wraps a database for idempotent statements. A transaction's work must throw only AppError, or its error is mistaken
 * for an outage.
 */
export function retryingDb(db: Db, onOutage: (err: unknown) => void): Db {
  return {
    ...db,
    query: (statement, values) => retryOutages(() => db.query(statement, values), onOutage),
    transaction: work => retryOutages(() => db.transaction(work), onOutage),
  };
}
