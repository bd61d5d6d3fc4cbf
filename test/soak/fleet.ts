// The processes of the soak: a PostgreSQL of its own, one API and several workers, each started again when it ends.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Db, openDb } from '../../src/store/db.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded/embedded.ts';
import { freePort } from '../support/network/free-port.ts';
import { BIN, baseEnv, cleanEnv, urlOf } from '../support/service.ts';
import { type Keeper, type Kept, keepProcess, untilReady } from './keeper.ts';

export interface Fleet {
  readonly url: string;
  readonly api: Kept;
  readonly workers: readonly Kept[];
  readonly postgres: EmbeddedPostgres;
  readonly db: Db;
  /** Where the media lie. */
  readonly dataDir: string;
  /** Processes that ended though nobody ended them, or did not end when they should have. */
  readonly crashes: readonly string[];
  /** Ends API and workers in good order; PostgreSQL stays. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface FleetOptions {
  readonly folder: string;
  readonly workers: number;
  /** `all`: it advances runs itself, like the workers. */
  readonly apiRole: 'api' | 'all';
  readonly env: NodeJS.ProcessEnv;
}

export async function startFleet({ folder, workers, apiRole, env }: FleetOptions): Promise<Fleet> {
  await using stack = new AsyncDisposableStack();
  const postgres = await startEmbedded({
    dataDir: join(folder, 'postgres'),
    // Each process takes 25 or so.
    maxConnections: 40 * (workers + 1),
    onExit: err => {
      throw err;
    },
  });
  stack.defer(() => postgres.stop());
  // PostgreSQL is ended on purpose, so broken connections are expected.
  const db = openDb({ connection: postgres, maxConnections: 4, onError: () => undefined });
  stack.defer(() => db.close());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const dataDir = join(folder, 'data');
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const shared = {
    ...cleanEnv(),
    ...baseEnv(dataDir, urlOf(postgres)),
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
  const hands = Array.from({ length: workers }, (_, index) => keep(`worker-${index}`, { ROLE: 'worker' }));
  await untilReady(hands);
  const running = stack.move();
  return {
    url,
    api,
    workers: hands,
    postgres,
    db,
    dataDir,
    crashes,
    drain: async () => {
      await Promise.all([api, ...hands].map(keeper => keeper.stop('SIGTERM')));
    },
    close: () => running.disposeAsync(),
  };
}
