// Starts a PostgreSQL server like one that a killed service left running.
import { stat } from 'node:fs/promises';
import { getBinaries } from '../../../src/store/embedded/binaries.ts';
import { chooseRunner } from '../../../src/store/embedded/run-as.ts';
import { type Server, startServer } from '../../../src/store/embedded/server.ts';

/** Starts a server on the cluster without the lock of a service. */
export async function startLeftoverServer(dataDir: string, clusterDir: string): Promise<Server> {
  const { postgres } = await getBinaries();
  const owner = await stat(clusterDir);
  const runner = await chooseRunner({ postgres, folder: dataDir, owner, account: 'postgres' });
  return startServer({
    postgres,
    clusterDir,
    socketDir: clusterDir,
    runner,
    maxConnections: 10,
    log: () => undefined,
  });
}
