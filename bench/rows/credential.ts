// Measures stored credentials: the catalog of many workspaces with a credential each, and how much a credential that hangs
// or is rate-limited delays runs with another credential of the same provider.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { type BenchFal, type Fault, startBenchFal } from '../fal-double.ts';
import { load, median } from '../load.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startBenchService } from '../service.ts';
import { store } from './run.ts';
import { ONE_CALL } from './waiting.ts';

const KINDS = ['fal', 'replicate', 'openai', 'elevenlabs'] as const;
const SETUP_CONNECTIONS = 8;
const MAX_MS = 10;

/** The maximum ratio of the time of a run while another credential fails to its time otherwise. */
const MAX_SLOWDOWN = 1.1;
const JOB_MS = 200;
/** The interval of runs with the other credential, whether it works or not. */
const START_EVERY_MS = 200;
const CONNECTIONS = 2;

export async function* runCredentialRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const fal = await startBenchFal(JOB_MS);
  const env = { FAL_BASE_URL: fal.url, CREDENTIALS_BASE_URLS: 'instance' };
  // The service requests webhooks only at a public address. The double sends them to the address of the service instead.
  const service = await startBenchService(folder, { ...env, BASE_URL: 'https://bench.example.com' });
  try {
    yield* catalogRows(service, isShort);
    await fal.sendWebhooksTo(service.url);
    yield* faultRows(service, fal, isShort);
  } finally {
    await service.stop();
    await fal.stop();
    await removeFolder(folder);
  }
}

interface Workspace {
  readonly key: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** Creates a user with a credential of the personal workspace. */
async function createWorkspace(
  service: BenchService,
  kind: (typeof KINDS)[number],
  apiKey: string,
): Promise<Workspace> {
  const email = `credential-${apiKey}@example.com`;
  const keyScopes = ['workflows:write', 'workflows:execute', 'account:admin'];
  const { apiKey: key } = await post<{ apiKey: string }>(service, '/api/v1/admin/users', {
    email,
    name: email,
    keyScopes,
  });
  const request: Workspace['fetch'] = (path, init) =>
    service.fetch(path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...(init?.headers as object) },
    });
  const values = { apiKey };
  await post({ fetch: request }, '/api/v1/credentials', { kind, name: 'Own', owner: 'workspace', values });
  return { key, fetch: request };
}

