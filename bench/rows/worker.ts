// Measures runs over several processes: the throughput compared with one process, and the delay of an account's runs while
// another account has ten thousand queued runs.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCOPES } from '../../src/services/accounts/actor.ts';
import { storeKey } from '../../src/services/accounts/keys.ts';
import { insertUser } from '../../src/store/users.ts';
import { THREE_NODES } from '../graphs.ts';
import { median, runLoad } from '../load.ts';
import type { BenchPostgres } from '../postgres.ts';
import { startBenchPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import {
  type Account,
  type BenchService,
  makeFolder,
  removeFolder,
  startBenchService,
  storeWorkflow,
  withKey,
} from '../service.ts';
import { runMany } from './run.ts';

const ONE_PROCESS = ['all'];
const API_AND_TWO_WORKERS = ['api', 'worker', 'worker'];
const API_AND_WORKER = ['api', 'worker'];
const START_DELAY_ENV = { MAX_CONCURRENT_RUNS: '100', ALLOW_PRIVATE_NETWORK: 'true' };

/** Each measurement starts its own services, except in short mode, in which all measurements share services. */
export async function* runWorkerRows(isShort: boolean): AsyncGenerator<Row> {
  if (isShort) {
    yield* withGroups([ONE_PROCESS, API_AND_WORKER], START_DELAY_ENV, async function* (groups) {
      yield* measureThroughput(groups, { count: 40, rounds: 1 });
      for (const group of groups) yield* measureStartDelay(group, 30);
    });
    return;
  }
  yield* withGroups([ONE_PROCESS, API_AND_TWO_WORKERS], {}, groups =>
    measureThroughput(groups, { count: 5000, rounds: 5 }),
  );
  for (const roles of [ONE_PROCESS, API_AND_WORKER])
    yield* withGroups([roles], START_DELAY_ENV, ([group]) => measureStartDelay(group, 10_000));
}

async function* withGroups<Roles extends readonly (readonly string[])[]>(
  roles: readonly [...Roles],
  env: NodeJS.ProcessEnv,
  measure: (groups: { readonly [Index in keyof Roles]: Group }) => AsyncGenerator<Row>,
): AsyncGenerator<Row> {
  const groups: Group[] = [];
  try {
    for (const groupRoles of roles) groups.push(await startGroup(groupRoles, env));
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

async function* measureThroughput(
  [single, split]: readonly [single: Group, split: Group],
  { count, rounds: roundCount }: { readonly count: number; readonly rounds: number },
): AsyncGenerator<Row> {
  const rates = { single: [] as number[], split: [] as number[] };
  const ids = {
    single: await storeWorkflow(single.service, THREE_NODES),
    split: await storeWorkflow(split.service, THREE_NODES),
  };
  await runMany(single.service, ids.single, count / 2);
  await runMany(split.service, ids.split, count / 2);
  // The measurements alternate, so that other load affects both.
  for (let round = 0; round < roundCount; round++) {
    rates.single.push(await runMany(single.service, ids.single, count));
    rates.split.push(await runMany(split.service, ids.split, count));
  }
  const value = median(rates.split);
  const baseline = { name: 'one process, alternating', value: median(rates.single) };
  yield {
    figure: 'runs per second of three free nodes, one API process and two workers',
    value,
    unit: 'runs/s',
    target: { value: baseline.value, is: 'at least' },
    baseline,
    note: `rounds: ${rates.split.map(Math.round).join(', ')}; one process: ${rates.single.map(Math.round).join(', ')}`,
  };
}

/** Measures the longest delay from the acceptance to the start of a run while another account has `count` open runs. */
async function* measureStartDelay({ service, postgres, roles }: Group, count: number): AsyncGenerator<Row> {
  const silentServer = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silentServer, 'listening');
  try {
    const url = `http://127.0.0.1:${(silentServer.address() as AddressInfo).port}/`;
    const slowId = await storeWorkflow(service, createRequestWorkflow(url));
    const otherAccount = withKey(service, await createKey(postgres));
    const workflowId = await storeWorkflow(otherAccount, THREE_NODES);
    const measuredCount = Math.min(20, count / 10);
    for (let index = 0; index < 2.5 * measuredCount; index++) await measureDelay(otherAccount, workflowId);
    await runLoad(20, { count }, () => startRun(service, slowId));
    const delays: number[] = [];
    for (let index = 0; index < measuredCount; index++) {
      delays.push(await measureDelay(otherAccount, workflowId));
      await sleep(100);
    }
    yield {
      figure: `${count} QUEUED runs of one account: time until another account's new run starts (${roles.join(' + ')})`,
      value: Math.max(...delays),
      unit: 'ms',
      target: { value: 200, is: 'at most' },
      note: `longest of ${measuredCount}, the first sent right after the last of the others was accepted; p50 ${median(delays)}, first ${delays[0]}; MAX_CONCURRENT_RUNS at its default (100)`,
    };
  } finally {
    silentServer.closeAllConnections();
    silentServer.close();
  }
}

const createRequestWorkflow = (url: string) => ({
  name: 'request without a response',
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

/** Creates an account with SQL and returns its key. */
async function createKey({ db }: BenchPostgres): Promise<string> {
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

async function startRun(account: Account, workflowId: string): Promise<string> {
  const response = await account.fetch(`/api/v1/workflows/${workflowId}/execute`, {
    method: 'POST',
    body: '{}',
  });
  const body = (await response.json()) as { executionId: string };
  if (response.status !== 202) throw new Error(`A run was refused: ${JSON.stringify(body)}`);
  return body.executionId;
}

/** Starts a run and returns the delay from its acceptance to its start in ms. */
async function measureDelay(account: Account, workflowId: string): Promise<number> {
  const id = await startRun(account, workflowId);
  for (;;) {
    const response = await account.fetch(`/api/v1/executions/${id}`);
    const run = (await response.json()) as { createdAt: string; startedAt: string | null };
    if (run.startedAt !== null) return Date.parse(run.startedAt) - Date.parse(run.createdAt);
    await sleep(5);
  }
}
