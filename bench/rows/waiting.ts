// Measures runs that wait for a provider: their time and memory, and the rate at which paid runs are accepted.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { type BenchFal, startBenchFal } from '../fal-double.ts';
import { THREE_NODES } from '../graphs.ts';
import { median, quantile, runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import {
  API_KEY,
  type BenchService,
  hasRuns,
  makeFolder,
  readTreeMemoryMb,
  removeFolder,
  startBenchService,
  storeWorkflow,
} from '../service.ts';

const CONNECTIONS = 20;
const START_EVERY_MS = 100;
export const ONE_CALL = {
  name: 'one call',
  nodes: [
    {
      id: 'm',
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: {
        label: 'Picture',
        category: 'model',
        nodeType: 'generate:fal_seedream',
        config: { prompt: 'a lighthouse' },
      },
    },
  ],
  edges: [],
};

interface MeasureContext {
  readonly service: BenchService;
  readonly fal: BenchFal;
  readonly callMs: number;
  readonly isShort: boolean;
}

interface Part {
  /** The time for which the provider works on each call. */
  readonly callMs: number;
  readonly measure: (context: MeasureContext) => AsyncGenerator<Row>;
}

const POLLING_PARTS: readonly Part[] = [
  { callMs: 3_600_000, measure: measureAcceptance },
  { callMs: 10_000, measure: measureHundreds },
  { callMs: 60_000, measure: measureThousands },
];
const WEBHOOK_PART: Part = { callMs: 5000, measure: measureWebhooks };
const SHORT_CALL_MS = 500;

export async function* runWaitingRows(isShort: boolean): AsyncGenerator<Row> {
  // Only `--short` uses one service for several parts.
  for (const parts of isShort ? [POLLING_PARTS] : POLLING_PARTS.map(part => [part]))
    yield* runParts(parts, isShort);
  // The service requests webhooks only at a public address. The double sends them to the address of the service instead.
  yield* runParts([WEBHOOK_PART], isShort, { BASE_URL: 'https://bench.example.com' });
}

/** Runs the parts in sequence on one service, whose provider has the `callMs` of the first part. */
async function* runParts(
  parts: readonly Part[],
  isShort: boolean,
  env: NodeJS.ProcessEnv = {},
): AsyncGenerator<Row> {
  const callMs = isShort ? SHORT_CALL_MS : (parts[0]?.callMs ?? 0);
  const folder = await makeFolder();
  const fal = await startBenchFal(callMs);
  const service = await startBenchService(folder, { FAL_KEY: 'bench', FAL_BASE_URL: fal.url, ...env });
  try {
    for (const { measure } of parts) yield* measure({ service, fal, callMs, isShort });
  } finally {
    await service.stop();
    await fal.stop();
    await removeFolder(folder);
  }
}

async function* measureAcceptance({ service, isShort }: MeasureContext): AsyncGenerator<Row> {
  const [freeId, paidId] = [
    await storeWorkflow(service, THREE_NODES),
    await storeWorkflow(service, ONE_CALL),
  ];
  const count = isShort ? 40 : 3000;
  await startRuns(service, freeId, Math.ceil(count / 5));
  const freeRates = [];
  const paidRates = [];
  for (let round = 0; round < (isShort ? 1 : 3); round++) {
    freeRates.push((await startRuns(service, freeId, count)).perSecond);
    paidRates.push((await startRuns(service, paidId, count)).perSecond);
  }
  yield {
    figure: 'paid runs accepted per second, 20 connections, one pool',
    value: median(paidRates),
    unit: 'runs/s',
    target: { value: 1000, is: 'at least' },
    baseline: { name: 'free runs accepted', value: median(freeRates) },
    note: `rounds: ${paidRates.map(Math.round).join(', ')}; free runs: ${freeRates.map(Math.round).join(', ')}`,
  };
}

async function* measureHundreds({ service, fal, callMs, isShort }: MeasureContext): AsyncGenerator<Row> {
  const workflowId = await storeWorkflow(service, ONE_CALL);
  const startMs = performance.now();
  const { ids } = await startRuns(service, workflowId, isShort ? 20 : 640);
  await waitUntilEnded(service, workflowId);
  yield {
    figure: `${ids.length} runs of one ${callMs / 1000} s call each, accepted to last COMPLETED`,
    value: (performance.now() - startMs) / 1000,
    unit: 's',
    target: { value: 16, is: 'at most' },
  };
  const delays = await measureDelays(service, fal, ids, callMs);
  yield {
    figure: `${callMs / 1000} s call, end at the provider to end of the run, by polling, p50`,
    value: median(delays),
    unit: 'ms',
    target: { value: 1500, is: 'at most' },
    note: `p99 ${Math.round(quantile(delays, 0.99))}`,
  };
}

async function* measureWebhooks({ service, fal, callMs, isShort }: MeasureContext): AsyncGenerator<Row> {
  await fal.sendWebhooksTo(service.url);
  const workflowId = await storeWorkflow(service, ONE_CALL);
  // The first runs load the image library.
  await startRuns(service, workflowId, 10);
  await waitUntilEnded(service, workflowId);
  const ids: string[] = [];
  // The runs start one at a time, because this measures latency and not throughput.
  for (let count = isShort ? 2 : 200; count > 0; count--) {
    ids.push(...(await startRuns(service, workflowId, 1)).ids);
    await sleep(START_EVERY_MS);
  }
  await waitUntilEnded(service, workflowId);
  const delays = await measureDelays(service, fal, ids, callMs);
  for (const [name, share, max] of [
    ['p50', 0.5, 50],
    ['p99', 0.99, 250],
  ] as const) {
    yield {
      figure: `${callMs / 1000} s call, end at the provider to end of the run, by webhook, ${name}`,
      value: quantile(delays, share),
      unit: 'ms',
      target: { value: max, is: 'at most' },
      note: `${delays.length} runs`,
    };
  }
}

async function* measureThousands({ service, callMs, isShort }: MeasureContext): AsyncGenerator<Row> {
  const workflowId = await storeWorkflow(service, ONE_CALL);
  const mbBefore = await readTreeMemoryMb(service.pid);
  const startMs = performance.now();
  const { ids } = await startRuns(service, workflowId, isShort ? 50 : 10_000);
  await sleep(isShort ? 100 : 25_000);
  const growthMb = (await readTreeMemoryMb(service.pid)) - mbBefore;
  await waitUntilEnded(service, workflowId);
  yield {
    figure: `${ids.length} runs of one ${callMs / 1000} s call each, accepted to last COMPLETED, by polling`,
    value: (performance.now() - startMs) / 1000,
    unit: 's',
    target: { value: 120, is: 'at most' },
  };
  yield {
    figure: `memory growth (PSS) of service and PostgreSQL while ${ids.length} runs wait`,
    value: growthMb,
    unit: 'MB',
    target: { value: 150, is: 'at most' },
  };
}

/** Starts runs without waiting for their end. Returns their ids and the rate at which they were accepted. */
export async function startRuns(service: BenchService, workflowId: string, count: number) {
  const pool = new Pool(service.url, { connections: CONNECTIONS, pipelining: 1 });
  const ids: string[] = [];
  const { seconds } = await runLoad(CONNECTIONS, { count }, async () => {
    const runResponse = await pool.request({
      method: 'POST',
      path: `/api/v1/workflows/${workflowId}/execute`,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const response = (await runResponse.body.json()) as { executionId: string };
    if (runResponse.statusCode !== 202) throw new Error(`A run was refused: ${JSON.stringify(response)}`);
    ids.push(response.executionId);
  });
  await pool.close();
  return { ids, perSecond: count / seconds };
}

/** Waits until no run is queued or running. Throws if a run has failed. */
export async function waitUntilEnded(service: BenchService, workflowId: string): Promise<void> {
  while (await hasRuns(service, workflowId, 'RUNNING', 'QUEUED')) await sleep(100);
  const response = await service.fetch(`/api/v1/workflows/${workflowId}/executions?limit=1&status=FAILED`);
  const [failedRun] = ((await response.json()) as { data: { error: object }[] }).data;
  if (failedRun !== undefined) throw new Error(`A run has failed: ${JSON.stringify(failedRun.error)}`);
}

/** Returns the delay of each completed run, in ms from the end of the provider's work to the end of the run. */
export async function measureDelays(
  service: BenchService,
  fal: BenchFal,
  ids: readonly string[],
  callMs: number,
): Promise<readonly number[]> {
  const acceptedAtMsById = await fal.listAcceptedAtMs();
  const delays: number[] = [];
  for (const id of ids) {
    const response = await service.fetch(`/api/v1/executions/${id}`);
    const record = (await response.json()) as {
      finishedAt: string;
      nodeStates: { provider?: { jobId: string } }[];
    };
    const acceptedAtMs = acceptedAtMsById.get(record.nodeStates[0]?.provider?.jobId ?? '');
    if (acceptedAtMs !== undefined) delays.push(Date.parse(record.finishedAt) - acceptedAtMs - callMs);
  }
  return delays;
}
