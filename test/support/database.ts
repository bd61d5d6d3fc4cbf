// Creates a database for each test file, cloned from the migrated template.
import { existsSync, rmSync } from 'node:fs';
import { type Db, openDb, type Tx } from '../../src/store/db.ts';
import { ADDRESS_VARIABLE, startTestServer, TEMPLATE_DATABASE, type TestAddress } from './postgres.ts';

export interface TestDatabase {
  readonly db: Db;
  /** For a second pool or another process. */
  readonly connection: TestAddress;
  /** Closes `db` and drops the database, even while others are connected. */
  drop(): Promise<void>;
}

const MAX_CONNECTIONS = 10;
const ADMIN_TIMEOUT_MS = 90_000;
const MAX_REMOVALS = 100;
const REMOVAL_DELAY_MS = 20;

let lazyAddress: Promise<TestAddress> | undefined;
let count = 0;

/** Call in `before`, and `drop` in `after`. Uses the test run's server, or starts one if the file runs alone. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const address = await findAddress();
  const database = `test_${process.pid}_${count++}`;
  // Copying the files takes a third of the time of writing each block to the log.
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

function findAddress(): Promise<TestAddress> {
  const configured = process.env[ADDRESS_VARIABLE];
  if (configured !== undefined) return Promise.resolve(JSON.parse(configured) as TestAddress);
  lazyAddress ??= startOwn();
  return lazyAddress;
}

/**
 * Starts a server for this process only. Only synchronous work is possible at exit, so the server is stopped
 * immediately.
 */
async function startOwn(): Promise<TestAddress> {
  const { address, pid, folder } = await startTestServer();
  process.once('exit', () => {
    process.kill(pid, 'SIGQUIT');
    removeNow(address.socketDir);
    removeNow(folder);
  });
  return address;
}

/** Retries while PostgreSQL, shutting down, still touches its files. */
function removeNow(folder: string): void {
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
    // Both wait for a checkpoint, which takes long on a busy disk.
    timeoutMs: ADMIN_TIMEOUT_MS,
    onError: err => process.emitWarning(err),
  });
  try {
    await admin.query(statement);
  } finally {
    await admin.close();
  }
}

/** Blocks every insert into the table, or delete from it, so that a process can be killed at that point. */
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
