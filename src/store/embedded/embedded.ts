// Runs the embedded PostgreSQL on a data folder, and restarts it if it ends unexpectedly.
import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataFolderError, openDataFolder } from '../../lib/data-folder.ts';
import { AppError, toError } from '../../lib/errors.ts';
import { type Binaries, getBinaries } from './binaries.ts';
import { chownFolder, ensureCluster, exists, makeSocketDir, removeSocketDir, SOCKET } from './cluster.ts';
import { clearLeftovers } from './leftovers.ts';
import { acquireLock, findHolder, type ServiceLock } from './lock.ts';
import { chooseRunner } from './run-as.ts';
import { type Server, type ServerRequest, startServer } from './server.ts';

export interface EmbeddedOptions {
  /** Created if missing; PostgreSQL uses its subfolder `postgres`. */
  readonly dataDir: string;
  /** An address such as the base URL. A second service that finds the folder in use shows it. */
  readonly address?: string;
  /** Receives the lines of PostgreSQL's log and our own messages about PostgreSQL. */
  readonly log?: (line: string) => void;
  /** Called after initdb or the server was launched, so that the caller can do other work during the start. */
  readonly onStarted?: () => void;
  /** Called once if PostgreSQL ended and could not be restarted. */
  readonly onExit?: (err: Error) => void;
  /** The account that runs PostgreSQL if the service is root. Default: `postgres`, then others. */
  readonly account?: string;
  /** Maximum number of connections; default 60, enough for one service. */
  readonly maxConnections?: number;
}

export interface EmbeddedPostgres {
  /** The folder of the Unix socket, which is the only way to connect. It stays the same when PostgreSQL restarts. */
  readonly socketDir: string;
  readonly user: string;
  readonly database: string;
  /** Process id of the current postmaster. */
  readonly pid: number;
  /** Stops PostgreSQL and releases the folder. */
  stop(): Promise<void>;
}

const USER = 'postgres';
const DATABASE = 'postgres';
const MAX_CONNECTIONS = 60;
const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;
const RESTART_DELAY_MS = 200;

/**
 * Starts PostgreSQL on the data folder, and creates the cluster the first time. Throws `unavailable` if another service
 * uses the folder or PostgreSQL cannot run here. Call it on the main thread, because PostgreSQL ends with its caller.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, address } = options;
  const binaries = await getBinaries();
  const folder = await openPostgresFolder(dataDir);
  const lock = await acquireLock(join(folder, 'service.lock'), dataDir, address);
  try {
    return await startLocked(options, folder, binaries, lock);
  } catch (err) {
    await lock.release();
    throw err;
  }
}

/**
 * Returns how to connect to the PostgreSQL of a service that runs on the data folder, or undefined if there is none.
 */
export async function findRunning(
  dataDir: string,
): Promise<Pick<EmbeddedPostgres, 'socketDir' | 'user' | 'database'> | undefined> {
  const socketDir = (await findHolder(join(dataDir, 'postgres', 'service.lock')))?.socketDir;
  if (socketDir === undefined) return undefined;
  const isRunning = await exists(join(socketDir, SOCKET));
  return isRunning ? { socketDir, user: USER, database: DATABASE } : undefined;
}

async function startLocked(
  options: EmbeddedOptions,
  folder: string,
  { postgres, initdb }: Binaries,
  lock: ServiceLock,
): Promise<EmbeddedPostgres> {
  const {
    log = () => undefined,
    onStarted = () => undefined,
    onExit = () => undefined,
    account = 'postgres',
    maxConnections = MAX_CONNECTIONS,
  } = options;
  const clusterDir = join(folder, 'cluster');
  await clearLeftovers({ clusterDir, log });
  await removeSocketDir(lock.previous?.socketDir ?? '');
  const owner = await stat(clusterDir).catch(() => undefined);
  const baseRunner = await chooseRunner({ postgres, folder: dirname(folder), owner, account });
  const runner = { ...baseRunner, onStarted };
  await chownFolder(folder, clusterDir, runner);
  await ensureCluster(clusterDir, initdb, USER, runner);
  const socketDir = await makeSocketDir(runner);
  await lock.describe({ socketDir });
  const request = { postgres, clusterDir, socketDir, runner, maxConnections, log };
  const supervisor = await superviseServer(request, onExit).catch(async (err: unknown) => {
    await removeSocketDir(socketDir);
    throw err;
  });
  return {
    socketDir,
    user: USER,
    database: DATABASE,
    get pid() {
      return supervisor.server.pid;
    },
    stop: async () => {
      await supervisor.stop();
      await removeSocketDir(socketDir);
      await lock.release();
    },
  };
}

/** Returns PostgreSQL's folder below the data folder, without symlinks in its path. */
async function openPostgresFolder(dataDir: string): Promise<string> {
  try {
    const folder = join(await openDataFolder(dataDir), 'postgres');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK | constants.X_OK);
    return folder;
  } catch (err) {
    throw err instanceof AppError ? err : createDataFolderError(dataDir, err);
  }
}

interface Supervisor {
  readonly server: Server;
  stop(): Promise<void>;
}

/** Starts a server and restarts it whenever it ends, until it is stopped. */
async function superviseServer(request: ServerRequest, onExit: (err: Error) => void): Promise<Supervisor> {
  const exitTimes: number[] = [];
  let server = await startServer(request);
  let isStopping = false;

  const waitBeforeRestart = async (exitReason: string): Promise<void> => {
    request.log(`PostgreSQL (process ${server.pid}) ended unexpectedly: ${exitReason}. Starting it again.`);
    exitTimes.push(performance.now());
    const recentExits = exitTimes.filter(atMs => atMs > performance.now() - RESTART_WINDOW_MS).length;
    if (recentExits > MAX_RESTARTS)
      throw new Error(`PostgreSQL ended ${recentExits} times within a minute, last with ${exitReason}.`);
    if (recentExits > 1) await sleep(RESTART_DELAY_MS * recentExits);
  };
  // The same problem may end PostgreSQL again before it is ready, so a failed start counts too.
  const restart = async (exitReason: string): Promise<void> => {
    for (let reason: string | undefined = exitReason; reason !== undefined && !isStopping; ) {
      await waitBeforeRestart(reason);
      reason = await startNext().then(
        () => undefined,
        (err: unknown) => toError(err).message,
      );
    }
  };
  const startNext = async (): Promise<void> => {
    await clearLeftovers(request);
    server = await startServer(request);
  };
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      const exitReason = await server.ended;
      if (isStopping) return;
      await restart(exitReason);
      if (isStopping) await server.stop();
    }
  };
  const supervision = keepRunning().catch((err: unknown) => {
    if (!isStopping) onExit(toError(err));
  });
  return {
    get server() {
      return server;
    },
    stop: async () => {
      isStopping = true;
      await server.stop();
      await supervision;
    },
  };
}
