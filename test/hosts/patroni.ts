// Runs PostgreSQL on three hosts under Patroni with etcd, with HAProxy before them, from Debian's packages, and makes the
// cluster fail over in several ways.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Db, openDb } from '../../src/store/db.ts';
import type { Supervisor } from '../soak/supervisor.ts';
import { waitUntil } from '../support/processes.ts';
import type { Network } from './network.ts';

export const DATABASE_HOSTS = ['pg0', 'pg1', 'pg2'] as const;
export const PROXY_HOST = 'haproxy';
const PORTS = { postgres: 5432, patroni: 8008, etcd: 2379, etcdPeers: 2380 } as const;
const BINARIES = '/usr/lib/postgresql/15/bin';
const PROGRAMS = ['patroni', 'etcd', 'haproxy', 'setpriv'] as const;
/** How many runs the new primary gets while the earlier one is watched that came back beside it. */
const WATCHED_RUNS = 10;
const REST_TIMEOUT_MS = 2000;

/** Returns why this machine cannot run the cluster, or undefined if it can. */
export function findPatroniProblem(): string | undefined {
  const missing = PROGRAMS.filter(program => spawnSync('which', [program]).status !== 0);
  if (missing.length === 0 && existsSync(BINARIES)) return undefined;
  return `the cluster needs Debian's patroni, python3-etcd, etcd-server, haproxy and postgresql-15 (missing: ${[...missing, ...(existsSync(BINARIES) ? [] : ['postgresql-15'])]})`;
}

/** Starts a program on a host under supervision. */
export type Supervise = (hostName: string, processName: string, args: readonly string[]) => Supervisor;

export interface Failover {
  readonly fault: string;
  /** When a server became the primary after the fault, in ms since the epoch. */
  readonly primaryAt: number;
  /** From the fault until then. */
  readonly switchMs: number;
}

export interface Patroni {
  readonly processes: readonly Supervisor[];
  /** `direct` names the three servers, `proxied` HAProxy. */
  readonly urls: { readonly direct: string; readonly proxied: string };
  /** Waits until one server is the primary and the others follow. */
  waitUntilHealthy(): Promise<void>;
  /** Causes each fault after the cluster has recovered from the last one. Adds what must not happen to `problems`. */
  failOver(print: (line: string) => void, problems: string[]): Promise<readonly Failover[]>;
}

interface ClusterOptions {
  readonly network: Network;
  readonly folder: string;
  readonly maxConnections: number;
  readonly supervise: Supervise;
}

export function startPatroni({ network, folder, maxConnections, supervise }: ClusterOptions): Patroni {
  const addresses = new Map(DATABASE_HOSTS.map(name => [name, network.host(name).address]));
  const program = join(import.meta.dirname, 'host.ts');
  // PostgreSQL refuses to run as root.
  chmodSync(folder, 0o755);
  const supervisors = new Map<string, readonly Supervisor[]>();
  for (const name of DATABASE_HOSTS) {
    const files = writeFiles({ name, addresses, folder, maxConnections });
    const asPostgres = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'];
    supervisors.set(name, [
      supervise(name, `${name}-etcd`, [program, 'program', '', 'etcd', ...files.etcdArguments]),
      supervise(name, `${name}-patroni`, [
        program,
        'program',
        `http://127.0.0.1:${PORTS.patroni}/health`,
        ...asPostgres,
        'patroni',
        files.patroni,
      ]),
    ]);
  }
  const proxyFile = join(folder, 'haproxy.cfg');
  writeFileSync(proxyFile, formatProxy(addresses));
  const proxy = supervise(PROXY_HOST, 'haproxy', [program, 'program', '', 'haproxy', '-db', '-f', proxyFile]);
  const urls = {
    direct: `${toUrl([...addresses.values()])}?target_session_attrs=read-write`,
    proxied: toUrl([network.host(PROXY_HOST).address]),
  };
  const cluster = { network, addresses, supervisors };
  return {
    processes: [...[...supervisors.values()].flat(), proxy],
    urls,
    waitUntilHealthy: () => waitUntilHealthy(cluster),
    failOver: (print, problems) => failOver(cluster, print, problems),
  };
}

interface Cluster {
  readonly network: Network;
  readonly addresses: ReadonlyMap<string, string>;
  /** Of each host: etcd and Patroni. */
  readonly supervisors: ReadonlyMap<string, readonly Supervisor[]>;
}

