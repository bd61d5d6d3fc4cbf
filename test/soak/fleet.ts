// The processes of a soak: an embedded PostgreSQL, one API and several workers, each restarted when it exits.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Db, openDb } from '../../src/store/db.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded/embedded.ts';
import { findFreePort } from '../support/network/free-port.ts';
import { BIN, baseEnv, cleanEnv, toDatabaseUrl } from '../support/service.ts';
import { type Keeper, type KeptProcess, keepProcess, untilReady } from './keeper.ts';

export interface Fleet {
  readonly url: string;
  readonly api: KeptProcess;
  readonly workers: readonly KeptProcess[];
  readonly postgres: EmbeddedPostgres;
  readonly db: Db;
  /** The folder of the media. */
  readonly dataDir: string;
  /** Processes that exited unexpectedly or did not exit when they should have. */
  readonly crashes: readonly string[];
  /** Stops API and workers gracefully; PostgreSQL keeps running. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface FleetOptions {
  readonly folder: string;
  readonly workers: number;
  /** `all` executes runs itself, like the workers. */
  readonly apiRole: 'api' | 'all';
  readonly env: NodeJS.ProcessEnv;
}

export async function startFleet({ folder, workers, apiRole, env }: FleetOptions): Promise<Fleet> {
  await using stack = new AsyncDisposableStack();
  const postgres = await startEmbedded({
    dataDir: join(folder, 'postgres'),
    // Each process needs about 25.
    maxConnections: 40 * (workers + 1),
    onExit: err => {
      throw err;
    },
  });
  stack.defer(() => postgres.stop());
  // PostgreSQL is stopped on purpose, so broken connections are expected.
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
    ...env,
  };
  const crashes: string[] = [];
  const keep = (name: string, more: NodeJS.ProcessEnv): Keeper => {
    const keeper = keepProcess(
      {
        name,
        command: [process.execPath, BIN, 'serve'],
        env: { ...shared, ...more },
        logs: join(folder, 'logs'),
      },
      crashes,
    );
    stack.defer(() => keeper.stop('SIGKILL'));
    return keeper;
  };
  const api = keep('api', { ROLE: apiRole, PORT: String(port) });
  await untilReady([api]);
  const all = Array.from({ length: workers }, (_, index) => keep(`worker-${index}`, { ROLE: 'worker' }));
  await untilReady(all);
  const running = stack.move();
  return {
    url,
    api,
    workers: all,
    postgres,
    db,
    dataDir,
    crashes,
    drain: async () => {
      await Promise.all([api, ...all].map(keeper => keeper.stop('SIGTERM')));
    },
    close: () => running.disposeAsync(),
  };
}
