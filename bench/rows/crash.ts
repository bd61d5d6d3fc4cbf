// Measures waiting runs while processes are killed, and the cost of polling with a hundred thousand waiting calls.
import { setTimeout as sleep } from 'node:timers/promises';
import { claimDueCalls } from '../../src/store/calls.ts';
import { openDb } from '../../src/store/db.ts';
import { startBenchFal } from '../fal-double.ts';
import { median } from '../load.ts';
import { startOwnPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import { makeFolder, removeFolder, startBenchService } from '../service.ts';
import { store } from './run.ts';
import { accept, measureDelays, ONE_CALL, untilEnded } from './waiting.ts';

export async function* runCrashRows(isShort: boolean): AsyncGenerator<Row> {
  yield await pollMany(isShort ? 1000 : 100_000);
  yield await killWorker(isShort ? 20 : 3000, isShort ? 6000 : 60_000);
  yield* killEverything(isShort ? 20 : 10_000, isShort ? 6000 : 60_000);
}

/** Long enough to store the provider's last answers. */
const SETTLE_MS = 3000;
const POLLS = 20;
const BATCH = { limit: 100, perLimiter: 100, exceptLimiters: [], leaseMs: 15_000 } as const;

/**
 * Runs the statement as a worker sends it, with its plans, over a Unix socket, so that nearly all of the time is
 * PostgreSQL's.
 */
async function pollMany(count: number): Promise<Row> {
  const folder = await makeFolder();
  const postgres = await startOwnPostgres(2);
  const service = await startBenchService(folder, { DATABASE_URL: postgres.url, ROLE: 'api' });
  const [connection, onError] = [{ url: postgres.url }, () => undefined];
  const db = openDb({ connection, maxConnections: 1, plans: 'pinned', onError });
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
      const calls = await claimDueCalls(db, 'fal', BATCH);
      times.push(performance.now() - startMs);
      if (calls.length !== Math.min(BATCH.limit, count - poll * BATCH.limit) && count > POLLS * BATCH.limit)
        throw new Error(`${calls.length} calls were due instead of ${BATCH.limit}.`);
    }
    return {
      figure: `${count} waiting calls: one poller batch of ${BATCH.limit}`,
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

async function killWorker(count: number, jobMs: number): Promise<Row> {
  const folder = await makeFolder();
  const postgres = await startOwnPostgres(1);
  const fal = await startBenchFal(jobMs);
  const env = { FAL_KEY: 'bench', FAL_BASE_URL: fal.url, DATABASE_URL: postgres.url };
  const start = (ROLE: string) => startBenchService(folder, { ...env, ROLE });
  const [api, one, two] = [await start('api'), await start('worker'), await start('worker')];
  try {
    const workflow = await store(api, ONE_CALL);
    const { ids } = await accept(api, workflow, count);
    const isActive = async (): Promise<boolean> => {
      const { rows } = await postgres.db.query('select from executions where worker_id is not null limit 1');
      return rows.length > 0;
    };
    while ((await fal.accepted()).size < count || (await isActive())) await sleep(100);
    await one.kill();
    await untilEnded(api, workflow);
    const delays = await measureDelays(api, fal, ids, jobMs);
    return {
      figure: `a worker killed while ${count} runs wait: time from the call's end to the last run's end`,
      value: (delays.at(-1) ?? Number.NaN) / 1000,
      unit: 's',
      target: { value: 30, is: 'at most' },
      note: `${delays.length} of ${count} completed`,
    };
  } finally {
    await Promise.all([api.stop(), two.stop()]);
    await fal.stop();
    await postgres.stop();
    await removeFolder(folder);
  }
}

async function* killEverything(count: number, jobMs: number): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const fal = await startBenchFal(jobMs);
  const env = { FAL_KEY: 'bench', FAL_BASE_URL: fal.url };
  const first = await startBenchService(folder, env);
  const workflow = await store(first, ONE_CALL);
  const { ids } = await accept(first, workflow, count);
  while ((await fal.accepted()).size < count) await sleep(100);
  await sleep(SETTLE_MS);
  await first.kill();
  const second = await startBenchService(folder, env);
  try {
    await untilEnded(second, workflow);
    const completed = await measureDelays(second, fal, ids, jobMs);
    const credits = (await (await second.fetch('/api/v1/credits')).json()) as { held: number };
    const broken = {
      'calls submitted twice': (await fal.accepted()).size - count,
      'runs lost': count - completed.length,
      'credits still held': credits.held,
    };
    for (const [name, value] of Object.entries(broken))
      yield {
        figure: `everything killed while ${count} runs wait: ${name}`,
        value,
        unit: '',
        target: { value: 0, is: 'at most' },
      };
  } finally {
    await second.stop();
    await fal.stop();
    await removeFolder(folder);
  }
}