/** Writes the configuration, which is that of `docs/high-availability.md`. */
function writeFiles({
  name,
  addresses,
  folder,
  maxConnections,
}: {
  readonly name: string;
  readonly addresses: ReadonlyMap<string, string>;
  readonly folder: string;
  readonly maxConnections: number;
}): { readonly patroni: string; readonly etcdArguments: readonly string[] } {
  const address = addresses.get(name) ?? '';
  const home = join(folder, name);
  mkdirSync(home);
  spawnSync('chown', ['postgres:postgres', home]);
  const listAll = (format: (address: string, name: string) => string): readonly string[] =>
    Array.from(addresses, ([other, otherAddress]) => format(otherAddress, other));
  const configuration = {
    scope: 'graphwright',
    name,
    restapi: { listen: `0.0.0.0:${PORTS.patroni}`, connect_address: `${address}:${PORTS.patroni}` },
    etcd3: { hosts: listAll(other => `${other}:${PORTS.etcd}`) },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 5,
        retry_timeout: 5,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: maxConnections } },
      },
      initdb: ['data-checksums', { encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
    },
    postgresql: {
      listen: `0.0.0.0:${PORTS.postgres}`,
      connect_address: `${address}:${PORTS.postgres}`,
      data_dir: join(home, 'data'),
      bin_dir: BINARIES,
      pgpass: join(home, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres', password: 'postgres' },
        replication: { username: 'replicator', password: 'replicator' },
      },
      pg_hba: [
        'local all all trust',
        'host all all 0.0.0.0/0 trust',
        'host replication replicator 0.0.0.0/0 trust',
      ],
      parameters: { unix_socket_directories: home },
    },
  };
  // JSON is YAML too.
  const patroni = join(home, 'patroni.yml');
  writeFileSync(patroni, JSON.stringify(configuration, null, 2));
  const clients = `http://0.0.0.0:${PORTS.etcd}`;
  const own = `http://${address}:${PORTS.etcdPeers}`;
  const etcdArguments = [
    ['--name', name],
    ['--data-dir', join(folder, `${name}-etcd`)],
    ['--listen-client-urls', clients],
    ['--advertise-client-urls', `http://${address}:${PORTS.etcd}`],
    ['--listen-peer-urls', own],
    ['--initial-advertise-peer-urls', own],
    ['--initial-cluster', listAll((other, host) => `${host}=http://${other}:${PORTS.etcdPeers}`).join(',')],
  ].flat();
  return { patroni, etcdArguments };
}

/** Sends connections to the server that Patroni says is the primary, and closes those to a server that is not. */
const formatProxy = (addresses: ReadonlyMap<string, string>): string => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen postgres
  bind *:${PORTS.postgres}
  option httpchk GET /primary
  default-server port ${PORTS.patroni} inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${Array.from(addresses, ([name, address]) => `  server ${name} ${address}:${PORTS.postgres} check`).join('\n')}
`;

async function request(address: string, path: string, body?: unknown): Promise<Response | undefined> {
  try {
    return await fetch(`http://${address}${path}`, {
      signal: AbortSignal.timeout(REST_TIMEOUT_MS),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  } catch {
    return undefined;
  }
}

/** Returns the names of the hosts for which Patroni confirms the role. */
async function listHosts(
  { addresses }: Pick<Cluster, 'addresses'>,
  role: 'primary' | 'replica' | 'synchronous',
): Promise<readonly string[]> {
  const names = await Promise.all(
    Array.from(addresses, async ([name, address]) => {
      const response = await request(`${address}:${PORTS.patroni}`, `/${role}`);
      return response?.status === 200 ? [name] : [];
    }),
  );
  return names.flat();
}

const isHealthy = async (cluster: Cluster): Promise<boolean> => {
  const [primaries, replicas, synchronous] = await Promise.all([
    listHosts(cluster, 'primary'),
    listHosts(cluster, 'replica'),
    listHosts(cluster, 'synchronous'),
  ]);
  return primaries.length === 1 && replicas.length === DATABASE_HOSTS.length - 1 && synchronous.length > 0;
};

const waitUntilHealthy = (cluster: Cluster): Promise<void> =>
  waitUntil('a primary with replicas', () => isHealthy(cluster));

