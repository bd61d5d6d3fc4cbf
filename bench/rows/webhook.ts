// Measures webhooks: the delay from the end of a run to the arrival of its event, and deliveries per second to receivers
// that respond immediately.
import { setTimeout as sleep } from 'node:timers/promises';
import { THREE_NODES } from '../graphs.ts';
import { callAtRate, quantile } from '../load.ts';
import type { BenchPostgres } from '../postgres.ts';
import { startBenchPostgres } from '../postgres.ts';
import type { Receivers } from '../receivers.ts';
import { startReceivers } from '../receivers.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startBenchService, storeWorkflow } from '../service.ts';
import { runMany } from './run.ts';

const RUNS_PER_SECOND = 100;
// An account may have 32 concurrent deliveries, and 8 per host, so four hosts use up the account's limit.
const HOSTS = 4;

export async function* runWebhookRows(isShort: boolean): AsyncGenerator<Row> {
  const postgres = await startBenchPostgres(1);
  const folder = await makeFolder();
  const receivers = await startReceivers(HOSTS);
  const service = await startBenchService(folder, {
    DATABASE_URL: postgres.url,
    ALLOW_PRIVATE_NETWORK: 'true',
  });
  try {
    const workflowId = await storeWorkflow(service, THREE_NODES);
    await measureDelays(service, workflowId, receivers, isShort ? 0.1 : 3);
    const delays = await measureDelays(service, workflowId, receivers, isShort ? 0.2 : 20);
    const figure = 'webhook: terminal status to POST received, at 100 runs a second';
    const note = 'from finishedAt, which is set before the commit, to the first byte at one receiver';
    const atMost = (value: number) => ({ value, is: 'at most' }) as const;
    yield { figure: `${figure}, p50`, value: quantile(delays, 0.5), unit: 'ms', target: atMost(10), note };
    yield { figure: `${figure}, p99`, value: quantile(delays, 0.99), unit: 'ms', target: atMost(60), note };
    yield {
      figure: 'deliveries per second, from a full outbox',
      value: await measureDeliveriesPerSecond(
        { service, postgres, receivers, workflowId },
        isShort ? 40 : 10_000,
      ),
      unit: '/s',
      target: { value: 1500, is: 'at least' },
      note: 'signed, logged, one account, four hosts that respond immediately (8 concurrent deliveries per host, 32 per account)',
    };
  } finally {
    await service.stop();
    await receivers.stop();
    await postgres.stop();
    await removeFolder(folder);
  }
}

const createWebhook = (url: string) => ({ url, secret: 'a secret of the receiver' });

/** Starts runs at a fixed rate for this time, and returns the delay of each run's event. */
async function measureDelays(
  service: BenchService,
  workflowId: string,
  receivers: Receivers,
  seconds: number,
): Promise<readonly number[]> {
  const webhook = createWebhook(receivers.urls[0] ?? '');
  const statuses = await callAtRate(RUNS_PER_SECOND, seconds, async () => {
    const path = `/api/v1/workflows/${workflowId}/run`;
    return (await service.fetch(path, { method: 'POST', body: JSON.stringify({ webhook }) })).status;
  });
  if (statuses.some(status => status !== 202)) throw new Error('A run was refused.');
  await waitForArrivals(receivers, statuses.length);
  return await receivers.takeDelaysMs();
}

/** Executes runs, queues all their deliveries again in one commit, and measures the rate of the repeated deliveries. */
async function measureDeliveriesPerSecond(
  {
    service,
    postgres,
    receivers,
    workflowId,
  }: { service: BenchService; postgres: BenchPostgres; receivers: Receivers; workflowId: string },
  count: number,
): Promise<number> {
  for (const url of receivers.urls) await runMany(service, workflowId, count / HOSTS, createWebhook(url));
  while (await hasPending(postgres)) await sleep(50);
  await receivers.takeDelaysMs();
  const startMs = performance.now();
  await postgres.db.query(
    `with due as (
       update deliveries set state = 'pending', next_attempt_at = null, finished_at = null, max_attempts = attempts + 12
       where id in (select id from deliveries order by id desc limit $1) returning id)
     select count(*) from (
       select array_agg(('deliver', json_build_object('id', id), null, null, null, null, null, null)::graphile_worker.job_spec
         order by md5(id)) as specs from due
     ) as batch cross join lateral graphile_worker.add_jobs(batch.specs)`,
    [count],
  );
  await waitForArrivals(receivers, count);
  const seconds = (performance.now() - startMs) / 1000;
  while (await hasPending(postgres)) await sleep(50);
  return count / seconds;
}

async function hasPending({ db }: BenchPostgres): Promise<boolean> {
  const { rows } = await db.query<{ has_pending: boolean }>(
    `select exists (select from deliveries where state <> 'delivered') as has_pending`,
  );
  return rows[0]?.has_pending === true;
}

async function waitForArrivals(receivers: Receivers, count: number): Promise<void> {
  for (let waitedMs = 0; receivers.countArrivals() < count; waitedMs += 2) {
    if (waitedMs > 60_000)
      throw new Error(`${receivers.countArrivals()} of ${count} deliveries arrived in a minute.`);
    await sleep(2);
  }
}
