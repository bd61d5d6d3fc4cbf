// Measures waiting runs while processes are killed, and the cost of polling with a hundred thousand waiting calls.
import { setTimeout as sleep } from 'node:timers/promises';
import { claimDueCalls } from '../../src/store/calls.ts';
import { openDb } from '../../src/store/db.ts';
import { startBenchFal } from '../fal-double.ts';
import { median } from '../load.ts';
import { startOwnPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import { makeFolder, removeFolder, startBenchService, storeWorkflow } from '../service.ts';
import { measureDelays, ONE_CALL, startRuns, waitUntilEnded } from './waiting.ts';

export async function* runCrashRows(isShort: boolean): AsyncGenerator<Row> {
  yield await measurePolling(isShort ? 1000 : 100_000);
  yield await measureWorkerKill(isShort ? 20 : 3000, isShort ? 6000 : 60_000);
  yield* measureKillOfAll(isShort ? 20 : 10_000, isShort ? 6000 : 60_000);
}

/** The time in which the service stores the provider's last responses. */
const SETTLE_MS = 3000;
const POLLS = 20;
const BATCH_OPTIONS = { limit: 100, perLimiter: 100, excludedLimiters: [], leaseMs: 15_000 } as const;

/** Measures how long a worker's statement takes to claim due calls, over a Unix socket. */
async function measurePolling(count: number): Promise<Row> {
  const folder = await makeFolder();
  const postgres = await startOwnPostgres(2);
  const service = await startBenchService(folder, { DATABASE_URL: postgres.url, ROLE: 'api' });
  const db = openDb({
    connection: { url: postgres.url },
    maxConnections: 1,
    plans: 'pinned',
    onError: () => undefined,
  });
  try {
    await postgres.db.query(
      `insert into calls (execution_id, node_id, item, workspace, provider, job_id, submitted_at, slot_at, due_at, deadline_at)
       select 'ex_' || n, 'm', 0, 'user:' || n % 50, 'fal', 'req-' || n, now(), now(), now() - n * interval '1 millisecond',
         now() + interval '1 hour' from generate_series(1, $1::int) n`,
      [count],
    );
    const times: number[] = [];
    for (let poll = 0; poll < POLLS; poll++) {
      const startMs = performance.now();
      const calls = await claimDueCalls(db, 'fal', BATCH_OPTIONS);
      times.push(performance.now() - startMs);
      if (
        calls.length !== Math.min(BATCH_OPTIONS.limit, count - poll * BATCH_OPTIONS.limit) &&
        count > POLLS * BATCH_OPTIONS.limit
      )
        throw new Error(`${calls.length} calls were due instead of ${BATCH_OPTIONS.limit}.`);
    }
    return {
      figure: `${count} waiting calls: one poller batch of ${BATCH_OPTIONS.limit}`,
      value: median(times),
      unit: 'ms',
      target: { value: 20, is: 'at most' },
      note: `most ${Math.max(...times).toFixed(1)}`,
    };
  } finally {
    await db.close();
    await service.stop();
    await postgres.stop();
    await removeFolder(folder);
  }
}

async function measureWorkerKill(count: number, callMs: number): Promise<Row> {
  const folder = await makeFolder();
  const postgres = await startOwnPostgres(1);
  const fal = await startBenchFal(callMs);
  const env = { FAL_KEY: 'bench', FAL_BASE_URL: fal.url, DATABASE_URL: postgres.url };
  const start = (ROLE: string) => startBenchService(folder, { ...env, ROLE });
  const api = await start('api');
  const [workerToKill, otherWorker] = [await start('worker'), await start('worker')];
  try {
    const workflowId = await storeWorkflow(api, ONE_CALL);
    const { ids } = await startRuns(api, workflowId, count);
    const isRunExecuting = async (): Promise<boolean> => {
      const { rows } = await postgres.db.query('select from executions where worker_id is not null limit 1');
      return rows.length > 0;
    };
    while ((await fal.listAcceptedAtMs()).size < count || (await isRunExecuting())) await sleep(100);
    await workerToKill.kill();
    await waitUntilEnded(api, workflowId);
    const delays = await measureDelays(api, fal, ids, callMs);
    return {
      figure: `a worker killed while ${count} runs wait: time from the call's end to the last run's end`,
      value: Math.max(...delays) / 1000,
      unit: 's',
      target: { value: 30, is: 'at most' },
      note: `${delays.length} of ${count} completed`,
    };
  } finally {
    await Promise.all([api.stop(), otherWorker.stop()]);
    await fal.stop();
    await postgres.stop();
    await removeFolder(folder);
  }
}

async function* measureKillOfAll(count: number, callMs: number): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const fal = await startBenchFal(callMs);
  const env = { FAL_KEY: 'bench', FAL_BASE_URL: fal.url };
  const service = await startBenchService(folder, env);
  const workflowId = await storeWorkflow(service, ONE_CALL);
  const { ids } = await startRuns(service, workflowId, count);
  while ((await fal.listAcceptedAtMs()).size < count) await sleep(100);
  await sleep(SETTLE_MS);
  await service.kill();
  const restarted = await startBenchService(folder, env);
  try {
    await waitUntilEnded(restarted, workflowId);
    const delays = await measureDelays(restarted, fal, ids, callMs);
    const credits = (await (await restarted.fetch('/api/v1/credits')).json()) as { held: number };
    const violations = {
      'calls submitted twice': (await fal.listAcceptedAtMs()).size - count,
      'runs lost': count - delays.length,
      'credits still held': credits.held,
    };
    for (const [name, value] of Object.entries(violations))
      yield {
        figure: `everything killed while ${count} runs wait: ${name}`,
        value,
        unit: '',
        target: { value: 0, is: 'at most' },
      };
  } finally {
    await restarted.stop();
    await fal.stop();
    await removeFolder(folder);
  }
}
