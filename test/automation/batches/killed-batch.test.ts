// A batch whose processes are killed: each row is executed once, and the counts add up whenever they are read.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { type ServiceChild, spawnService, urlOf } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

interface Batch {
  readonly batchId: string;
  readonly status: string;
  readonly counts: Readonly<Record<string, number>>;
}

const ROWS = 120;
/** Completed rows at which everything is killed. */
const KILLS = [10, 40, 80];

let database: TestDatabase;
let receiver: Receiver;
let folder: string;
let child: ServiceChild | undefined;
before(async () => {
  database = await createTestDatabase();
  receiver = await startReceiver();
  receiver.answer((res, { raw }) => setTimeout(() => res.writeHead(200).end(raw), 20));
  folder = await mkdtemp(join(tmpdir(), 'graphwright-batch-'));
});
after(async () => {
  await child?.end('SIGKILL');
  await receiver.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const start = async (): Promise<ServiceChild> => {
  child = await spawnService(folder, {
    DATABASE_URL: urlOf(database.connection),
    ALLOW_PRIVATE_NETWORK: 'true',
  });
  return child;
};

it('executes each row once', async () => {
  let service = await start();
  const workflow = await service.create({
    nodes: [
      node('who', 'input:text'),
      node('call', 'utility:http_request', { url: `${receiver.url}/row`, method: 'POST' }),
      node('out', 'output:preview'),
    ],
    edges: [edge('who.text > call.body'), edge('call.text > out.input')],
  });
  const rows = Array.from({ length: ROWS }, (_, index) => ({ inputs: { who: `row ${index + 1}` } }));
  const { status, body } = await service.request<Batch>('POST', `/workflows/${workflow}/batches`, {
    rows,
    concurrency: 20,
  });
  assert.equal(status, 202, JSON.stringify(body));
  const { batchId } = body;
  const read = async (): Promise<Batch> => {
    const { body: batch } = await service.request<Batch>('GET', `/batches/${batchId}`);
    const { total, ...others } = batch.counts;
    const sum = Object.values(others).reduce((earlier, count) => earlier + count, 0);
    assert.deepEqual([sum, total], [ROWS, ROWS], 'the counts add up');
    return batch;
  };
  for (const kill of KILLS) {
    await waitUntil(`${kill} completed rows`, async () => ((await read()).counts.completed ?? 0) >= kill);
    await service.end('SIGKILL');
    service = await start();
  }
  await waitUntil('the end of the batch', async () => (await read()).status === 'COMPLETED');
  assert.equal((await read()).counts.completed, ROWS);
  const { rows: executions } = await database.db.query<{ key: string; count: number }>(
    'select origin_key as key, count(*) as count from executions where origin_id = $1 group by origin_key',
    [batchId],
  );
  assert.equal(executions.length, ROWS);
  assert.deepEqual(
    executions.filter(({ count }) => count !== 1),
    [],
  );
});