async function post<T>({ fetch }: Pick<BenchService, 'fetch'>, path: string, input: object): Promise<T> {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(input) });
  const body = await response.json();
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${JSON.stringify(body)}`);
  return body as T;
}

async function* catalogRows(service: BenchService, isShort: boolean): AsyncGenerator<Row> {
  const workspaces: Workspace[] = [];
  const count = isShort ? 12 : 1000;
  await load(SETUP_CONNECTIONS, { count }, async index => {
    const kind = KINDS[index % KINDS.length] ?? 'fal';
    workspaces.push(await createWorkspace(service, kind, `catalog-key-${index}`));
  });
  const client = new Pool(service.url, { connections: 1, pipelining: 1 });
  const read = async (path: string, { key }: Workspace): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'br' };
    const startMs = performance.now();
    // The response is not decompressed, because that is work of the client.
    const { statusCode, body } = await client.request({ method: 'GET', path, headers });
    await body.arrayBuffer();
    if (statusCode !== 200) throw new Error(`${path} returned ${statusCode}.`);
    return performance.now() - startMs;
  };
  const times = { '/api/v1/nodes': [] as number[], '/api/v1/me': [] as number[] };
  const paths = Object.keys(times) as (keyof typeof times)[];
  for (let round = 0; round < (isShort ? 1 : 4); round++) {
    for (const workspace of workspaces) {
      // The first request of a pair reads the API key, so the order of the paths alternates.
      for (const path of round % 2 === 0 ? paths : paths.toReversed()) {
        const ms = await read(path, workspace);
        if (round > 0 || isShort) times[path].push(ms);
      }
    }
  }
  await client.close();
  yield {
    figure: `GET /nodes, ${count} workspaces with a credential each, in turn, p50 warm`,
    value: median(times['/api/v1/nodes']),
    unit: 'ms',
    target: { value: MAX_MS, is: 'at most' },
    baseline: { name: 'GET /me of the same users', value: median(times['/api/v1/me']) },
    note: `${times['/api/v1/nodes'].length} requests`,
  };
}

const FAULTS: Readonly<Record<Fault, string>> = { hang: 'does not answer', limit: 'answers 429' };

async function* faultRows(service: BenchService, fal: BenchFal, isShort: boolean): AsyncGenerator<Row> {
  const healthy = await createWorkspace(service, 'fal', 'healthy-key');
  const graph = await store(healthy, ONE_CALL);
  await runAll(healthy, graph, isShort ? 2 : 20);
  for (const [fault, text] of Object.entries(FAULTS) as [Fault, string][]) {
    // Each fault has a separate credential, because the service remembers a limit longer than the fault lasts.
    const key = `faulty-key-${fault}`;
    const faulty = await createWorkspace(service, 'fal', key);
    const faultyGraph = await store(faulty, ONE_CALL);
    const [meanwhile, alone]: [number[], number[]] = [[], []];
    const failedBefore = await fal.fail(key, undefined);
    // The measurements alternate, so that other load affects both.
    for (let round = 0; round < (isShort ? 1 : 6); round++) {
      for (const times of round % 2 === 0 ? [alone, meanwhile] : [meanwhile, alone]) {
        await fal.fail(key, times === meanwhile ? fault : undefined);
        times.push(...(await measureBeside(healthy, graph, { faulty, faultyGraph, isShort })));
        await fal.fail(key, undefined);
        await cancelAll(faulty);
      }
    }
    const failed = (await fal.fail(key, undefined)) - failedBefore;
    if (failed === 0) throw new Error('No submission has failed.');
    const baseline = median(alone);
    yield {
      figure: `a run of one ${JOB_MS / 1000} s call while another credential of its provider ${text}, p50`,
      value: median(meanwhile),
      unit: 'ms',
      target: { value: baseline * MAX_SLOWDOWN, is: 'at most' },
      baseline: { name: 'while the other one works, equal load', value: baseline },
      note: `${meanwhile.length} runs of each, ${failed} submissions of the other one failed`,
    };
  }
}

interface Neighbor {
  readonly faulty: Workspace;
  readonly faultyGraph: string;
  readonly isShort: boolean;
}

/** Returns the times of runs of the healthy workspace while the other workspace starts runs at a fixed rate. */
async function measureBeside(
  healthy: Workspace,
  graph: string,
  { faulty, faultyGraph, isShort }: Neighbor,
): Promise<readonly number[]> {
  const stopping = new AbortController();
  const starting = (async () => {
    while (!stopping.signal.aborted) {
      await post(faulty, `/api/v1/workflows/${faultyGraph}/execute`, { useCache: false });
      await sleep(START_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  // The first runs with the other credential fail or hang before the measurement starts.
  await sleep(isShort ? 100 : 3000);
  const times = await runAll(healthy, graph, isShort ? 2 : 40);
  stopping.abort();
  await starting;
  return times;
}

async function runAll(workspace: Workspace, graph: string, count: number): Promise<readonly number[]> {
  const { latencies } = await load(CONNECTIONS, { count }, async () => {
    const response = await workspace.fetch(`/api/v1/workflows/${graph}/execute`, {
      method: 'POST',
      body: JSON.stringify({ useCache: false }),
      headers: { prefer: 'wait=60' },
    });
    const { status } = (await response.json()) as { status: string };
    if (status !== 'COMPLETED') throw new Error(`A run ended as ${status}.`);
  });
  return latencies;
}

async function cancelAll(workspace: Workspace): Promise<void> {
  for (const status of ['QUEUED', 'RUNNING', 'WAITING']) {
    const response = await workspace.fetch(`/api/v1/executions?limit=200&status=${status}`);
    const { data } = (await response.json()) as { data: { id: string }[] };
    await Promise.all(
      data.map(({ id }) =>
        workspace.fetch(`/api/v1/executions/${id}/cancel`, { method: 'POST', body: '{}' }),
      ),
    );
  }
}
