// Measures runs that wait for a provider: the time and memory of many such runs, and the rate at which paid runs are
// accepted.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { type BenchFal, startBenchFal } from '../fal-double.ts';
import { THREE_NODES } from '../graphs.ts';
import { load, median, quantile } from '../load.ts';
import type { Row } from '../row.ts';
import {
  API_KEY,
  type BenchService,
  makeFolder,
  memoryOfTree,
  removeFolder,
  startBenchService,
} from '../service.ts';
import { store } from './run.ts';

const CONNECTIONS = 20;
const HOOK_PAUSE_MS = 100;
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

/** What a part needs to measure. */
interface WaitingRuns {
  readonly service: BenchService;
  readonly fal: BenchFal;
  /** The time for which the double works on a call. */
  readonly jobMs: number;
  readonly isShort: boolean;
}

interface Part {
  readonly jobMs: number;
  readonly measure: (waiting: WaitingRuns) => AsyncGenerator<Row>;
}

const POLLED: readonly Part[] = [
  { jobMs: 3_600_000, measure: acceptRows },
  { jobMs: 10_000, measure: manyRows },
  { jobMs: 60_000, measure: thousandsRows },
];
const HOOKED: Part = { jobMs: 5000, measure: hookRows };
const SHORT_JOB_MS = 500;

export async function* runWaitingRows(isShort: boolean): AsyncGenerator<Row> {
  // Services that are measured are not shared.
  for (const parts of isShort ? [POLLED] : POLLED.map(part => [part])) yield* runParts(parts, isShort);
  // The service requests webhooks only at a public address. The double sends them to the address of the service instead.
  yield* runParts([HOOKED], isShort, { BASE_URL: 'https://bench.example.com' });
}

/** Runs the parts in sequence on one service, whose provider works as long as the first part says. */
async function* runParts(
  parts: readonly Part[],
  isShort: boolean,
  env: NodeJS.ProcessEnv = {},
): AsyncGenerator<Row> {
  const jobMs = isShort ? SHORT_JOB_MS : (parts[0]?.jobMs ?? 0);
  const folder = await makeFolder();
  const fal = await startBenchFal(jobMs);
  const service = await startBenchService(folder, { FAL_KEY: 'bench', FAL_BASE_URL: fal.url, ...env });
  try {
    for (const { measure } of parts) yield* measure({ service, fal, jobMs, isShort });
  } finally {
    await service.stop();
    await fal.stop();
    await removeFolder(folder);
  }
}

