// Measures runs over several processes: the throughput compared with one process, and the time of one account's runs while
// another account has ten thousand.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCOPES } from '../../src/services/accounts/actor.ts';
import { storeKey } from '../../src/services/accounts/keys.ts';
import { insertUser } from '../../src/store/users.ts';
import { THREE_NODES } from '../graphs.ts';
import { load, median, quantile } from '../load.ts';
import type { BenchPostgres } from '../postgres.ts';
import { startBenchPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import type { BenchService } from '../service.ts';
import { makeFolder, removeFolder, startBenchService } from '../service.ts';
import { runMany, store } from './run.ts';

const ALL = ['all'];
const SPLIT = ['api', 'worker', 'worker'];
const API_AND_WORKER = ['api', 'worker'];
const LIMITED = { MAX_CONCURRENT_RUNS: '100', ALLOW_PRIVATE_NETWORK: 'true' };

/** Each measurement has its own services; short mode shares them. */
export async function* runWorkerRows(isShort: boolean): AsyncGenerator<Row> {
  if (isShort) {
    yield* withGroups([ALL, API_AND_WORKER], LIMITED, async function* (groups) {
      yield* compareRows(groups, { count: 40, rounds: 1 });
      for (const group of groups) yield* behindRows(group, 30);
    });
    return;
  }
  yield* withGroups([ALL, SPLIT], {}, groups => compareRows(groups, { count: 5000, rounds: 5 }));
  for (const roles of [ALL, API_AND_WORKER])
    yield* withGroups([roles], LIMITED, ([group]) => behindRows(group, 10_000));
}

async function* withGroups<Roles extends readonly (readonly string[])[]>(
  roles: readonly [...Roles],
  env: NodeJS.ProcessEnv,
  measure: (groups: { readonly [Index in keyof Roles]: Group }) => AsyncGenerator<Row>,
): AsyncGenerator<Row> {
  const groups: Group[] = [];
  try {
    for (const each of roles) groups.push(await startGroup(each, env));
    yield* measure(groups as { [Index in keyof Roles]: Group });
  } finally {
    for (const group of groups) await group.stop();
  }
}

interface Group {
  readonly roles: readonly string[];
  /** The service that accepts requests. */
  readonly service: BenchService;
  readonly postgres: BenchPostgres;
  stop(): Promise<void>;
}

/** Starts services with these roles on a separate PostgreSQL. */
async function startGroup(roles: readonly string[], env: NodeJS.ProcessEnv): Promise<Group> {
  const postgres = await startBenchPostgres(1);
  const folder = await makeFolder();
  const services: BenchService[] = [];
  for (const ROLE of roles)
    services.push(await startBenchService(folder, { ...env, ROLE, DATABASE_URL: postgres.url }));
  return {
    roles,
    service: services[0] as BenchService,
    postgres,
    async stop() {
      for (const service of services) await service.stop();
      await postgres.stop();
      await removeFolder(folder);
    },
  };
}

/** Measures alternately, so that other load affects both. */
async function* compareRows(
  [single, split]: readonly [single: Group, split: Group],
  { count, rounds: roundCount }: { readonly count: number; readonly rounds: number },
): AsyncGenerator<Row> {
  const rounds = { single: [] as number[], split: [] as number[] };
  const ids = {
    single: await store(single.service, THREE_NODES),
    split: await store(split.service, THREE_NODES),
  };
  await runMany(single.service, ids.single, count / 2);
  await runMany(split.service, ids.split, count / 2);
  for (let round = 0; round < roundCount; round++) {
    rounds.single.push(await runMany(single.service, ids.single, count));
    rounds.split.push(await runMany(split.service, ids.split, count));
  }
  const value = median(rounds.split);
  const baseline = { name: 'one process, alternating', value: median(rounds.single) };
  yield {
    figure: 'runs per second, the same with one API process and two workers',
    value,
    unit: 'runs/s',
    target: { value: baseline.value, is: 'at least' },
    baseline,
    note: `rounds: ${rounds.split.map(Math.round).join(', ')}; one process: ${rounds.single.map(Math.round).join(', ')}`,
  };
}

/**
 * Measures the longest delay from accepted to started of some runs, while another account has `count` runs that hang or
 * wait.
 */
async function* behindRows({ service, postgres, roles }: Group, count: number): AsyncGenerator<Row> {
  const hanging = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  try {
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`;
    const slowId = await store(service, createRequestWorkflow(url));
    const other = await addAccount(postgres);
    const freshId = await store(as(service, other), THREE_NODES);
    const fresh = Math.min(20, count / 10);
    for (let warm = 0; warm < 2.5 * fresh; warm++) await timeToStart(as(service, other), freshId);
    await load(20, { count }, () => execute(service, slowId));
    const delays: number[] = [];
    for (let index = 0; index < fresh; index++) {
      delays.push(await timeToStart(as(service, other), freshId));
      await sleep(100);
    }
    const ascending = delays.toSorted((a, b) => a - b);
    yield {
      figure: `${count} QUEUED runs of one account: time until another account's new run starts (${roles.join(' + ')})`,
      value: ascending.at(-1) ?? Number.NaN,
      unit: 'ms',
      target: { value: 200, is: 'at most' },
      note: `longest of ${fresh}, the first sent right after the last of the others was accepted; p50 ${quantile(ascending, 0.5)}, first ${delays[0]}; MAX_CONCURRENT_RUNS at its default (100)`,
    };
  } finally {
    hanging.closeAllConnections();
    hanging.close();
  }
}

const createRequestWorkflow = (url: string) => ({
  name: 'asks and waits',
  nodes: [
    {
      id: 'ask',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: {
        label: 'Ask',
        category: 'utility',
        nodeType: 'utility:http_request',
        config: { url, timeoutMs: 120_000 },
      },
    },
  ],
  edges: [],
});

async function addAccount({ db }: BenchPostgres): Promise<string> {
  const key = 'sk-bench-another-account';
  const user = { email: 'other@example.com', name: 'other', plan: 'self_hosted', isAuthor: false };
  await storeKey(db, {
    userId: await insertUser(db, user),
    name: 'bench',
    scopes: SCOPES,
    expiresAt: null,
    key,
  });
  return key;
}

const as = (service: BenchService, key: string): BenchService => ({
  ...service,
  fetch: (path, init) =>
    service.fetch(path, { ...init, headers: { ...init?.headers, authorization: `Bearer ${key}` } }),
});

async function execute(service: BenchService, workflowId: string): Promise<string> {
  const response = await service.fetch(`/api/v1/workflows/${workflowId}/execute`, {
    method: 'POST',
    body: '{}',
  });
  const body = (await response.json()) as { executionId: string };
  if (response.status !== 202) throw new Error(`A run was refused: ${JSON.stringify(body)}`);
  return body.executionId;
}

async function timeToStart(service: BenchService, workflowId: string): Promise<number> {
  const id = await execute(service, workflowId);
  for (;;) {
    const response = await service.fetch(`/api/v1/executions/${id}`);
    const run = (await response.json()) as { createdAt: string; startedAt: string | null };
    if (run.startedAt !== null) return Date.parse(run.startedAt) - Date.parse(run.createdAt);
    await sleep(5);
  }
}
