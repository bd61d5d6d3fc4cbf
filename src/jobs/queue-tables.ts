// Migrates graphile-worker's tables and forwards its log to ours. Separate from the worker, because commands that only
// need the database do not load the worker.
import { Logger, runMigrations } from 'graphile-worker';
import type { RunDeps } from '../runs/deps.ts';

export async function migrateQueue({ db, log }: Pick<RunDeps, 'db' | 'log'>): Promise<void> {
  await runMigrations({ pgPool: db.pool, logger: createQueueLogger(log) });
}

/** Logs the queue's messages at debug level, and its errors as errors. */
export function createQueueLogger(log: RunDeps['log']): Logger {
  return new Logger(() => (level, message, meta) => {
    if (level === 'error') log.error({ meta }, message);
    else log.debug({ meta }, message);
  });
}
