// Starts one postmaster process, waits until it accepts connections, and stops it.
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { AppError } from '../../lib/errors.ts';
import { type Runner, startProgram } from './run-as.ts';

export interface ServerRequest {
  readonly postgres: string;
  readonly clusterDir: string;
  readonly socketDir: string;
  readonly runner: Runner;
  readonly maxConnections: number;
  readonly log: (line: string) => void;
}

export interface Server {
  readonly pid: number;
  /** Resolves with the exit code or signal when the process has ended; never rejects. */
  readonly ended: Promise<string>;
  /** Ends open transactions, writes a checkpoint and resolves when the process has ended. */
  stop(): Promise<void>;
}

/** `fsync` and `synchronous_commit` keep their default, on, so that commits are durable. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  port: '5432',
  shared_buffers: '128MB',
  // Statements are short: JIT compilation or parallel workers cost more than they save.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Saves three idle processes. The data fits in the page cache.
  io_method: 'sync',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // The queue's table is filled and emptied constantly, and dead rows slow it down.
  autovacuum_naptime: '10s',
};

const READY_MESSAGE = 'database system is ready to accept connections';
// Recovery replays at most max_wal_size (1 GB by default).
const START_TIMEOUT_MS = 120_000;
// How long to read the last output of a process after its end.
const LAST_OUTPUT_MS = 1_000;
const MAX_KEPT_LINES = 8;
const MAX_LINE_CHARS = 2000;
/** Requests a fast shutdown, then an immediate one, then kills the server. None of them damages the files. */
const STOP_SIGNALS: readonly (readonly [signal: NodeJS.Signals, waitMs: number])[] = [
  ['SIGINT', 15_000],
  ['SIGQUIT', 3_000],
  ['SIGKILL', 3_000],
];

/** Starts a postmaster and waits until it accepts connections. Throws an error with the last log lines if it does not. */
export async function startServer(request: ServerRequest): Promise<Server> {
  const { postgres, clusterDir, socketDir, runner, maxConnections, log } = request;
  const settings = Object.entries({
    ...SETTINGS,
    max_connections: String(maxConnections),
    unix_socket_directories: socketDir,
  });
  const child = startProgram(runner, postgres, [
    '-D',
    clusterDir,
    ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const ended = new Promise<string>(resolve => {
    child.once('error', err => resolve(err.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
  });
  const closeEvent = new Promise<true>(resolve => child.once('close', () => resolve(true)));
  const lines: string[] = [];
  const ready = new Promise<true>(resolve => {
    if (child.stderr === null) return;
    createInterface({ input: child.stderr }).on('line', text => {
      const line = text.slice(0, MAX_LINE_CHARS);
      log(line);
      lines.push(line);
      if (lines.length > MAX_KEPT_LINES) lines.shift();
      if (line.includes(READY_MESSAGE)) resolve(true);
    });
  });
  const outcome = await withTimeLimit(START_TIMEOUT_MS, Promise.race([ready, ended]));
  if (outcome === true && child.pid !== undefined) {
    unreference(child);
    return { pid: child.pid, ended, stop: () => stopServer(child, ended) };
  }
  await stopServer(child, ended);
  await withTimeLimit(LAST_OUTPUT_MS, closeEvent);
  const problem = outcome ?? `not ready after ${START_TIMEOUT_MS / 1000} s`;
  throw new AppError(
    'unavailable',
    `The embedded PostgreSQL did not start (${problem}). Its last output:\n\n${lines.join('\n')}`,
  );
}

async function stopServer(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.ref();
  for (const [signal, waitMs] of STOP_SIGNALS) {
    child.kill(signal);
    if ((await withTimeLimit(waitMs, ended)) !== undefined) return;
  }
}

/** Prevents the child process from keeping the service's event loop alive. */
function unreference(child: ChildProcess): void {
  child.unref();
  const { stderr } = child;
  if (stderr !== null && 'unref' in stderr && typeof stderr.unref === 'function') stderr.unref();
}

/** Returns the value of the promise, or undefined after the time limit. */
async function withTimeLimit<T>(timeoutMs: number, promise: Promise<T>): Promise<T | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, timeoutMs, undefined);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
