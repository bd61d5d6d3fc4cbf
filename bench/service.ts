// Starts a real service as a child process in its own folder, for the benchmarks.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';
import { findFreePort } from '../test/support/network/free-port.ts';
import type { TestAddress } from '../test/support/postgres/address.ts';
import { endProcess } from '../test/support/processes.ts';
import { findSharedDatabase, isServerShared } from './shared-postgres.ts';

export const API_KEY = 'sk-bench-0000000000000000';
export const CONTENT_SECRET = 'content-bench';
/** The tests' application bundle, which `--short` reuses instead of building one per service. */
const EDITOR_DIR = join(import.meta.dirname, '../node_modules/.cache/editor');

/** Raised so that a benchmark does not measure these limits. No other limits are bypassed. */
const RAISED_LIMITS = { requestsPerMinute: 1e8, executionsPerMinute: 1e8, executionsPerDay: null };

export interface BenchService {
  readonly url: string;
  readonly pid: number;
  /** The time from the start of the process to the first 200 of /readyz. */
  readonly readyMs: number;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
  /** Kills the process, and its PostgreSQL if that is embedded. */
  kill(): Promise<void>;
}

export async function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'graphwright-bench-'));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Settings of a service that uses the embedded PostgreSQL, even with `--short`. */
export const EMBEDDED = { DATABASE_URL: undefined } satisfies NodeJS.ProcessEnv;

/** Returns the address in the form of DATABASE_URL. */
export const toUrl = ({ user, database, socketDir }: TestAddress): string =>
  `postgres://${user}@/${database}?host=${encodeURIComponent(socketDir)}`;

/** The database settings by folder, so that the next service in a folder uses the data of the previous service. */
const databaseEnvs = new Map<string, NodeJS.ProcessEnv>();

async function getDatabaseEnv(folder: string): Promise<NodeJS.ProcessEnv> {
  const existing = databaseEnvs.get(folder);
  if (existing !== undefined) return existing;
  const shared = await findSharedDatabase();
  const database = shared === undefined ? EMBEDDED : { DATABASE_URL: toUrl(shared.connection) };
  databaseEnvs.set(folder, database);
  return database;
}

let sharedService: Promise<BenchService> | undefined;

/** Starts a service with only the common settings. With `--short`, all callers share one service. */
export async function startPlainService(folder: string): Promise<BenchService> {
  if (!isServerShared()) return startBenchService(folder);
  sharedService ??= startSharedService();
  return { ...(await sharedService), stop: async () => undefined };
}

async function startSharedService(): Promise<BenchService> {
  const folder = await makeFolder();
  const service = await startBenchService(folder);
  const stop = async (): Promise<void> => {
    await service.stop();
    await removeFolder(folder);
  };
  return { ...service, stop };
}

/** Stops the shared service, if there is one. Call this function at the end. */
export async function stopSharedService(): Promise<void> {
  await (await sharedService)?.stop();
}

