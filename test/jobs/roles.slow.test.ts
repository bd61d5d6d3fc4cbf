// Tests API and worker processes on one PostgreSQL: notifications between processes, and graceful shutdown.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Timing } from '../../src/lib/timing.ts';
import { LONG_MS } from '../../src/runs/slots/policy.ts';
import { type Execution, mapStates } from '../support/client.ts';
import { openStream } from '../support/http/sse.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';
import { edge, node, PAIR } from '../support/workflows.ts';

type OtherService = Awaited<ReturnType<TestService['startAnother']>>;

let api: TestService;
let worker: OtherService;
let receiver: Receiver;
before(async () => {
  api = await startTestService({ ROLE: 'api', ALLOW_PRIVATE_NETWORK: 'true', WEBHOOK_BACKOFF_BASE_MS: '10' });
  worker = await api.startAnother({ ROLE: 'worker' });
  receiver = await startReceiver();
});
after(async () => {
  await worker.close();
  await api.close();
  await receiver.close();
});
beforeEach(() => receiver.answer(() => undefined));

const requestGraph = (path: string) => ({
  nodes: [node('r', 'utility:http_request', { url: `${receiver.url}${path}`, timeoutMs: 60_000 })],
  edges: [],
});
const count = (path: string): number => receiver.received.filter(item => item.path === path).length;
const startAndWaitForRequest = async (path: string): Promise<string> => {
  const id = await api.startRun(await api.createWorkflow(requestGraph(path)));
  await waitUntil('the request', () => count(path) === 1);
  return id;
};
/** Starts another worker, and then shuts the current one down. */
const replaceWorker = async (timing: Partial<Timing> = {}): Promise<void> => {
  const replacedWorker = worker;
  worker = await api.startAnother({ ROLE: 'worker' }, timing);
  await replacedWorker.close();
};
const listWorkers = async (): Promise<readonly unknown[]> => (await api.db.query('select from workers')).rows;
const cancel = async (id: string): Promise<void> => {
  const { body } = await api.request<Execution>('POST', `/executions/${id}/cancel`);
  // The worker may end the run before the response is read.
  assert.match(body.status, /^CANCELL(ING|ED)$/);
};

describe('a process with ROLE=api', () => {
  it('waits for, streams and delivers runs that a worker executes', async () => {
    receiver.answer(res => res.writeHead(204).end());
    const workflow = await api.createWorkflow({
      nodes: [...PAIR.nodes, node('d', 'logic:delay', { ms: 100 })],
      edges: [edge('a.text > d.input'), edge('d.output > b.input')],
    });
    assert.equal((await api.runWorkflow(workflow)).status, 'COMPLETED');
    const id = await api.startRun(workflow, { webhook: { url: `${receiver.url}/event` } });
    const stream = await openStream(`${api.url}/api/v1/executions/${id}/events`, {
      authorization: `Bearer ${KEY}`,
    });
    await stream.closed;
    assert.equal(stream.events.at(-1)?.data.status, 'COMPLETED');
    await waitUntil('the event', () => count('/event') === 1);
  });

  it('cancels a run that a worker is executing', async () => {
    const id = await startAndWaitForRequest('/cancelled');
    await cancel(id);
    const record = await api.waitForStatus(id);
    assert.deepEqual([record.status, mapStates(record).r?.status], ['CANCELLED', 'CANCELLED']);
  });

  it('cancels a run even if the worker misses the notification', async () => {
    const id = await startAndWaitForRequest('/unheard');
    await api.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query like 'listen %' and pid <> pg_backend_pid()`,
    );
    await cancel(id);
    assert.equal((await api.waitForStatus(id)).status, 'CANCELLED');
  });
});

describe('a process with ROLE=worker', () => {
  it('serves only its health endpoint', async () => {
    const getStatus = async (path: string): Promise<number> => (await fetch(`${worker.url}${path}`)).status;
    const statuses = await Promise.all(['/healthz', '/readyz', '/metrics', '/api/v1/nodes'].map(getStatus));
    assert.deepEqual(statuses, [200, 200, 200, 404]);
  });

  it('releases its runs and registers again if its database row is deleted', async () => {
    const id = await startAndWaitForRequest('/lost');
    const { rows } = await api.db.query('delete from workers returning id');
    assert.equal(rows.length, 1);
    receiver.answer(res => res.writeHead(200).end('again'));
    const record = await api.waitForStatus(id);
    const { r } = mapStates(record);
    assert.deepEqual([record.status, r?.text, r?.attempt], ['COMPLETED', 'again', 2]);
    assert.equal((await api.runWorkflow(await api.createWorkflow(PAIR))).status, 'COMPLETED');
  });

  it('finishes runs that end in time when it shuts down', async () => {
    const responses: (() => void)[] = [];
    receiver.answer(res => {
      responses.push(() => res.writeHead(200).end('in time'));
    });
    await replaceWorker({ drainMs: 120_000 });
    const soonRun = await startAndWaitForRequest('/soon');
    const shutdown = replaceWorker();
    await waitUntil('the next worker', async () => (await listWorkers()).length === 2);
    for (const response of responses) response();
    const soonRecord = await api.waitForStatus(soonRun);
    assert.deepEqual(
      [soonRecord.status, mapStates(soonRecord).r?.text, mapStates(soonRecord).r?.attempt],
      ['COMPLETED', 'in time', 1],
    );
    await shutdown;
    assert.equal((await listWorkers()).length, 1);
  });

  it('releases runs that do not end in time when it shuts down', async () => {
    const neverRun = await startAndWaitForRequest('/never');
    receiver.answer(res => res.writeHead(200).end('elsewhere'));
    await replaceWorker();
    const record = await api.waitForStatus(neverRun);
    assert.deepEqual(
      [record.status, mapStates(record).r?.text, mapStates(record).r?.attempt],
      ['COMPLETED', 'elsewhere', 2],
    );
    assert.equal((await listWorkers()).length, 1);
  });
});

describe('a worker with few slots', () => {
  it('keeps slots for other users if one user starts many long runs', async t => {
    const service = await startTestService({ WORKER_CONCURRENCY: '8', ALLOW_PRIVATE_NETWORK: 'true' });
    t.after(() => service.close());
    const blockedWorkflow = await service.createWorkflow(requestGraph('/blocked'));
    const ids = await Promise.all(Array.from({ length: 40 }, () => service.startRun(blockedWorkflow)));
    await waitUntil('half of the slots to be used', () => count('/blocked') >= 4);
    const otherUser = await service.createUser();
    const workflow = await otherUser.createWorkflow(PAIR);
    for (let run = 0; run < 3; run++) {
      assert.equal((await otherUser.runWorkflow(workflow)).status, 'COMPLETED');
      // If the run still occupied its slot after its end, it would count as a long run from now on.
      await sleep(LONG_MS);
    }
    assert.ok(count('/blocked') < 8);
    for (const id of ids) await service.request('POST', `/executions/${id}/cancel`);
    for (const id of ids) assert.equal((await service.waitForStatus(id)).status, 'CANCELLED');
  });
});
