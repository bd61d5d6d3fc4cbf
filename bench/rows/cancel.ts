// Measures the time to cancel a thousand and ten thousand runs that wait for a provider or in the queue.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { startBenchFal } from '../fal-double.ts';
import { runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import {
  API_KEY,
  type BenchService,
  hasRuns,
  makeFolder,
  removeFolder,
  startBenchService,
  storeWorkflow,
} from '../service.ts';
import { ONE_CALL, startRuns } from './waiting.ts';

const CONNECTIONS = 20;
const HOUR_MS = 3_600_000;
const OPEN_STATUSES = ['QUEUED', 'RUNNING', 'WAITING', 'CANCELLING'];

export async function* runCancelRows(isShort: boolean): AsyncGenerator<Row> {
  const [smallCount, largeCount] = isShort ? [5, 10] : [1000, 10_000];
  for (const [waitReason, maxConcurrentRuns] of Object.entries(MAX_RUNS_BY_WAIT_REASON)) {
    const measure = (...counts: readonly number[]) => measureCancels(counts, maxConcurrentRuns);
    // Only `--short` uses one service for both counts.
    const [smallSeconds = 0, largeSeconds = 0] = isShort
      ? await measure(smallCount, largeCount)
      : [...(await measure(smallCount)), ...(await measure(largeCount))];
    yield {
      figure: `${largeCount} runs waiting ${waitReason} cancelled over ${CONNECTIONS} connections, time per run compared with ${smallCount} runs`,
      value: largeSeconds / largeCount / (smallSeconds / smallCount),
      unit: 'times',
      target: { value: 1.3, is: 'at most' },
      note: `${largeSeconds.toFixed(1)} and ${smallSeconds.toFixed(1)} s, from the first request to the last CANCELLED`,
    };
  }
}

/** The value of MAX_CONCURRENT_RUNS with which runs wait for this reason. */
const MAX_RUNS_BY_WAIT_REASON = { 'for a provider': '100000', 'in the queue': '1' };

/** Returns the seconds in which each number of runs was cancelled. */
async function measureCancels(
  counts: readonly number[],
  maxConcurrentRuns: string,
): Promise<readonly number[]> {
  const folder = await makeFolder();
  const fal = await startBenchFal(HOUR_MS);
  const env = { FAL_KEY: 'bench', FAL_BASE_URL: fal.url, MAX_CONCURRENT_RUNS: maxConcurrentRuns };
  const service = await startBenchService(folder, env);
  const durations: number[] = [];
  try {
    for (const count of counts) {
      const workflowId = await storeWorkflow(service, ONE_CALL);
      const previousCalls = (await fal.listAcceptedAtMs()).size;
      const { ids } = await startRuns(service, workflowId, count);
      if (maxConcurrentRuns !== '1')
        while ((await fal.listAcceptedAtMs()).size < previousCalls + count) await sleep(100);
      const startMs = performance.now();
      await cancelRuns(service, [...ids]);
      while (await hasRuns(service, workflowId, ...OPEN_STATUSES)) await sleep(20);
      durations.push((performance.now() - startMs) / 1000);
    }
    return durations;
  } finally {
    await service.stop();
    await fal.stop();
    await removeFolder(folder);
  }
}

async function cancelRuns(service: BenchService, remainingIds: string[]): Promise<void> {
  const pool = new Pool(service.url, { connections: CONNECTIONS, pipelining: 1 });
  await runLoad(CONNECTIONS, { count: remainingIds.length }, async () => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: `/api/v1/executions/${remainingIds.pop()}/cancel`,
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    await body.dump();
    if (statusCode >= 300) throw new Error(`A cancel was answered with ${statusCode}.`);
  });
  await pool.close();
}
