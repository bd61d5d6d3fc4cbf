// Tests where runs start: in the process that accepts them if its worker has a slot, otherwise through the queue.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { node } from '../../support/workflows.ts';

describe('a run', () => {
  let api: TestService;
  let receiver: Receiver;
  before(async () => {
    api = await startTestService({ ROLE: 'api', ALLOW_PRIVATE_NETWORK: 'true' });
    receiver = await startReceiver();
  });
  after(async () => {
    await api.close();
    await receiver.close();
  });

  const requestGraph = (path: string) => ({
    nodes: [node('r', 'utility:http_request', { url: `${receiver.url}${path}`, timeoutMs: 60_000 })],
    edges: [],
  });
  const count = (path: string): number => receiver.received.filter(item => item.path === path).length;
  const listLeases = async (ids: readonly string[]): Promise<readonly number[]> => {
    const { rows } = await api.db.query<{ lease: number }>(
      'select lease from executions where id = any ($1::text[])',
      [ids],
    );
    return rows.map(({ lease }) => lease);
  };
  const countJobs = async (): Promise<number> => {
    const { rows } = await api.db.query<{ count: number }>(
      `select count(*) from graphile_worker.jobs where task_identifier = 'run'`,
    );
    return rows[0]?.count ?? 0;
  };

  it('waits in the queue until a worker starts', async t => {
    const id = await api.startRun(await api.createWorkflow(requestGraph('/early')));
    assert.deepEqual([await listLeases([id]), await countJobs()], [[0], 1]);
    const worker = await api.startAnother({ ROLE: 'worker' });
    t.after(() => worker.close());
    assert.equal((await api.waitForStatus(id)).status, 'COMPLETED');
  });

  it('starts in the worker of another process within the slots of that worker', async t => {
    const worker = await api.startAnother({ ROLE: 'worker', WORKER_CONCURRENCY: '4' });
    t.after(() => worker.close());
    const pending: (() => void)[] = [];
    receiver.answer(res => pending.push(() => res.writeHead(200).end('ok')));
    const workflow = await api.createWorkflow(requestGraph('/queued'));
    const ids = await Promise.all(Array.from({ length: 12 }, () => api.startRun(workflow)));
    let maxActive = 0;
    await waitUntil('all to end', async () => {
      maxActive = Math.max(maxActive, pending.length);
      for (const release of pending.splice(0)) release();
      const { rows } = await api.db.query<{ count: number }>(
        'select count(*) from executions where finished_at is null',
      );
      return rows[0]?.count === 0;
    });
    assert.ok(maxActive <= 4, `${maxActive} concurrent requests`);
    assert.deepEqual([...new Set(await listLeases(ids))], [1]);
    receiver.answer(res => res.writeHead(204).end());
  });

  it('is started again if its assigned worker does not execute it', async t => {
    const worker = await api.startAnother({ ROLE: 'worker' });
    t.after(() => worker.close());
    const { rows } = await api.db.query<{ id: string }>('select id from workers');
    const id = await api.startRun(await api.createWorkflow(requestGraph('/unheard')));
    await api.waitForStatus(id);
    await api.db.query(
      `update executions set worker_id = $2, lease = 1, finished_at = null, status = 'RUNNING', under_way = true where id = $1`,
      [id, rows[0]?.id],
    );
    assert.equal((await api.waitForStatus(id)).status, 'COMPLETED');
    assert.deepEqual(await listLeases([id]), [2]);
  });

  it('starts in the process that accepts it without a queue job', async t => {
    const apiAndWorker = await api.startAnother({ ROLE: 'all' });
    t.after(() => apiAndWorker.close());
    receiver.answer(() => undefined);
    const id = await apiAndWorker.startRun(await apiAndWorker.createWorkflow(requestGraph('/here')));
    await waitUntil('the request', () => count('/here') === 1);
    assert.deepEqual([await listLeases([id]), await countJobs()], [[1], 0]);
    await apiAndWorker.request('POST', `/executions/${id}/cancel`);
    assert.equal((await apiAndWorker.waitForStatus(id)).status, 'CANCELLED');
  });
});
