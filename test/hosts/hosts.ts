// Tests a service on several hosts: two API servers, three workers, PostgreSQL and the bucket. During paid runs, kills one
// host of each kind and cuts off one worker, or makes a cluster of PostgreSQL fail over. Then checks the soak's guarantees.
import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDb } from '../../src/store/db.ts';
import { CHECKS, type Check } from '../soak/audit.ts';
import { startHooks } from '../soak/hooks.ts';
import { createPlan, type Plan } from '../soak/plan.ts';
import { startProviders } from '../soak/providers.ts';
import { createShapes } from '../soak/shapes.ts';
import { findViolations, settle, startRuns } from '../soak/soak.ts';
import { type Supervisor, superviseProcess, waitUntilReady } from '../soak/supervisor.ts';
import { openAccounts, repeatStarts } from '../soak/traffic.ts';
import { BIN, baseEnv, cleanEnv } from '../support/service.ts';
import { forward } from './forward.ts';
import { createNetwork, type Network } from './network.ts';
import { DATABASE_HOSTS, type Failover, type Patroni, PROXY_HOST, startPatroni } from './patroni.ts';
import { startRoundRobin } from './round-robin.ts';

export interface HostsOptions {
  readonly seed: number;
  readonly runs: number;
  /** Runs start and hosts are killed within this time. */
  readonly loadMs: number;
  /** The time for which one worker's host is cut off. */
  readonly cutMs: number;
  /** Whether PostgreSQL runs on three hosts under Patroni. Then only these hosts fail. */
  readonly isCluster: boolean;
  /** The folder for logs, PostgreSQL's files and the bucket. The caller removes the folder. */
  readonly folder: string;
}

export interface HostsReport {
  readonly accepted: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly retries: Readonly<Record<string, number>>;
  readonly settleMs: number;
  /** By fault: seconds until another primary, and from then until the next run was accepted. */
  readonly failovers: Readonly<Record<string, { readonly switch: number; readonly acceptance: number }>>;
  readonly violations: Readonly<Record<string, readonly string[]>>;
}

const API_HOSTS = ['api0', 'api1'] as const;
const WORKER_HOSTS = ['work0', 'work1', 'work2'] as const;
const PORTS = { api: 3000, postgres: 5432, bucket: 9000 } as const;
const BUCKET = 'media';
const ENV = {
  WEBHOOK_BACKOFF_BASE_MS: '5',
  WEBHOOK_TIMEOUT_MS: '1000',
  MAX_CONCURRENT_RUNS: '1000',
  LOG_LEVEL: 'warn',
  ALLOW_PRIVATE_NETWORK: 'true',
} as const;
/** Each process opens about 25 connections. */
const MAX_CONNECTIONS = 220;

/** `[0.15, 'work0']` kills the host work0 after 15% of the load. The processes of a killed host restart immediately. */
const KILLS = [
  [0.15, 'work0'],
  [0.3, 'api0'],
  [0.5, 'bucket'],
  [0.7, 'postgres'],
] as const;
const CUT_HOST = 'work1';
/** The longest time from a new primary until a run is accepted. */
const MAX_ACCEPTANCE_SECONDS = 15;

