// Starts the processes of a soak: an embedded PostgreSQL, one API and several workers, each restarted when it exits.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Db, openDb } from '../../src/store/db.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded/embedded.ts';
import { findFreePort } from '../support/network/free-port.ts';
import { BIN, baseEnv, cleanEnv, toDatabaseUrl } from '../support/service.ts';
import { type SupervisedProcess, type Supervisor, superviseProcess, waitUntilReady } from './supervisor.ts';

export interface Fleet {
  readonly url: string;
  readonly api: SupervisedProcess;
  readonly workers: readonly SupervisedProcess[];
  readonly postgres: EmbeddedPostgres;
  readonly db: Db;
  /** The folder of the media. */
  readonly dataDir: string;
  /** Messages about processes that exited unexpectedly or did not stop in time. */
  readonly crashes: readonly string[];
  /** Stops API and workers gracefully; PostgreSQL keeps running. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface FleetOptions {
  readonly folder: string;
  readonly workers: number;
  /** With `all`, the API process also executes runs. */
  readonly apiRole: 'api' | 'all';
  readonly env: NodeJS.ProcessEnv;
}

export async function startFleet({ folder, workers, apiRole, env }: FleetOptions): Promise<Fleet> {
  await using stack = new AsyncDisposableStack();
  const postgres = await startEmbedded({
    dataDir: join(folder, 'postgres'),
    // Each process opens about 25 connections.
    maxConnections: 40 * (workers + 1),
    onExit: err => {
      throw err;
    },
  });
  stack.defer(() => postgres.stop());
  // Connections break, because faults stop PostgreSQL.
  const db = openDb({ connection: postgres, maxConnections: 4, onError: () => undefined });
  stack.defer(() => db.close());
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const dataDir = join(folder, 'data');
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const shared = {
    ...cleanEnv(),
    ...baseEnv(dataDir, toDatabaseUrl(postgres)),
    BASE_URL: url,
    ALLOW_PRIVATE_NETWORK: 'true',
    LOG_LEVEL: 'warn',
    TIMING_DIVISOR: '1',
    ...env,
  };
  const crashes: string[] = [];
  const supervise = (name: string, settings: NodeJS.ProcessEnv): Supervisor => {
    const supervisor = superviseProcess(
      {
        name,
        command: [process.execPath, BIN, 'serve'],
        env: { ...shared, ...settings },
        logFolder: join(folder, 'logs'),
      },
      crashes,
    );
    stack.defer(() => supervisor.stop('SIGKILL'));
    return supervisor;
  };
  const api = supervise('api', { ROLE: apiRole, PORT: String(port) });
  await waitUntilReady([api]);
  const workerProcesses = Array.from({ length: workers }, (_, index) =>
    supervise(`worker-${index}`, { ROLE: 'worker' }),
  );
  await waitUntilReady(workerProcesses);
  const resources = stack.move();
  return {
    url,
    api,
    workers: workerProcesses,
    postgres,
    db,
    dataDir,
    crashes,
    drain: async () => {
      await Promise.all([api, ...workerProcesses].map(supervisor => supervisor.stop('SIGTERM')));
    },
    close: () => resources.disposeAsync(),
  };
}
