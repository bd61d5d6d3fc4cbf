// Measures the runs per second, and the time from a request to the end of the run.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Db } from '../../src/store/db.ts';
import { THREE_NODES } from '../graphs.ts';
import { median, quantile, runLoad } from '../load.ts';
import { startBenchPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import {
  API_KEY,
  type BenchService,
  hasRuns,
  makeFolder,
  removeFolder,
  startPlainService,
  storeWorkflow,
} from '../service.ts';

const CONNECTIONS = 20;

export async function* runRunRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  const baselinePostgres = await startBenchPostgres(CONNECTIONS);
  try {
    await measureInsertsPerSecond(baselinePostgres.db, 200);
    const workflowId = await storeWorkflow(service, THREE_NODES);
    const count = isShort ? 40 : 5000;
    await runMany(service, workflowId, Math.ceil(count / 5));
    const runRates = [];
    const insertRates = [];
    // The measurements alternate, so that other load affects both.
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      runRates.push(await runMany(service, workflowId, count));
      insertRates.push(await measureInsertsPerSecond(baselinePostgres.db, isShort ? 20 : 1500));
    }
    yield {
      figure: 'runs per second, three free nodes, 20 connections',
      value: median(runRates),
      unit: 'runs/s',
      target: { value: 2500, is: 'at least' },
      baseline: { name: 'single-row inserts by pg, 20 connections', value: median(insertRates) },
      note: `rounds: ${runRates.map(Math.round).join(', ')}; of inserts: ${insertRates.map(Math.round).join(', ')}; every run COMPLETED; n8n 2.41: 41, or 100 with its faster setting`,
    };
    const waitTimes = await measureWaits(service, workflowId, isShort ? 20 : 1000);
    yield {
      figure: 'Prefer: wait run of three free nodes, one connection, p50',
      value: median(waitTimes),
      unit: 'ms',
      target: { value: 6, is: 'at most' },
      note: `p90 ${quantile(waitTimes, 0.9).toFixed(2)}, p99 ${quantile(waitTimes, 0.99).toFixed(2)}`,
    };
  } finally {
    await baselinePostgres.stop();
    await service.stop();
    await removeFolder(folder);
  }
}

const HEADERS = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };

/**
 * Executes runs, each with a webhook event if `webhook` is given. Returns the runs per second, from the first request to
 * the end of the last run. Throws if a run was refused or did not complete.
 */
export async function runMany(
  service: BenchService,
  workflowId: string,
  count: number,
  webhook?: { readonly url: string; readonly secret: string },
): Promise<number> {
  const path = `/api/v1/workflows/${workflowId}/${webhook === undefined ? 'execute' : 'run'}`;
  const body = JSON.stringify({ webhook });
  const pool = new Pool(service.url, { connections: CONNECTIONS, pipelining: 1 });
  const acceptedIds = new Set<string>();
  const startMs = performance.now();
  await runLoad(CONNECTIONS, { count }, async () => {
    const runResponse = await pool.request({ method: 'POST', path, headers: HEADERS, body });
    const response = (await runResponse.body.json()) as { executionId: string };
    if (runResponse.statusCode !== 202) throw new Error(`A run was refused: ${JSON.stringify(response)}`);
    acceptedIds.add(response.executionId);
  });
  while (await hasRuns(service, workflowId, 'QUEUED', 'RUNNING')) await sleep(10);
  const seconds = (performance.now() - startMs) / 1000;
  await pool.close();
  await requireAllCompleted(service, workflowId, acceptedIds);
  return count / seconds;
}

async function requireAllCompleted(
  service: BenchService,
  workflowId: string,
  acceptedIds: ReadonlySet<string>,
): Promise<void> {
  const completedIds = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null && completedIds.size < acceptedIds.size; ) {
    const response = await service.fetch(
      `/api/v1/workflows/${workflowId}/executions?limit=200&status=COMPLETED${cursor && `&cursor=${cursor}`}`,
    );
    const page = (await response.json()) as { data: { id: string }[]; nextCursor: string | null };
    for (const { id } of page.data) completedIds.add(id);
    cursor = page.nextCursor;
  }
  const incompleteIds = [...acceptedIds].filter(id => !completedIds.has(id));
  if (incompleteIds.length > 0)
    throw new Error(
      `${incompleteIds.length} accepted runs did not complete, for example ${incompleteIds[0]}.`,
    );
}

/** Returns the times of sequential requests that wait for the end of a run. */
async function measureWaits(
  service: BenchService,
  workflowId: string,
  count: number,
): Promise<readonly number[]> {
  const pool = new Pool(service.url, { connections: 1, pipelining: 1 });
  const { latencies } = await runLoad(1, { count }, async () => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: `/api/v1/workflows/${workflowId}/execute`,
      headers: { ...HEADERS, prefer: 'wait=10' },
      body: '{}',
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`A run did not end in time: status ${statusCode}.`);
  });
  await pool.close();
  return latencies;
}

/** Measures the baseline: one commit per run on the same kind of database, without job and notification. */
async function measureInsertsPerSecond(db: Db, ms: number): Promise<number> {
  await db.query(
    'create table if not exists bench_rows (id bigint generated always as identity primary key, body text not null)',
  );
  const body = 'x'.repeat(300);
  const { callCount, seconds } = await runLoad(CONNECTIONS, { ms }, () =>
    db.query('insert into bench_rows (body) values ($1)', [body]),
  );
  return callCount / seconds;
}
