// Opens and migrates the service's database: DATABASE_URL or the embedded PostgreSQL. Separate from the service,
// so that a command that only needs the database does not load the rest.
import { migrateQueue } from './jobs/queue-tables.ts';
import type { Logger } from './lib/log.ts';
import type { Settings } from './lib/settings.ts';
import { type Db, type DbOptions, openDb } from './store/db.ts';
import { startEmbedded } from './store/embedded/embedded.ts';
import { migrate } from './store/migrate.ts';
import { directSetting, preflight, preflightPooler } from './store/preflight.ts';

const MAX_CONNECTIONS = 12;
// Each pool of the queue listens on one, the batched commits of runs and deliveries use one each, and queries use four.
const MAX_RUN_CONNECTIONS = 16;
/** The primary answers after it. */
const MAX_SKEW_MS = 60_000;

export interface DatabaseEvents {
  /** Called if PostgreSQL stopped permanently. */
  readonly onFatal?: ((err: Error) => void) | undefined;
  /** Called when the start waits for PostgreSQL. Called more than once if its files are created first. */
  readonly onWait?: () => void;
}

export interface Databases {
  readonly db: Db;
  /** A direct connection for migrations, if `db` uses a connection pooler. */
  readonly direct: Db;
  readonly runDb: Db;
}

/** Opens DATABASE_URL or starts the embedded PostgreSQL, without migrating it. The stack closes it. */
export async function openDatabases(
  settings: Settings,
  log: Logger,
  events: DatabaseEvents,
  stack: AsyncDisposableStack,
): Promise<Databases> {
  const connection = await connectionOf(settings, log, events, stack);
  const onError = (err: Error): void => log.warn({ err }, 'a database connection broke');
  const shared = { connection, timeoutMs: settings.DATABASE_TIMEOUT_MS, onError };
  const direct = openDb({ ...shared, maxConnections: MAX_CONNECTIONS });
  stack.defer(() => direct.close());
  const runDb = openDb({ ...shared, maxConnections: MAX_RUN_CONNECTIONS, plans: 'pinned' });
  stack.defer(() => runDb.close());
  const { clockMs } = await preflight(direct, directSetting(settings));
  if (Math.abs(clockMs - Date.now()) > MAX_SKEW_MS)
    log.warn(
      { skewMs: Math.round(Date.now() - clockMs) },
      "this machine's clock is not PostgreSQL's: set both by NTP",
    );
  return { db: await poolerOf(settings, log, direct, stack), direct, runDb };
}

/** Opens DATABASE_URL. If it is a connection pooler, work that needs its own connection bypasses it. */
async function poolerOf(
  settings: Settings,
  log: Logger,
  direct: Db,
  stack: AsyncDisposableStack,
): Promise<Db> {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL, DATABASE_TIMEOUT_MS: timeoutMs } = settings;
  if (url === undefined || DATABASE_DIRECT_URL === undefined) return direct;
  const pooled = openDb({
    connection: { url },
    through: 'pooler',
    timeoutMs,
    maxConnections: MAX_CONNECTIONS,
    onError: err => log.warn({ err }, 'a connection to the pooler broke'),
  });
  stack.defer(() => pooled.close());
  const warning = await preflightPooler(pooled, direct, url);
  if (warning !== undefined) log.warn(warning);
  return { ...pooled, listen: direct.listen, alone: direct.alone };
}

async function connectionOf(
  settings: Settings,
  log: Logger,
  { onFatal = () => undefined, onWait = () => undefined }: DatabaseEvents,
  stack: AsyncDisposableStack,
): Promise<DbOptions['connection']> {
  const outside = directSetting(settings);
  if (outside !== undefined) {
    onWait();
    return { url: outside.url };
  }
  const embedded = await startEmbedded({
    dataDir: settings.DATA_DIR,
    address: settings.BASE_URL,
    log: line => log.debug({ part: 'postgres' }, line),
    onStarted: onWait,
    onExit: onFatal,
  });
  stack.defer(() => embedded.stop());
  return embedded;
}

/**
 * Migrates our tables, up to the given migration or the last one, then the queue's. Only one process does this at a
 * time.
 */
export async function migrateAll(db: Db, log: Logger, through?: number): Promise<void> {
  await migrate(db, () => migrateQueue({ db, log }), through);
}
