// Starts a real service as a child process in its own folder, for the benchmarks.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../test/support/network/free-port.ts';
import type { TestAddress } from '../test/support/postgres.ts';
import { findSharedDatabase, isServerShared } from './shared-postgres.ts';

export const API_KEY = 'sk-bench-0000000000000000';
export const CONTENT_SECRET = 'content-bench';
/** The tests' application bundle, which `--short` reuses instead of building one per service. */
const EDITOR_DIR = join(import.meta.dirname, '../node_modules/.cache/editor');

/** Raised so that the limits are not measured; nothing else may bypass them. */
const RAISED = { requestsPerMinute: 1e8, executionsPerMinute: 1e8, executionsPerDay: null };

export interface BenchService {
  readonly url: string;
  readonly pid: number;
  /** From spawn to the first 200 of /readyz. */
  readonly readyMs: number;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
  /** Including its PostgreSQL, if embedded. */
  kill(): Promise<void>;
}

export async function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'graphwright-bench-'));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** In `env`: the service uses its embedded PostgreSQL, also with `--short`. */
export const EMBEDDED = { DATABASE_URL: undefined } satisfies NodeJS.ProcessEnv;

/** In the form of DATABASE_URL. */
export const toUrl = ({ user, database, socketDir }: TestAddress): string =>
  `postgres://${user}@/${database}?host=${encodeURIComponent(socketDir)}`;

/** One per folder, so that its next service finds what the previous one wrote. */
const databases = new Map<string, NodeJS.ProcessEnv>();

async function findDatabase(folder: string): Promise<NodeJS.ProcessEnv> {
  const known = databases.get(folder);
  if (known !== undefined) return known;
  const shared = await findSharedDatabase();
  const database = shared === undefined ? EMBEDDED : { DATABASE_URL: toUrl(shared.connection) };
  databases.set(folder, database);
  return database;
}

let shared: Promise<BenchService> | undefined;

/** Starts a service with the common settings only. With `--short` all callers share it. */
export async function startPlainService(folder: string): Promise<BenchService> {
  if (!isServerShared()) return startBenchService(folder);
  shared ??= startShared();
  return { ...(await shared), stop: async () => undefined };
}

async function startShared(): Promise<BenchService> {
  const folder = await makeFolder();
  const service = await startBenchService(folder);
  const stop = async (): Promise<void> => {
    await service.stop();
    await removeFolder(folder);
  };
  return { ...service, stop };
}

/** Called at the end; does nothing if there is none. */
export async function stopSharedService(): Promise<void> {
  await (await shared)?.stop();
}

/** `env`: additional settings, e.g. a ROLE and the DATABASE_URL shared with others. */
export async function startBenchService(folder: string, env: NodeJS.ProcessEnv = {}): Promise<BenchService> {
  const database = 'DATABASE_URL' in env ? {} : await findDatabase(folder);
  const port = await findFreePort();
  const plans = join(folder, 'plans.json');
  await writeFile(plans, JSON.stringify({ self_hosted: RAISED, anonymous: RAISED, free: RAISED }));
  const began = performance.now();
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
  await untilReady(url, child);
  const readyMs = performance.now() - began;
  return {
    url,
    pid: child.pid as number,
    readyMs,
    fetch: (path, init) =>
      fetch(url + path, {
        ...init,
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...init?.headers },
      }),
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
    async kill() {
      const ended = once(child, 'exit');
      process.kill(-(child.pid as number), 'SIGKILL');
      await ended;
    },
  };
}

/** What an account sends requests with. */
export type Account = Pick<BenchService, 'fetch'>;

/** Creates an account on the plan free. */
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
  const authorization = `Bearer ${apiKey}`;
  return {
    fetch: (path, init) => service.fetch(path, { ...init, headers: { ...init?.headers, authorization } }),
  };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 5) {
    if (child.exitCode !== null)
      throw new Error(`The service exited with code ${child.exitCode} before it was ready.`);
    const ready = await fetch(`${url}/readyz`).then(
      response => response.ok,
      () => false,
    );
    if (ready) return;
    await sleep(5);
  }
  throw new Error('The service was not ready within a minute.');
}

/** Returns the proportional set size of the process and all its descendants, in MB: shared pages count once. */
export async function memoryOfTree(pid: number): Promise<number> {
  const parents = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isOurs = (candidate: number): boolean =>
    candidate === pid || (candidate > 1 && isOurs(parents.get(candidate) ?? 0));
  const ours = [...parents.keys()].filter(isOurs);
  const sizes = await Promise.all(ours.map(readPss));
  return sizes.reduce((sum, kb) => sum + kb, 0) / 1024;
}

async function readPss(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
}