async function* acceptRows({ service, isShort }: WaitingRuns): AsyncGenerator<Row> {
  const [free, paid] = [await store(service, THREE_NODES), await store(service, ONE_CALL)];
  const count = isShort ? 40 : 3000;
  await accept(service, free, Math.ceil(count / 5));
  const freeRates = [];
  const paidRates = [];
  for (let round = 0; round < (isShort ? 1 : 3); round++) {
    freeRates.push((await accept(service, free, count)).perSecond);
    paidRates.push((await accept(service, paid, count)).perSecond);
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

async function* manyRows({ service, fal, jobMs, isShort }: WaitingRuns): AsyncGenerator<Row> {
  const workflow = await store(service, ONE_CALL);
  const startMs = performance.now();
  const { ids } = await accept(service, workflow, isShort ? 20 : 640);
  await untilEnded(service, workflow);
  yield {
    figure: `${ids.length} runs of one ${jobMs / 1000} s call each, accepted to last COMPLETED`,
    value: (performance.now() - startMs) / 1000,
    unit: 's',
    target: { value: 16, is: 'at most' },
  };
  const delays = await measureDelays(service, fal, ids, jobMs);
  yield {
    figure: `${jobMs / 1000} s call, end at the provider to end of the run, by polling, p50`,
    value: quantile(delays, 0.5),
    unit: 'ms',
    target: { value: 1500, is: 'at most' },
    note: `p99 ${Math.round(quantile(delays, 0.99))}`,
  };
}

async function* hookRows({ service, fal, jobMs, isShort }: WaitingRuns): AsyncGenerator<Row> {
  await fal.sendWebhooksTo(service.url);
  const workflow = await store(service, ONE_CALL);
  // The first pictures load the image library.
  await accept(service, workflow, 10);
  await untilEnded(service, workflow);
  const ids: string[] = [];
  // The runs are sequential, because their latency is measured, not the throughput.
  for (let count = isShort ? 2 : 200; count > 0; count--) {
    ids.push(...(await accept(service, workflow, 1)).ids);
    await sleep(HOOK_PAUSE_MS);
  }
  await untilEnded(service, workflow);
  const delays = await measureDelays(service, fal, ids, jobMs);
  for (const [name, share, max] of [
    ['p50', 0.5, 50],
    ['p99', 0.99, 250],
  ] as const) {
    yield {
      figure: `${jobMs / 1000} s call, end at the provider to end of the run, by webhook, ${name}`,
      value: quantile(delays, share),
      unit: 'ms',
      target: { value: max, is: 'at most' },
      note: `${delays.length} runs`,
    };
  }
}

async function* thousandsRows({ service, jobMs, isShort }: WaitingRuns): AsyncGenerator<Row> {
  const workflow = await store(service, ONE_CALL);
  const before = await memoryOfTree(service.pid);
  const startMs = performance.now();
  const { ids } = await accept(service, workflow, isShort ? 50 : 10_000);
  await sleep(isShort ? 100 : 25_000);
  const growth = (await memoryOfTree(service.pid)) - before;
  await untilEnded(service, workflow);
  yield {
    figure: `${ids.length} runs of one ${jobMs / 1000} s call each, accepted to last COMPLETED, by polling`,
    value: (performance.now() - startMs) / 1000,
    unit: 's',
    target: { value: 120, is: 'at most' },
  };
  yield {
    figure: `memory growth (PSS) of service and PostgreSQL while ${ids.length} runs wait`,
    value: growth,
    unit: 'MB',
    target: { value: 150, is: 'at most' },
  };
}

export async function accept(service: BenchService, workflowId: string, count: number) {
  const pool = new Pool(service.url, { connections: CONNECTIONS, pipelining: 1 });
  const ids: string[] = [];
  const { seconds } = await load(CONNECTIONS, { count }, async () => {
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

/** Throws an error if a run did not complete. */
export async function untilEnded(service: BenchService, workflowId: string): Promise<void> {
  const hasAny = async (status: string): Promise<boolean> => {
    const response = await service.fetch(
      `/api/v1/workflows/${workflowId}/executions?limit=1&status=${status}`,
    );
    return ((await response.json()) as { data: unknown[] }).data.length > 0;
  };
  while ((await hasAny('RUNNING')) || (await hasAny('QUEUED'))) await sleep(100);
  const response = await service.fetch(`/api/v1/workflows/${workflowId}/executions?limit=1&status=FAILED`);
  const [failed] = ((await response.json()) as { data: { error: object }[] }).data;
  if (failed !== undefined) throw new Error(`A run has failed: ${JSON.stringify(failed.error)}`);
}

export async function measureDelays(
  service: BenchService,
  fal: BenchFal,
  ids: readonly string[],
  jobMs: number,
): Promise<readonly number[]> {
  const accepted = await fal.accepted();
  const delays: number[] = [];
  for (const id of ids) {
    const response = await service.fetch(`/api/v1/executions/${id}`);
    const record = (await response.json()) as {
      finishedAt: string;
      nodeStates: { provider?: { jobId: string } }[];
    };
    const acceptedAtMs = accepted.get(record.nodeStates[0]?.provider?.jobId ?? '');
    if (acceptedAtMs !== undefined) delays.push(Date.parse(record.finishedAt) - acceptedAtMs - jobMs);
  }
  return delays.sort((a, b) => a - b);
}
