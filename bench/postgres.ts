// A PostgreSQL that several services of a benchmark share, or that is asked about them.
import type { Db } from '../src/store/db.ts';
import { openDb } from '../src/store/db.ts';
import { startEmbedded } from '../src/store/embedded/embedded.ts';
import { makeFolder, removeFolder, urlOf } from './service.ts';
import { findSharedDatabase } from './shared-postgres.ts';

export interface BenchPostgres {
  /** As DATABASE_URL has it. */
  readonly url: string;
  readonly db: Db;
  stop(): Promise<void>;
}

/** A server for whom it is started, or in `--short` a migrated database of the shared one. */
export async function startBenchPostgres(maxConnections: number): Promise<BenchPostgres> {
  const shared = await findSharedDatabase();
  if (shared === undefined) return startOwnPostgres(maxConnections);
  return { url: urlOf(shared.connection), db: shared.db, stop: () => shared.drop() };
}

/** A server of its own, without a table, in `--short` too. `log`: PostgreSQL's own log, a line at a time. */
export async function startOwnPostgres(
  maxConnections: number,
  log: (line: string) => void = () => undefined,
): Promise<BenchPostgres> {
  const folder = await makeFolder();
  const embedded = await startEmbedded({ dataDir: folder, log });
  const db = openDb({ connection: embedded, maxConnections, onError: () => undefined });
  return {
    url: urlOf(embedded),
    db,
    async stop() {
      await db.close();
      await embedded.stop();
      await removeFolder(folder);
    },
  };
}
