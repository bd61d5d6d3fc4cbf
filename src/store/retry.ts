// Retries database work while PostgreSQL is unreachable, so that runs survive a restart of PostgreSQL.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, isOutage } from './db.ts';

// The sum of the delays is longer than a restart takes. After that time, other workers have claimed the run.
const RETRY_DELAYS_MS = [100, 200, 400, 800, 1600, 3200, 6400, 12_800] as const;

/** Retries the work for up to half a minute while the database is unreachable. Work that succeeded may run again. */
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
 * Wraps a database so that statements, which must be idempotent, are retried during an outage. The work of a transaction
 * must throw only AppError, because any other error without an SQLSTATE counts as an outage.
 */
export function withOutageRetries(db: Db, onOutage: (err: unknown) => void): Db {
  return {
    ...db,
    query: (statement, values) => retryOutages(() => db.query(statement, values), onOutage),
    transaction: work => retryOutages(() => db.transaction(work), onOutage),
  };
}
