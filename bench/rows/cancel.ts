// Measures sequential cancels of a thousand and of ten thousand runs, waiting at a provider or in the queue.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { startBenchFal } from '../fal-double.ts';
import { load } from '../load.ts';
import type { Row } from '../row.ts';
import { API_KEY, type BenchService, makeFolder, removeFolder, startBenchService } from '../service.ts';
import { store } from './run.ts';
import { accept, ONE_CALL } from './waiting.ts';

const CONNECTIONS = 20;
const HOUR_MS = 3_600_000;

export async function* runCancelRows(isShort: boolean): AsyncGenerator<Row> {
  const [few, many] = isShort ? [5, 10] : [1000, 10_000];
  for (const [state, maxConcurrentRuns] of Object.entries(MAX_RUNS_BY_STATE)) {
    // Services that are measured are not shared.
    const [fewSeconds = 0, manySeconds = 0] = isShort
      ? await cancel([few, many], maxConcurrentRuns)
      : [...(await cancel([few], maxConcurrentRuns)), ...(await cancel([many], maxConcurrentRuns))];
    yield {
      figure: `${many} runs waiting ${state} cancelled over ${CONNECTIONS} connections, time per run compared with ${few} runs`,
      value: manySeconds / many / (fewSeconds / few),
      unit: 'times',
      target: { value: 1.3, is: 'at most' },
      note: `${manySeconds.toFixed(1)} and ${fewSeconds.toFixed(1)} s, from the first request to the last CANCELLED`,
    };
  }
}

/** MAX_CONCURRENT_RUNS for each place where runs wait. */
const MAX_RUNS_BY_STATE = { 'for a provider': '100000', 'in the queue': '1' };

/** The seconds for the smaller and for the larger number of runs. */
async function cancel(counts: readonly number[], maxConcurrentRuns: string): Promise<readonly number[]> {
  const folder = await makeFolder();
  const fal = await startBenchFal(HOUR_MS);
  const env = { FAL_KEY: 'bench', FAL_BASE_URL: fal.url, MAX_CONCURRENT_RUNS: maxConcurrentRuns };
  const service = await startBenchService(folder, env);
  const durations: number[] = [];
  try {
    for (const count of counts) {
      const workflow = await store(service, ONE_CALL);
      const before = (await fal.accepted()).size;
      const { ids } = await accept(service, workflow, count);
      if (maxConcurrentRuns !== '1') while ((await fal.accepted()).size < before + count) await sleep(100);
      const startMs = performance.now();
      await cancelAll(service, [...ids]);
      while (await isAnyOpen(service, workflow)) await sleep(20);
      durations.push((performance.now() - startMs) / 1000);
    }
    return durations;
  } finally {
    await service.stop();
    await fal.stop();
    await removeFolder(folder);
  }
}

async function cancelAll(service: BenchService, ids: string[]): Promise<void> {
  const pool = new Pool(service.url, { connections: CONNECTIONS, pipelining: 1 });
  await load(CONNECTIONS, { count: ids.length }, async () => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: `/api/v1/executions/${ids.pop()}/cancel`,
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    await body.dump();
    if (statusCode >= 300) throw new Error(`A cancel was answered with ${statusCode}.`);
  });
  await pool.close();
}

async function isAnyOpen(service: BenchService, workflow: string): Promise<boolean> {
  for (const status of ['QUEUED', 'RUNNING', 'WAITING', 'CANCELLING']) {
    const response = await service.fetch(`/api/v1/workflows/${workflow}/executions?limit=1&status=${status}`);
    if (((await response.json()) as { data: unknown[] }).data.length > 0) return true;
  }
  return false;
}