/** Starts a service. `env` has additional settings, such as a ROLE and the DATABASE_URL of a shared database. */
export async function startBenchService(folder: string, env: NodeJS.ProcessEnv = {}): Promise<BenchService> {
  const database = 'DATABASE_URL' in env ? {} : await getDatabaseEnv(folder);
  const port = await findFreePort();
  const plans = join(folder, 'plans.json');
  await writeFile(
    plans,
    JSON.stringify({ self_hosted: RAISED_LIMITS, anonymous: RAISED_LIMITS, free: RAISED_LIMITS }),
  );
  const startMs = performance.now();
  const child = spawn(process.execPath, [join(import.meta.dirname, '../bin/graphwright.js'), 'serve'], {
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      BOOTSTRAP_API_KEY: API_KEY,
      CONTENT_WEBHOOK_SECRET: CONTENT_SECRET,
      PLANS_FILE: plans,
      MAX_CONCURRENT_RUNS: '100000',
      SECRETS_KEY: '07'.repeat(32),
      LOG_LEVEL: 'warn',
      ...(isServerShared() && { EDITOR_DIR }),
      ...database,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(url, child);
  const readyMs = performance.now() - startMs;
  return {
    url,
    pid: child.pid as number,
    readyMs,
    fetch: (path, init) =>
      fetch(url + path, {
        ...init,
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...init?.headers },
      }),
    stop: () => endProcess(child),
    async kill() {
      const exited = once(child, 'exit');
      process.kill(-(child.pid as number), 'SIGKILL');
      await exited;
    },
  };
}

/** Sends requests with the key of an account. */
export type Account = Pick<BenchService, 'fetch'>;

export const withKey = (service: Account, key: string): Account => ({
  fetch: (path, init) =>
    service.fetch(path, { ...init, headers: { ...init?.headers, authorization: `Bearer ${key}` } }),
});

/** Creates an account on the free plan. */
export async function createAccount(service: BenchService, name: string): Promise<Account> {
  const response = await service.fetch('/api/v1/admin/users', {
    method: 'POST',
    body: JSON.stringify({
      email: `${name}@example.com`,
      name,
      plan: 'free',
      keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute'],
    }),
  });
  const { apiKey } = (await response.json()) as { apiKey?: string };
  if (apiKey === undefined) throw new Error(`An account was not created: status ${response.status}.`);
  return withKey(service, apiKey);
}

/** Stores a workflow of the account and returns its id. */
export async function storeWorkflow(account: Account, graph: unknown): Promise<string> {
  const response = await account.fetch('/api/v1/workflows', { method: 'POST', body: JSON.stringify(graph) });
  const body = (await response.json()) as { id: string };
  if (response.status !== 201) throw new Error(`The graph was rejected: ${JSON.stringify(body)}`);
  return body.id;
}

/** Executes a run with the service's own key and waits for its end. Returns the status of the response. */
export async function execute(pool: Pool, workflowId: string): Promise<number> {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: `/api/v1/workflows/${workflowId}/execute`,
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', prefer: 'wait=60' },
    body: '{}',
  });
  await body.dump();
  return statusCode;
}

/** Executes a run of the workflow and waits for its end. Throws if the run did not complete. */
export async function runToEnd(account: Account, workflowId: string, body: object = {}): Promise<void> {
  const response = await account.fetch(`/api/v1/workflows/${workflowId}/run`, {
    method: 'POST',
    headers: { prefer: 'wait=60' },
    body: JSON.stringify(body),
  });
  const { status } = (await response.json()) as { status?: string };
  if (status !== 'COMPLETED') throw new Error(`A run ended as ${status ?? response.status}.`);
}

/** Returns whether the workflow has a run with one of the statuses. */
export async function hasRuns(
  account: Account,
  workflowId: string,
  ...statuses: readonly string[]
): Promise<boolean> {
  for (const status of statuses) {
    const response = await account.fetch(
      `/api/v1/workflows/${workflowId}/executions?limit=1&status=${status}`,
    );
    if (((await response.json()) as { data: unknown[] }).data.length > 0) return true;
  }
  return false;
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 5) {
    if (child.exitCode !== null)
      throw new Error(`The service exited with code ${child.exitCode} before it was ready.`);
    const isReady = await fetch(`${url}/readyz`).then(
      response => response.ok,
      () => false,
    );
    if (isReady) return;
    await sleep(5);
  }
  throw new Error('The service was not ready within a minute.');
}

/** Returns the resident memory of the process in MB now (VmRSS), or at its peak (VmHWM). */
export async function readMemoryMb(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
}

/** Returns the memory of the process and all its descendants in MB. Shared pages count once. */
export async function readTreeMemoryMb(pid: number): Promise<number> {
  const parents = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isInTree = (candidate: number): boolean =>
    candidate === pid || (candidate > 1 && isInTree(parents.get(candidate) ?? 0));
  const sizes = await Promise.all([...parents.keys()].filter(isInTree).map(readPssKb));
  return sizes.reduce((sum, kb) => sum + kb, 0) / 1024;
}

/** Returns the proportional set size of a process. */
async function readPssKb(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
}
