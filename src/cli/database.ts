// Opens the service's database for operator commands: DATABASE_URL, or the embedded one of an unused DATA_DIR.
import { migrateAll, openDatabases } from '../databases.ts';
import { createLogger } from '../lib/log.ts';
import type { Settings } from '../lib/settings.ts';
import type { Db } from '../store/db.ts';

/** Opens and migrates the database, runs the work, and closes it again. */
export async function withDatabase<T>(settings: Settings, work: (db: Db) => Promise<T>): Promise<T> {
  // Logs would go to stdout, which is the command's output here; errors are thrown anyway.
  const log = createLogger('silent');
  await using stack = new AsyncDisposableStack();
  const { db, direct } = await openDatabases(settings, log, {}, stack);
  await migrateAll(direct, log);
  return await work(db);
}
