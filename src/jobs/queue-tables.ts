// Migrates the tables of graphile-worker and forwards its log to ours, without starting a worker.
import { Logger, runMigrations } from 'graphile-worker';
import type { RunDeps } from '../runs/deps.ts';

/** Creates or migrates the queue's own tables. */
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
