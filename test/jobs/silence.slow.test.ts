// Tests a service whose network drops traffic to PostgreSQL: requests fail in time, and no run or event is lost.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres/proxy.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { PAIR } from '../support/workflows.ts';

const TIMEOUT_MS = 1500;
/** Allows for the timeouts of a statement and of a connection, and for a busy machine. */
const MAX_MS = 6 * TIMEOUT_MS;

describe('a service whose network drops traffic to PostgreSQL', () => {
  let api: TestService;
  let proxy: PostgresProxy;
  let receiver: Receiver;
  let service: Awaited<ReturnType<TestService['startAnother']>>;
  let workflow: string;
  before(async () => {
    api = await startTestService({ ROLE: 'api', ALLOW_PRIVATE_NETWORK: 'true' });
    proxy = await startPostgresProxy(api.connection);
    receiver = await startReceiver();
    workflow = await api.createWorkflow(PAIR);
    const env = { ROLE: 'all', DATABASE_URL: proxy.url, DATABASE_TIMEOUT_MS: `${TIMEOUT_MS}` };
    service = await api.startAnother(env);
  });
  after(async () => {
    await service.close();
    await api.close();
    await proxy.close();
    await receiver.close();
  });

  const start = (): Promise<string> => api.startRun(workflow, { webhook: { url: receiver.url } });
  const waitForEvents = (ids: readonly string[]): Promise<void> =>
    waitUntil('the events', () =>
      ids.every(id => receiver.received.some(({ body }) => body.executionId === id)),
    );

  it('delivers an event if the response that locked its job is lost', async () => {
    proxy.loseAnswer('get_job', '"dlv_');
    const id = await start();
    await waitUntil('the lost response', () => proxy.hasLost);
    await api.db.query(
      `update graphile_worker._private_jobs set locked_at = locked_at - interval '20 seconds' where locked_at is not null`,
    );
    await waitForEvents([id]);
    assert.equal(receiver.received.length, 1);
  });

  it('responds with 503 in time and completes all runs afterwards', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, start));
    proxy.goSilent();
    const startMs = performance.now();
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => service.request('GET', `/workflows/${workflow}`)),
    );
    const elapsedMs = performance.now() - startMs;
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [503]);
    assert.ok(elapsedMs < MAX_MS, `${elapsedMs} ms`);
    proxy.heal();
    ids.push(await start());
    for (const id of ids) assert.equal((await api.waitForStatus(id)).status, 'COMPLETED');
    await waitForEvents(ids);
    assert.equal((await service.request('GET', `/workflows/${workflow}`)).status, 200);
  });
});
