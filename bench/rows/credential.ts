// Measures stored credentials: the catalog response for many workspaces with a credential each, and the delay of runs while
// calls with another credential of the same provider fail.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { type BenchFal, type Fault, startBenchFal } from '../fal-double.ts';
import { median, runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import {
  type Account,
  type BenchService,
  makeFolder,
  removeFolder,
  runToEnd,
  startBenchService,
  storeWorkflow,
  withKey,
} from '../service.ts';
import { ONE_CALL } from './waiting.ts';

const KINDS = ['fal', 'replicate', 'openai', 'elevenlabs'] as const;
const SETUP_CONNECTIONS = 8;
const MAX_RESPONSE_MS = 10;

/** The maximum time of a run while calls with another credential fail, as a multiple of the time without failures. */
const MAX_SLOWDOWN = 1.1;
const CALL_MS = 200;
/** The interval at which runs with the other credential start, whether they fail or not. */
const START_EVERY_MS = 200;
const CONNECTIONS = 2;

export async function* runCredentialRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const fal = await startBenchFal(CALL_MS);
  const env = { FAL_BASE_URL: fal.url, CREDENTIALS_BASE_URLS: 'instance' };
  // The service requests webhooks only at a public address. The double sends them to the address of the service instead.
  const service = await startBenchService(folder, { ...env, BASE_URL: 'https://bench.example.com' });
  try {
    yield* measureCatalog(service, isShort);
    await fal.sendWebhooksTo(service.url);
    yield* measureFaults(service, fal, isShort);
  } finally {
    await service.stop();
    await fal.stop();
    await removeFolder(folder);
  }
}

interface Workspace extends Account {
  readonly key: string;
}

/** Creates a user whose personal workspace has a credential. */
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
  const workspace = { key, ...withKey(service, key) };
  const values = { apiKey };
  await post(workspace, '/api/v1/credentials', { kind, name: 'Own', owner: 'workspace', values });
  return workspace;
}

async function post<T>({ fetch }: Account, path: string, input: object): Promise<T> {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(input) });
  const body = await response.json();
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${JSON.stringify(body)}`);
  return body as T;
}

async function* measureCatalog(service: BenchService, isShort: boolean): AsyncGenerator<Row> {
  const workspaces: Workspace[] = [];
  const count = isShort ? 12 : 1000;
  await runLoad(SETUP_CONNECTIONS, { count }, async index => {
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
      // The service reads the API key at the first of the two requests, so their order alternates.
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
    target: { value: MAX_RESPONSE_MS, is: 'at most' },
    baseline: { name: 'GET /me of the same users', value: median(times['/api/v1/me']) },
    note: `${times['/api/v1/nodes'].length} requests`,
  };
}

const FAULTS: Readonly<Record<Fault, string>> = {
  'no-response': 'does not answer',
  'rate-limit': 'answers 429',
};

async function* measureFaults(service: BenchService, fal: BenchFal, isShort: boolean): AsyncGenerator<Row> {
  const healthy = await createWorkspace(service, 'fal', 'healthy-key');
  const workflowId = await storeWorkflow(healthy, ONE_CALL);
  await runMany(healthy, workflowId, isShort ? 2 : 20);
  for (const [fault, description] of Object.entries(FAULTS) as [Fault, string][]) {
    // Each fault has a separate credential, because the service remembers a limit longer than the fault lasts.
    const key = `faulty-key-${fault}`;
    const faulty = await createWorkspace(service, 'fal', key);
    const faultyWorkflowId = await storeWorkflow(faulty, ONE_CALL);
    const [timesDuringFault, timesWithoutFault]: [number[], number[]] = [[], []];
    const failedBefore = await fal.setFault(key, undefined);
    // The measurements alternate, so that other load affects both.
    for (let round = 0; round < (isShort ? 1 : 6); round++) {
      for (const times of round % 2 === 0
        ? [timesWithoutFault, timesDuringFault]
        : [timesDuringFault, timesWithoutFault]) {
        await fal.setFault(key, times === timesDuringFault ? fault : undefined);
        times.push(
          ...(await measureDuringOtherRuns(healthy, workflowId, { faulty, faultyWorkflowId, isShort })),
        );
        await fal.setFault(key, undefined);
        await cancelOpenRuns(faulty);
      }
    }
    const failedCount = (await fal.setFault(key, undefined)) - failedBefore;
    if (failedCount === 0) throw new Error('No submission has failed.');
    const baseline = median(timesWithoutFault);
    yield {
      figure: `a run of one ${CALL_MS / 1000} s call while another credential of its provider ${description}, p50`,
      value: median(timesDuringFault),
      unit: 'ms',
      target: { value: baseline * MAX_SLOWDOWN, is: 'at most' },
      baseline: { name: 'while the other one works, equal load', value: baseline },
      note: `${timesDuringFault.length} runs of each, ${failedCount} submissions of the other one failed`,
    };
  }
}

interface FaultyRuns {
  readonly faulty: Workspace;
  readonly faultyWorkflowId: string;
  readonly isShort: boolean;
}

/** Returns the times of the healthy workspace's runs while the faulty workspace starts runs at a fixed rate. */
async function measureDuringOtherRuns(
  healthy: Workspace,
  workflowId: string,
  { faulty, faultyWorkflowId, isShort }: FaultyRuns,
): Promise<readonly number[]> {
  const stop = new AbortController();
  const faultyRuns = (async () => {
    while (!stop.signal.aborted) {
      await post(faulty, `/api/v1/workflows/${faultyWorkflowId}/execute`, { useCache: false });
      await sleep(START_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  // The first runs with the other credential fail or hang before the measurement starts.
  await sleep(isShort ? 100 : 3000);
  const times = await runMany(healthy, workflowId, isShort ? 2 : 40);
  stop.abort();
  await faultyRuns;
  return times;
}

async function runMany(workspace: Workspace, workflowId: string, count: number): Promise<readonly number[]> {
  const run = () => runToEnd(workspace, workflowId, { useCache: false });
  return (await runLoad(CONNECTIONS, { count }, run)).latencies;
}

async function cancelOpenRuns(workspace: Workspace): Promise<void> {
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
