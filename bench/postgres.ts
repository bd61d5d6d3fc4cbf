// A PostgreSQL that several services of a benchmark share, or that is asked about them.
import type { Db } from '../src/store/db.ts';
import { openDb } from '../src/store/db.ts';
import { startEmbedded } from '../src/store/embedded/embedded.ts';
import { makeFolder, removeFolder } from './service.ts';

export interface BenchPostgres {
  /** As DATABASE_URL has it. */
  readonly url: string;
  readonly db: Db;
  stop(): Promise<void>;
}

/** `log`: PostgreSQL's own log, a line at a time. */
export async function startBenchPostgres(
  maxConnections: number,
  log: (line: string) => void = () => undefined,
): Promise<BenchPostgres> {
  const folder = await makeFolder();
  const embedded = await startEmbedded({ dataDir: folder, log });
  const { socketDir, user, database } = embedded;
  const db = openDb({ connection: embedded, maxConnections, onError: () => undefined });
  return {
    url: `postgres://${user}@/${database}?host=${encodeURIComponent(socketDir)}`,
    db,
    async stop() {
      await db.close();
      await embedded.stop();
      await removeFolder(folder);
    },
  };
}
