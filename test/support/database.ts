// Creates a database for each test file, cloned from the migrated template.
import { existsSync, rmSync } from 'node:fs';
import { type Db, openDb, type Tx } from '../../src/store/db.ts';
import { ADDRESS_VARIABLE, type TestAddress } from './postgres/address.ts';
import { startTestServer, TEMPLATE_DATABASE } from './postgres.ts';

export interface TestDatabase {
  readonly db: Db;
  /** The address for a second pool or another process. */
  readonly connection: TestAddress;
  /** Closes `db` and drops the database, even if other connections are open. */
  drop(): Promise<void>;
}

const MAX_CONNECTIONS = 10;
const ADMIN_TIMEOUT_MS = 90_000;
const MAX_REMOVALS = 100;
const REMOVAL_DELAY_MS = 20;

let ownServerAddress: Promise<TestAddress> | undefined;
let databaseCount = 0;

/** Call this function in `before`, and `drop` in `after`. Starts a server if the test file runs alone. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const address = await getAddress();
  const database = `test_${process.pid}_${databaseCount++}`;
  // `file_copy` takes a third of the time of the default strategy, which writes each block to the log.
  await administrate(address, `create database ${database} template ${TEMPLATE_DATABASE} strategy file_copy`);
  const connection = { ...address, database };
  const db = openDb({
    connection,
    maxConnections: MAX_CONNECTIONS,
    onError: err => process.emitWarning(err),
  });
  return {
    db,
    connection,
    drop: async () => {
      await db.close();
      await administrate(address, `drop database ${database} with (force)`);
    },
  };
}

function getAddress(): Promise<TestAddress> {
  const configured = process.env[ADDRESS_VARIABLE];
  if (configured !== undefined) return Promise.resolve(JSON.parse(configured) as TestAddress);
  ownServerAddress ??= startOwnServer();
  return ownServerAddress;
}

/** Starts a server for this process. Stops it without a clean shutdown, because an exit handler is synchronous. */
async function startOwnServer(): Promise<TestAddress> {
  const { address, pid, folder } = await startTestServer();
  process.once('exit', () => {
    process.kill(pid, 'SIGQUIT');
    removeFolder(address.socketDir);
    removeFolder(folder);
  });
  return address;
}

/** Removes the folder. Retries while PostgreSQL, which is shutting down, still uses the files. */
function removeFolder(folder: string): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 0; attempt < MAX_REMOVALS && existsSync(folder); attempt++) {
    try {
      rmSync(folder, { recursive: true });
    } catch {
      Atomics.wait(clock, 0, 0, REMOVAL_DELAY_MS);
    }
  }
}

async function administrate(connection: TestAddress, statement: string): Promise<void> {
  const admin = openDb({
    connection,
    maxConnections: 1,
    // A database is created and dropped after a checkpoint, which takes long on a busy disk.
    timeoutMs: ADMIN_TIMEOUT_MS,
    onError: err => process.emitWarning(err),
  });
  try {
    await admin.query(statement);
  } finally {
    await admin.close();
  }
}

/** Blocks inserts into the table, or deletes from it, so that a test can kill a process at that point. */
export async function blockWrites(
  db: Tx,
  event: 'insert' | 'delete',
  table: string,
): Promise<{ release(): Promise<void> }> {
  await db.query(
    `create function held() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return null; end $$`,
  );
  await db.query(`create trigger held before ${event} on ${table} for each row execute function held()`);
  return {
    async release() {
      await db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
      );
      await db.query('drop function held cascade');
    },
  };
}
