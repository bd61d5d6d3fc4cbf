// The processes of the soak: a PostgreSQL of its own, one API and several workers, each started again when it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDb } from '../../src/store/db.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded/embedded.ts';
import { isRunning } from '../support/processes.ts';
import { BIN, baseEnv, cleanEnv, READY, urlOf } from '../support/service.ts';

const RESTART_DELAY_MS = 300;
const START_MS = 120_000;
const LOOK_MS = 20;
// Active runs have 10 s to end.
const STOP_MS = 40_000;

export interface Kept {
  readonly name: string;
  /** undefined: between two lives. */
  readonly pid: number | undefined;
  /** How often it said that it is ready. */
  readonly starts: number;
  signal(signal: NodeJS.Signals): void;
}

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
  const port = await findFreePort();
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
    const keeper = keepProcess(name, { ...shared, ...more }, join(folder, 'logs'), crashes);
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

async function untilReady(keepers: readonly Keeper[]): Promise<void> {
  const endMs = performance.now() + START_MS;
  while (keepers.some(({ starts }) => starts === 0)) {
    if (performance.now() > endMs) throw new Error('The services of the soak did not start.');
    await sleep(LOOK_MS);
  }
}

interface Keeper extends Kept {
  /** Ends it for good. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** As systemd would: whatever ends it, it is started again. Its log goes to a file of its name. */
function keepProcess(name: string, env: NodeJS.ProcessEnv, logs: string, crashes: string[]): Keeper {
  const state = { starts: 0, isStopping: false, isSignalled: false };
  let child: ChildProcess | undefined;
  const log = openSync(join(logs, `${name}.log`), 'a');
  const live = async (): Promise<void> => {
    const life = spawn(process.execPath, [BIN, 'serve'], {
      env,
      stdio: ['ignore', log, 'pipe'],
      detached: true,
    });
    child = life;
    state.isSignalled = false;
    let stderr = '';
    let isReady = false;
    life.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      writeSync(log, text);
      if (isReady || !READY.test(stderr)) return;
      isReady = true;
      state.starts++;
    });
    await once(life, 'close');
    child = undefined;
    // One that was not ready yet may have found no PostgreSQL.
    if (isReady && !state.isSignalled) crashes.push(`${name} ended by itself: ${stderr.slice(-2000)}`);
  };
  const keep = async (): Promise<void> => {
    while (!state.isStopping) {
      await live();
      if (!state.isStopping) await sleep(RESTART_DELAY_MS);
    }
  };
  const signal = (what: NodeJS.Signals): void => {
    if (child?.pid === undefined || !isRunning(child.pid)) return;
    if (what === 'SIGKILL' || what === 'SIGTERM') state.isSignalled = true;
    process.kill(what === 'SIGKILL' ? -child.pid : child.pid, what);
  };
  // When the soak dies, its processes must not stay.
  const endNow = (): void => signal('SIGKILL');
  process.on('exit', endNow);
  const kept = keep();
  return {
    name,
    get pid() {
      return child?.pid;
    },
    get starts() {
      return state.starts;
    },
    signal,
    stop: async what => {
      state.isStopping = true;
      signal(what);
      const isEnded = await Promise.race([kept.then(() => true), sleep(STOP_MS, false, { ref: false })]);
      if (!isEnded) {
        crashes.push(`${name} did not stop within ${STOP_MS / 1000} s of ${what}`);
        signal('SIGKILL');
      }
      await kept;
      process.off('exit', endNow);
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
