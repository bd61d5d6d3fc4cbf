// `graphwright migrate`: migrates the database and exits, for operators who do so before a rollout.
import { readSettings } from '../lib/settings.ts';
import { listApplied } from '../store/migrate.ts';
import type { Command } from './command.ts';
import { withDatabase } from './database.ts';

export const migrate: Command = async ({ options, terminal }) => {
  const migrations = await withDatabase(readSettings(), listApplied);
  const last = migrations.at(-1);
  if (options.json === true) terminal.print(JSON.stringify({ migrations: migrations }, null, 2));
  else
    terminal.print(
      `The database is up to date: ${migrations.length} migrations, the last is ${String(last?.version).padStart(4, '0')}_${last?.name}.`,
    );
};
