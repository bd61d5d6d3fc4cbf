// Opens and migrates the service's database: DATABASE_URL or the embedded PostgreSQL. Separate from the service, so that
// a command that only needs the database does not load the rest of the program.
import { migrateQueue } from './jobs/queue-tables.ts';
import type { Logger } from './lib/log.ts';
import type { Settings } from './lib/settings.ts';
import { type Db, type DbOptions, openDb } from './store/db.ts';
import { startEmbedded } from './store/embedded/embedded.ts';
import { migrate } from './store/migrate.ts';
import { getDirectSetting, preflight, preflightPooler } from './store/preflight.ts';

const MAX_CONNECTIONS = 12;
// Each queue pool listens on a connection, the batched commits of runs and of deliveries use one each, and queries four.
const MAX_RUN_CONNECTIONS = 16;
/** Largest clock difference before a warning. */
const MAX_CLOCK_SKEW_MS = 60_000;

export interface DatabaseEvents {
  /** Called if PostgreSQL stopped permanently. */
  readonly onFatal?: ((err: Error) => void) | undefined;
  /**
   * Called when PostgreSQL starts, so that the caller can load code meanwhile. Called more than once if the embedded
   * server creates its files first.
   */
  readonly onDatabaseStarting?: () => void;
}

export interface Databases {
  readonly db: Db;
  /** PostgreSQL without the connection pooler that `db` may use, for migrations. */
  readonly direct: Db;
  /** For statements about runs and the queue. */
  readonly runDb: Db;
}

/** Opens DATABASE_URL or starts the embedded PostgreSQL, without migrations. The stack closes all connections. */
export async function openDatabases(
  settings: Settings,
  log: Logger,
  events: DatabaseEvents,
  stack: AsyncDisposableStack,
): Promise<Databases> {
  const connection = await openConnection(settings, log, events, stack);
  const onError = (err: Error): void => log.warn({ err }, 'lost a database connection');
  const shared = { connection, timeoutMs: settings.DATABASE_TIMEOUT_MS, onError };
  const direct = openDb({ ...shared, maxConnections: MAX_CONNECTIONS });
  stack.defer(() => direct.close());
  const runDb = openDb({ ...shared, maxConnections: MAX_RUN_CONNECTIONS, plans: 'pinned' });
  stack.defer(() => runDb.close());
  const { clockMs } = await preflight(direct, getDirectSetting(settings));
  if (Math.abs(clockMs - Date.now()) > MAX_CLOCK_SKEW_MS)
    log.warn(
      { skewMs: Math.round(Date.now() - clockMs) },
      'The clocks of this machine and PostgreSQL differ. Synchronize both with NTP.',
    );
  return { db: await openMainDb(settings, log, direct, stack), direct, runDb };
}

/**
 * Returns the database for queries. If DATABASE_URL is a connection pooler, work that needs its own connection bypasses
 * the pooler.
 */
async function openMainDb(
  settings: Settings,
  log: Logger,
  direct: Db,
  stack: AsyncDisposableStack,
): Promise<Db> {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL, DATABASE_TIMEOUT_MS: timeoutMs } = settings;
  if (url === undefined || DATABASE_DIRECT_URL === undefined) return direct;
  const pooled = openDb({
    connection: { url },
    serverKind: 'pooler',
    timeoutMs,
    maxConnections: MAX_CONNECTIONS,
    onError: err => log.warn({ err }, 'lost a connection to the connection pooler'),
  });
  stack.defer(() => pooled.close());
  const warning = await preflightPooler(pooled, direct, url);
  if (warning !== undefined) log.warn(warning);
  return { ...pooled, listen: direct.listen, withOwnConnection: direct.withOwnConnection };
}

async function openConnection(
  settings: Settings,
  log: Logger,
  { onFatal = () => undefined, onDatabaseStarting = () => undefined }: DatabaseEvents,
  stack: AsyncDisposableStack,
): Promise<DbOptions['connection']> {
  const external = getDirectSetting(settings);
  if (external !== undefined) {
    onDatabaseStarting();
    return { url: external.url };
  }
  const embedded = await startEmbedded({
    dataDir: settings.DATA_DIR,
    address: settings.BASE_URL,
    log: line => log.debug({ part: 'postgres' }, line),
    onStarted: onDatabaseStarting,
    onExit: onFatal,
  });
  stack.defer(() => embedded.stop());
  return embedded;
}

/**
 * Migrates the service's tables, up to the given migration or the last one, then the queue's tables. Only one process does
 * this at a time.
 */
export async function migrateAll(db: Db, log: Logger, upTo?: number): Promise<void> {
  await migrate(db, () => migrateQueue({ db, log }), upTo);
}