/** Makes something fail at the host of the primary. Returns a function that repairs it once another server is the primary. */
type Fault = (cluster: Cluster, primary: string, problems: string[]) => Promise<() => Promise<void>>;

const FAULTS: Readonly<Record<string, Fault>> = {
  'the host of the primary is killed': async ({ network, supervisors }, primary) => {
    await network.cut(primary);
    for (const supervisor of supervisors.get(primary) ?? []) supervisor.signal('SIGKILL');
    for (const pid of await network.listProcesses(primary, /postgres|patroni/)) process.kill(pid, 'SIGKILL');
    return () => network.rejoin(primary);
  },
  'the primary is cut off, and comes back without Patroni as a second primary': async (
    cluster,
    primary,
    problems,
  ) => {
    const { network } = cluster;
    const patroni = await network.listProcesses(primary, /^[^ ]*python\S* \S*patroni/);
    for (const pid of patroni) process.kill(pid, 'SIGSTOP');
    await network.cut(primary);
    return async () => {
      await network.rejoin(primary);
      await watchSecondPrimary(cluster, primary, problems);
      for (const pid of patroni) process.kill(pid, 'SIGCONT');
    };
  },
  'the primary is switched over by command': async (cluster, primary) => {
    const [candidate] = await listHosts(cluster, 'synchronous');
    const leader = `${cluster.addresses.get(primary)}:${PORTS.patroni}`;
    // Patroni answers when the switchover is over.
    void request(leader, '/switchover', { leader: primary, candidate });
    return async () => undefined;
  },
};

async function failOver(
  cluster: Cluster,
  print: (line: string) => void,
  problems: string[],
): Promise<readonly Failover[]> {
  const failovers: Failover[] = [];
  for (const [fault, cause] of Object.entries(FAULTS)) {
    const [old = ''] = await listHosts(cluster, 'primary');
    const startMs = Date.now();
    const repair = await cause(cluster, old, problems);
    // The old primary, which may not answer, would delay the measurement.
    const others = { addresses: new Map([...cluster.addresses].filter(([name]) => name !== old)) };
    await waitUntil('another primary', async () => (await listHosts(others, 'primary')).length > 0);
    const failover = { fault, primaryAt: Date.now(), switchMs: Date.now() - startMs };
    print(`${fault}: another primary after ${(failover.switchMs / 1000).toFixed(1)} s`);
    failovers.push(failover);
    await repair();
    await waitUntilHealthy(cluster);
  }
  await killEtcdLeader(cluster);
  print("etcd's leader was killed");
  await waitUntilHealthy(cluster);
  return failovers;
}

/** Adds a problem if the server gets runs while another one, which has replaced it, gets some. */
async function watchSecondPrimary({ addresses }: Cluster, second: string, problems: string[]): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const open = (url: string): Db => {
    const db = openDb({ connection: { url }, maxConnections: 1, onError: () => undefined });
    stack.defer(() => db.close());
    return db;
  };
  const old = open(toUrl([addresses.get(second) ?? '']));
  const current = open(toUrl([...addresses.values()]));
  const count = async (db: Db): Promise<number> =>
    (await db.query<{ count: number }>('select count(*) from executions')).rows[0]?.count ?? 0;
  const { rows } = await old.query('select pg_is_in_recovery() as is');
  if (rows[0]?.is !== false) problems.push('the server that came back was not a second primary');
  const [oldBefore, currentBefore] = [await count(old), await count(current)];
  await waitUntil(
    'runs at the new primary',
    async () => (await count(current)) >= currentBefore + WATCHED_RUNS,
  );
  const written = (await count(old)) - oldBefore;
  if (written > 0) problems.push(`${written} runs were written to the second primary`);
}

const toUrl = (addresses: readonly string[]): string =>
  `postgres://postgres@${addresses.map(address => `${address}:${PORTS.postgres}`).join(',')}/postgres`;

interface EtcdStatus {
  readonly leader: string;
  readonly header: { readonly member_id: string };
}

async function killEtcdLeader({ addresses, supervisors }: Cluster): Promise<void> {
  for (const [name, address] of addresses) {
    const response = await request(`${address}:${PORTS.etcd}`, '/v3/maintenance/status', {});
    const status = (await response?.json()) as EtcdStatus | undefined;
    if (status !== undefined && status.leader === status.header.member_id)
      return supervisors.get(name)?.[0]?.signal('SIGKILL');
  }
  throw new Error('etcd has no leader.');
}
