// The tables of graphile-worker, and its log in ours: what a command needs that starts no worker.
import { Logger, runMigrations } from 'graphile-worker';
import type { RunDeps } from '../runs/deps.ts';

/** Makes, or brings up to date, the queue's own tables. */
export async function migrateQueue({ db, log }: Pick<RunDeps, 'db' | 'log'>): Promise<void> {
  await runMigrations({ pgPool: db.pool, logger: loggerOf(log) });
}

/** The queue's log lines as debug lines of ours; its errors as errors. */
export function loggerOf(log: RunDeps['log']): Logger {
  return new Logger(() => (level, message, meta) => {
    if (level === 'error') log.error({ meta }, message);
    else log.debug({ meta }, message);
  });
}