export async function testOnHosts(
  options: HostsOptions,
  print: (line: string) => void,
): Promise<HostsReport> {
  await using stack = new AsyncDisposableStack();
  const databaseHosts = options.isCluster ? [...DATABASE_HOSTS, PROXY_HOST] : ['postgres'];
  const network = await createNetwork([...databaseHosts, 'bucket', ...API_HOSTS, ...WORKER_HOSTS]);
  stack.defer(() => network.remove());
  const { delayMs } = network;
  print(
    delayMs === undefined
      ? 'no delay between hosts, because this kernel cannot delay packets'
      : `a delay of ${delayMs} ms between hosts`,
  );
  const hooks = await startHooks();
  stack.defer(() => hooks.close());
  const providers = await startProviders();
  stack.defer(() => providers.close());
  const localPorts = listLocalPorts([hooks.url, ...Object.values(providers.env)]);
  for (const port of localPorts) {
    const server = await forward({ host: network.gateway, port }, () => ({ host: '127.0.0.1', port }));
    stack.defer(() => void server.close());
  }
  const servers = API_HOSTS.map(name => ({ host: network.host(name).address, port: PORTS.api }));
  const proxy = await startRoundRobin(network.gateway, servers);
  stack.defer(() => proxy.close());
  const url = `http://${network.gateway}:${proxy.port}`;
  const crashes: string[] = [];
  const fleetContext = { network, options, url, localPorts, env: providers.env, crashes };
  const { processes, databaseUrls, patroni } = await startAll(stack, fleetContext);
  const db = openDb({ connection: { url: databaseUrls[0] }, maxConnections: 4, onError: () => undefined });
  stack.defer(() => db.close());

  const paidShapes = Object.entries(createShapes(hooks.url)).filter(
    ([, { prompts }]) => Object.keys(prompts).length > 0,
  );
  const shapes = Object.fromEntries(paidShapes);
  const plan = createPaidPlan(options, shapes);
  const retries = new Map<string, number>();
  const accounts = await openAccounts(url, shapes, retries);
  const problems: string[] = [];
  const [{ started, unanswered }, failovers] = await Promise.all([
    startRuns(plan, accounts, shapes, hooks),
    patroni?.failOver(print, problems) ?? killHosts(network, processes, options, print),
  ]);
  print(`${started.length} runs started; waiting for open work`);
  const startMs = performance.now();
  const openWork = await settle({ db });
  const settleMs = performance.now() - startMs;
  const keyMismatches = await repeatStarts(started, accounts, hooks.url);
  await Promise.all([...API_HOSTS, ...WORKER_HOSTS].map(name => processes.get(name)?.stop('SIGTERM')));
  const fleet = { db, crashes, dataDir: options.folder };
  const acceptances = await measureAcceptance(db, failovers);
  const violations = await findViolations(
    { fleet, providers, hooks, shapes, started },
    {
      'a second primary gets no writes': async () => problems,
      'all work ends': async () => openWork,
      'runs are accepted soon after a failover': async () =>
        Object.entries(acceptances)
          .filter(([, { acceptance }]) => acceptance > MAX_ACCEPTANCE_SECONDS)
          .map(([fault, { acceptance }]) => `${fault}: the next run after ${acceptance} s`),
      'callers get final answers': async () => unanswered,
      'the same key finds the same run': async () => keyMismatches,
      ...CHECKS,
      'media and objects match': createObjectCheck(join(options.folder, 'bucket', BUCKET)),
    },
  );
  const { rows } = await db.query<{ status: string; count: number }>(
    'select status, count(*) from executions group by 1 order by 1',
  );
  return {
    accepted: started.filter(({ id }) => id !== undefined).length,
    statuses: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
    retries: Object.fromEntries(retries),
    settleMs,
    failovers: acceptances,
    violations,
  };
}

/** Finds out how long after each failover the next run was accepted. */
async function measureAcceptance(db: Db, failovers: readonly Failover[]): Promise<HostsReport['failovers']> {
  const { rows } = await db.query<{ readonly ms: number }>(
    'select extract(epoch from created_at)::float8 * 1000 as ms from executions order by created_at',
  );
  const toSeconds = (ms: number): number => Math.round(ms / 100) / 10;
  return Object.fromEntries(
    failovers.map(({ fault, primaryAt, switchMs }) => {
      const next = rows.find(({ ms }) => ms >= primaryAt)?.ms ?? Number.POSITIVE_INFINITY;
      return [fault, { switch: toSeconds(switchMs), acceptance: toSeconds(next - primaryAt) }];
    }),
  );
}

interface Fleet {
  readonly processes: ReadonlyMap<string, Supervisor>;
  /** The services use these alternately. */
  readonly databaseUrls: readonly [string, ...string[]];
  readonly patroni?: Patroni;
}

interface FleetContext {
  readonly network: Network;
  readonly options: HostsOptions;
  readonly url: string;
  /** Ports of this machine to which each host's loopback ports are forwarded. */
  readonly localPorts: readonly number[];
  readonly env: NodeJS.ProcessEnv;
  readonly crashes: string[];
}

