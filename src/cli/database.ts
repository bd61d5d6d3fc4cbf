// Opens the service's database for operator commands: the database of DATABASE_URL, or the embedded one in DATA_DIR if no
// service uses it. Also contains `graphwright migrate`, for operators who migrate before a rollout.
import { migrateAll, openDatabases } from '../databases.ts';
import { createLogger } from '../lib/log.ts';
import { readSettings, type Settings } from '../lib/settings.ts';
import type { Db } from '../store/db.ts';
import { listAppliedMigrations } from '../store/migrate.ts';
import type { Command } from './command.ts';

/** Opens and migrates the database, runs the work, and closes the database. */
export async function withDatabase<T>(settings: Settings, work: (db: Db) => Promise<T>): Promise<T> {
  // The log would go to stdout, which is for the command's output. Errors are thrown anyway.
  const log = createLogger('silent');
  await using stack = new AsyncDisposableStack();
  const { db, direct } = await openDatabases(settings, log, {}, stack);
  await migrateAll(direct, log);
  return await work(db);
}

/** Migrates the database and exits. */
export const migrate: Command = async ({ options, terminal }) => {
  const migrations = await withDatabase(readSettings(), listAppliedMigrations);
  const last = migrations.at(-1);
  if (options.json === true) terminal.print(JSON.stringify({ migrations }, null, 2));
  else
    terminal.print(
      `The database is up to date: ${migrations.length} migrations, the last is ${String(last?.version).padStart(4, '0')}_${last?.name}.`,
    );
};
