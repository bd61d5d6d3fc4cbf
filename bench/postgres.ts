// Starts a PostgreSQL for several services of a benchmark, or for direct queries by the benchmark.
import { type Db, openDb } from '../src/store/db.ts';
import { startEmbedded } from '../src/store/embedded/embedded.ts';
import { makeFolder, removeFolder, toUrl } from './service.ts';
import { findSharedDatabase } from './shared-postgres.ts';

export interface BenchPostgres {
  /** The URL in the form of DATABASE_URL. */
  readonly url: string;
  readonly db: Db;
  stop(): Promise<void>;
}

/** Starts a server for the caller or, with `--short`, creates a migrated database on the shared server. */
export async function startBenchPostgres(maxConnections: number): Promise<BenchPostgres> {
  const shared = await findSharedDatabase();
  if (shared === undefined) return startOwnPostgres(maxConnections);
  return { url: toUrl(shared.connection), db: shared.db, stop: () => shared.drop() };
}

/** Starts a separate server without tables, even with `--short`. `log` receives PostgreSQL's log line by line. */
export async function startOwnPostgres(
  maxConnections: number,
  log: (line: string) => void = () => undefined,
): Promise<BenchPostgres> {
  const folder = await makeFolder();
  const embedded = await startEmbedded({ dataDir: folder, log });
  const db = openDb({ connection: embedded, maxConnections, onError: () => undefined });
  return {
    url: toUrl(embedded),
    db,
    async stop() {
      await db.close();
      await embedded.stop();
      await removeFolder(folder);
    },
  };
}