/** Starts every process and waits until all are ready. */
async function startAll(
  stack: AsyncDisposableStack,
  { network, options, url, localPorts, env, crashes }: FleetContext,
): Promise<Fleet> {
  const { folder } = options;
  const logFolder = join(folder, 'logs');
  mkdirSync(logFolder, { recursive: true });
  const supervisors = new Map<string, Supervisor>();
  const supervise = (
    hostName: string,
    processName: string,
    args: readonly string[],
    settings: NodeJS.ProcessEnv = {},
  ): Supervisor => {
    const command = [...network.host(hostName).commandPrefix, process.execPath, ...args];
    const supervisor = superviseProcess(
      { name: processName, command, env: { ...cleanEnv(), ...settings }, logFolder },
      crashes,
    );
    // PostgreSQL's processes lead their own groups, so they would survive: its starter ends them.
    stack.defer(() => supervisor.stop(/postgres|patroni/.test(processName) ? 'SIGTERM' : 'SIGKILL'));
    return supervisor;
  };
  const program = join(import.meta.dirname, 'host.ts');
  const { postgres, bucket } = PORTS;
  const patroni = options.isCluster
    ? startPatroni({ network, folder, maxConnections: MAX_CONNECTIONS, supervise })
    : undefined;
  if (patroni === undefined) {
    const pgFolder = join(folder, 'postgres');
    const args = [program, 'postgres', pgFolder, `${postgres}`, `${MAX_CONNECTIONS}`];
    supervisors.set('postgres', supervise('postgres', 'postgres', args));
  }
  supervisors.set(
    'bucket',
    supervise('bucket', 'bucket', [program, 'bucket', join(folder, 'bucket'), `${bucket}`, BUCKET]),
  );
  const forwarders = [...API_HOSTS, ...WORKER_HOSTS].map(name =>
    supervise(name, `${name}-loopback`, [program, 'loopback', network.gateway, ...localPorts.map(String)]),
  );
  await waitUntilReady([...supervisors.values(), ...forwarders, ...(patroni?.processes ?? [])]);
  await patroni?.waitUntilHealthy();
  const databaseUrls: Fleet['databaseUrls'] =
    patroni === undefined
      ? [`postgres://postgres@${network.host('postgres').address}:${postgres}/postgres`]
      : [patroni.urls.direct, patroni.urls.proxied];
  let services = 0;
  const serve = (name: string, role: 'api' | 'worker', listenAddress: string): void => {
    const database = databaseUrls[services++ % databaseUrls.length] ?? databaseUrls[0];
    const settings = {
      ...baseEnv(join(folder, name), database),
      TIMING_DIVISOR: '1',
      ...ENV,
      ...env,
      ROLE: role,
      PORT: role === 'api' ? String(PORTS.api) : '0',
      HOST: listenAddress,
      BASE_URL: url,
      S3_BUCKET: BUCKET,
      S3_ENDPOINT: `http://${network.host('bucket').address}:${bucket}`,
      S3_FORCE_PATH_STYLE: 'true',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    };
    supervisors.set(name, supervise(name, name, [BIN, 'serve'], settings));
  };
  for (const name of API_HOSTS) serve(name, 'api', network.host(name).address);
  for (const name of WORKER_HOSTS) serve(name, 'worker', '127.0.0.1');
  await waitUntilReady([...supervisors.values()]);
  return { processes: supervisors, databaseUrls, ...(patroni === undefined ? {} : { patroni }) };
}

/** Plans the runs, alternately for the two accounts that have enough credits. */
function createPaidPlan(
  { seed, runs, loadMs }: HostsOptions,
  shapes: Parameters<typeof createPlan>[1],
): Plan {
  const plan = createPlan({ seed, runs, loadMs, faults: 0, workers: WORKER_HOSTS.length }, shapes);
  return { ...plan, runs: plan.runs.map(run => ({ ...run, account: run.run % 2 })) };
}

async function killHosts(
  network: Network,
  processes: ReadonlyMap<string, Supervisor>,
  { loadMs, cutMs }: HostsOptions,
  print: (line: string) => void,
): Promise<readonly Failover[]> {
  const kills = KILLS.map(async ([share, name]) => {
    await sleep(share * loadMs);
    processes.get(name)?.signal('SIGKILL');
    print(`${name} was killed`);
  });
  const cut = async (): Promise<void> => {
    // The cut starts with the first kill.
    await sleep(KILLS[0][0] * loadMs);
    await network.cut(CUT_HOST);
    print(`${CUT_HOST} is cut off`);
    await sleep(cutMs);
    await network.rejoin(CUT_HOST);
    print(`${CUT_HOST} is connected again`);
  };
  await Promise.all([...kills, cut()]);
  return [];
}

/** Creates the check that each row has an object, and that each object has a row or is recorded as an orphan. */
function createObjectCheck(folder: string): Check {
  return async ({ fleet }) => {
    const { rows } = await fleet.db.query<{ id: string }>('select id from media');
    const { rows: orphans } = await fleet.db.query<{ id: string }>('select id from media_strays');
    const names = await readdir(folder);
    const objects = new Set(names.flatMap(name => /^(med_\w{26})\._S3rver_object$/.exec(name)?.[1] ?? []));
    const knownIds = new Set([...rows, ...orphans].map(({ id }) => id));
    return [
      ...rows.filter(({ id }) => !objects.has(id)).map(({ id }) => `the media ${id} has no object`),
      ...[...objects].filter(id => !knownIds.has(id)).map(id => `the object ${id} has no row`),
    ];
  };
}

/** Lists the ports of the texts that are URLs on this machine's loopback. */
function listLocalPorts(texts: readonly (string | undefined)[]): readonly number[] {
  const ports = texts.flatMap(text => {
    const address = text === undefined ? null : URL.parse(text);
    return address?.hostname === '127.0.0.1' ? [Number(address.port)] : [];
  });
  return [...new Set(ports)];
}
