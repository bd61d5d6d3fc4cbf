// Starts PostgreSQL servers without a service: like one that a killed service left running, or as a standby.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getBinaries } from '../../../src/store/embedded/binaries.ts';
import { chooseRunner } from '../../../src/store/embedded/run-as.ts';
import { type Server, startServer } from '../../../src/store/embedded/server.ts';

/** A standby needs at least as many as the server from which it was copied. */
const MAX_CONNECTIONS = 60;

/** Starts a server on the cluster, whose folder contains the socket, without the lock of a service. */
export async function startLeftoverServer(
  dataDir: string,
  clusterDir: string,
  log: (line: string) => void = () => undefined,
): Promise<Server> {
  const { postgres } = await getBinaries();
  const owner = await stat(clusterDir);
  const runner = await chooseRunner({ postgres, folder: dataDir, owner, account: 'postgres' });
  return startServer({
    postgres,
    clusterDir,
    socketDir: clusterDir,
    runner,
    maxConnections: MAX_CONNECTIONS,
    log,
  });
}

export interface Standby {
  /** Stops the server, which must have been promoted. */
  stop(): Promise<void>;
}

/** Starts a standby on a copy of a cluster, and waits until it answers queries. */
export async function startStandby(dataDir: string, clusterDir: string): Promise<Standby> {
  await writeFile(join(clusterDir, 'standby.signal'), '');
  const { promise: isReady, resolve } = Promise.withResolvers<void>();
  // A server is started when it accepts writes, which a standby does after its promotion.
  const promoted = startLeftoverServer(dataDir, clusterDir, line => {
    if (line.includes('ready to accept read-only connections')) resolve();
  });
  await Promise.race([isReady, promoted]);
  return { stop: async () => (await promoted).stop() };
}
