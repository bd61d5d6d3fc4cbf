// The service's own database, for the operator's commands: DATABASE_URL, or the embedded one of a DATA_DIR not in use.
import { migrateAll, openDatabases } from '../databases.ts';
import { createLogger } from '../lib/log.ts';
import type { Settings } from '../lib/settings.ts';
import type { Db } from '../store/db.ts';

/** Opens the database, brings it up to date, does the work, and closes it again. */
export async function withDatabase<T>(settings: Settings, work: (db: Db) => Promise<T>): Promise<T> {
  // The log has stdout, which belongs to the command's result here; what goes wrong is thrown anyway.
  const log = createLogger('silent');
  await using stack = new AsyncDisposableStack();
  const { db, direct } = await openDatabases(settings, log, {}, stack);
  await migrateAll(direct, log);
  return await work(db);
}
