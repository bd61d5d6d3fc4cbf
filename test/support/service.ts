// Starts complete services with workers on a test database, in this process or in child processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../src/app.ts';
import { createLogger } from '../../src/lib/log.ts';
import { listSettings, readSettings } from '../../src/lib/settings.ts';
import { divideTiming, TIMING, type Timing } from '../../src/lib/timing.ts';
import { type Client, createClient } from './client.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { EDITOR_FOLDER, openSharedEditor } from './editor-bundle.ts';
import { findFreePort } from './network/free-port.ts';
import { waitUntil } from './processes.ts';
import { TIMING_DIVISOR } from './timing.ts';

export const KEY = 'sk-test-0123456789abcdef';
/** Much longer than the service's own shutdown timeout. */
const STOP_TIMEOUT_MS = 120_000;
export const SECRETS_KEY = '07'.repeat(32);
export const BIN = join(import.meta.dirname, '..', '..', 'bin', 'graphwright.js');
export const READY = /ready at (?<url>\S+) /;

export interface TestService extends Client {
  readonly url: string;
  readonly db: TestDatabase['db'];
  readonly databaseUrl: string;
  readonly connection: TestDatabase['connection'];
  /** Creates a client of the service with another key. */
  withKey(key: string): Client;
  /** Starts another service on the same database. */
  startAnother(env?: NodeJS.ProcessEnv, timing?: Partial<Timing>): Promise<LocalService>;
  close(): Promise<void>;
}

/** A service in this process. */
export interface LocalService extends Client {
  readonly url: string;
  close(): Promise<void>;
}

/** Ports of stopped services, which are reused because the browser caches compiled code by address. */
const usedPorts: number[] = [];

/** Returns the settings of a service whose BASE_URL is its real address, for browsers. */
export async function ownAddressSettings(): Promise<NodeJS.ProcessEnv> {
  const port = usedPorts.pop() ?? (await findFreePort());
  return { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` };
}

/**
 * Starts a service in this process, with a worker unless `env` says otherwise. `timing` replaces durations of
 * TIMING_DIVISOR. Call in `before`, and `close` in `after`.
 */
export async function startTestService(
  env: NodeJS.ProcessEnv = {},
  timing: Partial<Timing> = {},
): Promise<TestService> {
  const { db, connection, drop } = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-service-'));
  const databaseUrl = toDatabaseUrl(connection);
  const start = (extraEnv: NodeJS.ProcessEnv, extraTiming: Partial<Timing>): Promise<LocalService> =>
    startLocalService(
      folder,
      { DATABASE_URL: databaseUrl, ...env, ...extraEnv },
      { ...timing, ...extraTiming },
    );
  const first = await start({}, {});
  return {
    ...first,
    db,
    databaseUrl,
    connection,
    withKey: key => createClient(first.url, key),
    startAnother: (extraEnv = {}, extraTiming = {}) => start(extraEnv, extraTiming),
    close: async () => {
      await first.close();
      if (env.PORT !== undefined) usedPorts.push(Number(env.PORT));
      await drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Starts a service in this process on the database of `env.DATABASE_URL`. It takes a tenth of the processor time of a child
 * process, which only a test that kills or freezes the service needs.
 */
export async function startLocalService(
  folder: string,
  env: NodeJS.ProcessEnv,
  timing: Partial<Timing> = {},
): Promise<LocalService> {
  const settings = readSettings({ ...baseEnv(folder), ...env });
  const service = await startService(settings, {
    log: createLogger('silent'),
    ...(settings.EDITOR_DIR === EDITOR_FOLDER && { editor: await openSharedEditor() }),
    timing: { ...divideTiming(TIMING, settings.TIMING_DIVISOR), ...timing },
  });
  // Before `settled`, pages of the web application say that it is starting.
  await service.settled;
  return { ...createClient(service.url, KEY), url: service.url, close: () => service.close() };
}

export interface ServiceChild extends Client {
  readonly url: string;
  readonly pid: number;
  /** Returns all output so far, on stdout and stderr. */
  readonly output: () => string;
  /** Sends the signal, and SIGKILL to the whole process group. Resolves when the process has exited. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when the process has exited, also if somebody else ended it. */
  readonly exited: Promise<unknown>;
}

/**
 * Starts a service in its own process group and waits until it is ready. Without a DATABASE_URL it uses the embedded
 * PostgreSQL.
 */
export async function spawnService(
  folder: string,
  env: NodeJS.ProcessEnv = {},
  program = BIN,
): Promise<ServiceChild> {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { ...cleanEnv(), ...baseEnv(folder), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = child.pid ?? 0;
  const exited = once(child, 'exit');
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await waitUntil('the service to be ready', () => {
    if (child.exitCode !== null) throw new Error(`The service ended before it was ready:\n${stderr}`);
    return READY.test(stderr);
  });
  const url = READY.exec(stderr)?.groups?.url ?? '';
  return {
    ...createClient(url, KEY),
    url,
    pid,
    output: () => log + stderr,
    signal: name => process.kill(pid, name),
    exited,
    end: async name => {
      if (child.exitCode === null && child.signalCode === null) {
        process.kill(name === 'SIGKILL' ? -pid : pid, name);
      }
      await waitForExit(STOP_TIMEOUT_MS, exited, () => process.kill(-pid, 'SIGKILL'));
    },
  };
}

/** Kills a process that has not exited in time, and throws an error. */
async function waitForExit(ms: number, exited: Promise<unknown>, kill: () => void): Promise<void> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, ms);
  await exited;
  clearTimeout(timer);
  if (isLate) throw new Error(`The service had not stopped ${ms / 1000} s after it was asked to.`);
}

/** Returns the settings of every service in the tests. */
export function baseEnv(folder: string, databaseUrl?: string): NodeJS.ProcessEnv {
  return {
    DATA_DIR: folder,
    EDITOR_DIR: EDITOR_FOLDER,
    PORT: '0',
    BASE_URL: 'http://localhost:3000',
    BOOTSTRAP_API_KEY: KEY,
    SECRETS_KEY,
    LOG_LEVEL: 'silent',
    TIMING_DIVISOR,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
}

/** Returns the environment of this process without settings of the service. */
export function cleanEnv(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const { name } of listSettings()) delete env[name];
  return env;
}

/** Returns the address of the database in the form of DATABASE_URL. */
export function toDatabaseUrl({ socketDir, user, database }: TestDatabase['connection']): string {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(socketDir)}`;
}
