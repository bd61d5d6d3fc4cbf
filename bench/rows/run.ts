// Measures runs: the number per second, and the time from a request to the end of its run.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Db } from '../../src/store/db.ts';
import { THREE_NODES } from '../graphs.ts';
import { load, median, quantile } from '../load.ts';
import { startBenchPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import type { BenchService } from '../service.ts';
import { API_KEY, makeFolder, removeFolder, startPlainService } from '../service.ts';

const CONNECTIONS = 20;

export async function* runRunRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  const baselinePostgres = await startBenchPostgres(CONNECTIONS);
  try {
    await insertMany(baselinePostgres.db, 200);
    const workflowId = await store(service, THREE_NODES);
    const count = isShort ? 40 : 5000;
    await runMany(service, workflowId, Math.ceil(count / 5));
    const perSecond = [];
    const inserts = [];
    // The measurements alternate, so that other load affects both.
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      perSecond.push(await runMany(service, workflowId, count));
      inserts.push(await insertMany(baselinePostgres.db, isShort ? 20 : 1500));
    }
    yield {
      figure: 'runs per second, three free nodes, 20 connections',
      value: median(perSecond),
      unit: 'runs/s',
      target: { value: 2500, is: 'at least' },
      baseline: { name: 'single-row inserts by pg, 20 connections', value: median(inserts) },
      note: `rounds: ${perSecond.map(Math.round).join(', ')}; of inserts: ${inserts.map(Math.round).join(', ')}; every run COMPLETED; n8n 2.41: 41, or 100 with its faster setting`,
    };
    const waits = await waitForRuns(service, workflowId, isShort ? 20 : 1000);
    yield {
      figure: 'Prefer: wait run of three free nodes, one connection, p50',
      value: quantile(waits, 0.5),
      unit: 'ms',
      target: { value: 6, is: 'at most' },
      note: `p90 ${quantile(waits, 0.9).toFixed(2)}, p99 ${quantile(waits, 0.99).toFixed(2)}`,
    };
  } finally {
    await baselinePostgres.stop();
    await service.stop();
    await removeFolder(folder);
  }
}

export async function store(service: Pick<BenchService, 'fetch'>, graph: unknown): Promise<string> {
  const response = await service.fetch('/api/v1/workflows', { method: 'POST', body: JSON.stringify(graph) });
  const body = (await response.json()) as { id: string };
  if (response.status !== 201) throw new Error(`The graph was rejected: ${JSON.stringify(body)}`);
  return body.id;
}

const HEADERS = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };

/**
 * Runs per second, from the first request until every run has ended, each with a webhook event if there is a receiver.
 * Throws if a run was refused or did not complete.
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
  const accepted = new Set<string>();
  const startMs = performance.now();
  await load(CONNECTIONS, { count }, async () => {
    const runResponse = await pool.request({ method: 'POST', path, headers: HEADERS, body });
    const response = (await runResponse.body.json()) as { executionId: string };
    if (runResponse.statusCode !== 202) throw new Error(`A run was refused: ${JSON.stringify(response)}`);
    accepted.add(response.executionId);
  });
  // Ids sort by time: runs of earlier rounds have ended.
  while (await isAnyLeft(service, workflowId)) await sleep(10);
  const seconds = (performance.now() - startMs) / 1000;
  await pool.close();
  await checkAllCompleted(service, workflowId, accepted);
  return count / seconds;
}

async function isAnyLeft(service: BenchService, workflowId: string): Promise<boolean> {
  for (const status of ['QUEUED', 'RUNNING']) {
    const response = await service.fetch(
      `/api/v1/workflows/${workflowId}/executions?limit=1&status=${status}`,
    );
    if (((await response.json()) as { data: unknown[] }).data.length > 0) return true;
  }
  return false;
}

async function checkAllCompleted(
  service: BenchService,
  workflowId: string,
  accepted: ReadonlySet<string>,
): Promise<void> {
  const completed = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null && completed.size < accepted.size; ) {
    const response = await service.fetch(
      `/api/v1/workflows/${workflowId}/executions?limit=200&status=COMPLETED${cursor && `&cursor=${cursor}`}`,
    );
    const page = (await response.json()) as { data: { id: string }[]; nextCursor: string | null };
    for (const { id } of page.data) completed.add(id);
    cursor = page.nextCursor;
  }
  const lost = [...accepted].filter(id => !completed.has(id));
  if (lost.length > 0)
    throw new Error(`${lost.length} accepted runs did not complete, for example ${lost[0]}.`);
}

async function waitForRuns(
  service: BenchService,
  workflowId: string,
  count: number,
): Promise<readonly number[]> {
  const pool = new Pool(service.url, { connections: 1, pipelining: 1 });
  const { latencies } = await load(1, { count }, async () => {
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

/** Measures the baseline: one durable commit per run on the same kind of database, without job and notification. */
async function insertMany(db: Db, ms: number): Promise<number> {
  await db.query(
    'create table if not exists bench_rows (id bigint generated always as identity primary key, body text not null)',
  );
  const body = 'x'.repeat(300);
  const { done, seconds } = await load(CONNECTIONS, { ms }, () =>
    db.query('insert into bench_rows (body) values ($1)', [body]),
  );
  return done / seconds;
}
