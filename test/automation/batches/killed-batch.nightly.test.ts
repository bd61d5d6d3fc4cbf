// Kills the service of a paid batch at random moments, and checks that each row is executed and charged once.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertLedgerBalanced } from '../../support/credits/ledger.ts';
import { modelNode, PRICE } from '../../support/credits/paid.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { plainImage } from '../../support/media/pixels.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { type FalDouble, startFal } from '../../support/providers/fal.ts';
import { type ServiceChild, spawnService, toDatabaseUrl } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';
import { createBatchClient } from './support.ts';

const ROW_COUNT = 120;
const CONCURRENCY = 20;
const GRANTED_CREDITS = 10_000;
/** The kills, each by the number of rows that have ended before, and a delay. */
const KILLS = Array.from({ length: 5 }, () => ({
  endedRows: 1 + Math.floor(Math.random() * (ROW_COUNT - 20)),
  delayMs: Math.floor(Math.random() * 400),
})).toSorted((a, b) => a.endedRows - b.endedRows);

let database: TestDatabase;
let receiver: Receiver;
let fal: FalDouble;
let folder: string;
let child: ServiceChild | undefined;
before(async () => {
  database = await createTestDatabase();
  receiver = await startReceiver();
  receiver.answer((res, { raw }) => setTimeout(() => res.writeHead(200).end(raw), 20));
  fal = await startFal(await plainImage(8, 8, '#336699'));
  fal.polls = 0;
  fal.result = { status: 200, body: { images: [{ url: `${fal.url}/files/a.png` }] } };
  folder = await mkdtemp(join(tmpdir(), 'graphwright-batch-'));
});
after(async () => {
  await child?.end('SIGKILL');
  await receiver.close();
  await fal.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const start = async (): Promise<ServiceChild> => {
  child = await spawnService(folder, {
    DATABASE_URL: toDatabaseUrl(database.connection),
    ALLOW_PRIVATE_NETWORK: 'true',
    FAL_KEY: 'fal-key',
    FAL_BASE_URL: fal.url,
  });
  return child;
};

it('a batch executes and charges each row once although its service is killed', async t => {
  t.diagnostic(`killed at ${JSON.stringify(KILLS)}`);
  let service = await start();
  const { body: me } = await service.request<{ userId: number }>('GET', '/me');
  const grant = { userId: me.userId, amount: GRANTED_CREDITS, note: 'test' };
  assert.equal((await service.request('POST', '/admin/credits', grant)).status, 200);
  const workflow = await service.createWorkflow({
    nodes: [
      node('who', 'input:text'),
      node('call', 'utility:http_request', { url: `${receiver.url}/row`, method: 'POST' }),
      modelNode('m'),
      node('out', 'output:preview'),
    ],
    edges: [edge('who.text > call.body'), edge('call.text > m.prompt'), edge('m.image > out.input')],
  });
  const rows = Array.from({ length: ROW_COUNT }, (_, index) => ({ inputs: { who: `row ${index + 1}` } }));
  const { create, read, waitForStatus } = createBatchClient(() => service);
  const { batchId, counts: initial } = await create(workflow, {
    rows,
    concurrency: CONCURRENCY,
    stopAfterFailures: 0,
  });
  assert.equal(initial.total, ROW_COUNT);
  const countEnded = async (): Promise<number> => {
    const { completed = 0, failed = 0 } = (await read(batchId)).counts;
    return completed + failed;
  };
  for (const { endedRows, delayMs } of KILLS) {
    await waitUntil(`${endedRows} ended rows`, async () => (await countEnded()) >= endedRows).catch(
      async (cause: unknown) => assert.fail(`${String(cause)} ${JSON.stringify(await read(batchId))}`),
    );
    await sleep(delayMs);
    await service.end('SIGKILL');
    service = await start();
  }
  const { counts, credits } = await waitForStatus(batchId, 'COMPLETED');
  const { body: page } = await service.request<{
    data: readonly { status: string; credits: number; error: { code: string } | null }[];
  }>('GET', `/batches/${batchId}/rows?limit=200`);
  // A call whose response was lost with the process is not repeated, because the provider may have billed the call.
  // A kill can only lose the calls that were in flight.
  const failedRows = page.data.filter(({ status }) => status !== 'completed');
  assert.deepEqual(
    failedRows.filter(({ error }) => error?.code !== 'provider_outcome_unknown'),
    [],
  );
  assert.ok(failedRows.length <= KILLS.length * CONCURRENCY, `${failedRows.length} rows were not completed`);
  const { rows: executions } = await database.db.query<{ key: string; count: number }>(
    'select origin_key as key, count(*) as count from executions where origin_id = $1 group by origin_key',
    [batchId],
  );
  assert.equal(executions.length, ROW_COUNT);
  assert.deepEqual(
    executions.filter(({ count }) => count !== 1),
    [],
  );
  assert.ok(fal.accepted.length <= ROW_COUNT, `${fal.accepted.length} calls for ${ROW_COUNT} rows`);
  await assertLedgerBalanced(database.db);
  assert.equal(
    credits.charged,
    page.data.reduce((sum, row) => sum + row.credits, 0),
  );
  assert.ok(credits.charged >= (counts.completed ?? 0) * PRICE);
  const { rows: charges } = await database.db.query<{ charged: number }>(
    `select coalesce(sum(amount), 0)::bigint as charged from credit_entries where kind = 'charge'`,
  );
  assert.equal(charges[0]?.charged, credits.charged);
});
