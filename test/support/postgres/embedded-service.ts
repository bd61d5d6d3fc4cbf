// Runs the embedded PostgreSQL of a service in a process that tests kill. Takes the options as JSON in argv[2], and prints
// events as JSON.
import { openDb } from '../../../src/store/db.ts';
import { type EmbeddedOptions, startEmbedded } from '../../../src/store/embedded/embedded.ts';

const report = (event: Readonly<Record<string, unknown>>): boolean =>
  process.stdout.write(`${JSON.stringify(event)}\n`);

const postgres = await startEmbedded(JSON.parse(process.argv[2] ?? '') as EmbeddedOptions);
const { socketDir, user, database } = postgres;
const db = openDb({ connection: postgres, maxConnections: 2, onError: err => process.emitWarning(err) });
await db.query('create table if not exists kept (id integer primary key)');

process.on('SIGINT', async () => {
  await db.query('insert into kept values (1) on conflict do nothing');
  report({ event: 'drained', postmaster: postgres.pid });
});
process.on('SIGTERM', async () => {
  await db.close();
  await postgres.stop();
  process.exit(0);
});
setInterval(() => undefined, 60_000);
report({ event: 'ready', postmaster: postgres.pid, connection: { socketDir, user, database } });
