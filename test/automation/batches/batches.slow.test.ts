// Tests how batches are created, stopped, resumed and retried over HTTP, and their limits and webhooks.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseExactJson } from '../../../src/lib/exact-numbers.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';
import { APPROVAL_GRAPH } from '../graphs.ts';
import { type Batch, createBatchClient, GRAPH, textRows } from './support.ts';

let service: TestService;
let receiver: Receiver;
before(async () => {
  service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
  receiver = await startReceiver();
});
after(async () => {
  await service.close();
  await receiver.close();
});

/** Creates a graph that sends its text to the receiver, whose responses decide which rows fail. */
const createRequestGraph = () => ({
  nodes: [
    node('who', 'input:text'),
    node('first', 'utility:http_request', { url: `${receiver.url}/first`, method: 'POST' }),
    node('second', 'utility:http_request', { url: `${receiver.url}/second`, method: 'POST' }),
    node('out', 'output:preview'),
  ],
  edges: [edge('who.text > first.body'), edge('first.text > second.body'), edge('second.text > out.input')],
});

const { create, read, listRows, waitForStatus, postAction, createInvalid } = createBatchClient(() => service);

describe('a batch', () => {
  it('runs each row as an execution with the id of the batch', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { batchId, status, estimate, counts } = await create(workflow, { rows: textRows(25) });
    assert.deepEqual([status, counts.total], ['RUNNING', 25]);
    assert.deepEqual(estimate, { rows: 25, credits: 0, exact: true, perRow: 0 });
    const batch = await waitForStatus(batchId, 'COMPLETED');
    assert.deepEqual([batch.counts.completed, batch.reason], [25, null]);
    const rows = await listRows(batchId);
    assert.deepEqual(
      rows.map(({ row, key, outputs }) => [row, key, outputs[0]?.text]),
      textRows(25).map(({ key, inputs }, index) => [index + 1, key, inputs.who]),
    );
    const { body } = await service.request<Record<string, unknown>>(
      'GET',
      `/executions/${rows[2]?.executionId}`,
    );
    assert.deepEqual(
      [body.trigger, body.batchId, body.rowKey, body.idempotencyKey],
      ['batch', batchId, 'k3', `${batchId}:3`],
    );
    const { body: list } = await service.request<{ data: readonly unknown[] }>(
      'GET',
      `/workflows/${workflow}/executions?limit=100`,
    );
    assert.equal(list.data.length, 25);
  });

  it('is refused with all invalid rows before it starts', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const refusal = await createInvalid(workflow, {
      rows: [{ inputs: { who: 'a' } }, { inputs: { n: 'x' } }, { inputs: { other: 1 } }],
    });
    assert.equal(refusal.code, 'invalid_rows');
    assert.deepEqual(
      refusal.issues?.map(({ path }) => path),
      ['/rows/1/inputs/n', '/rows/2/inputs/other'],
    );
    const duplicateKeys = await createInvalid(workflow, {
      rows: [
        { key: 'same', inputs: {} },
        { key: 'same', inputs: {} },
      ],
    });
    assert.deepEqual([duplicateKeys.code, duplicateKeys.issues?.length], ['invalid_rows', 1]);
    assert.equal((await createInvalid(workflow, {})).code, 'invalid_request');
    const twoSources = { rows: textRows(1), matrix: { inputs: { who: ['a'] } } };
    assert.equal((await createInvalid(workflow, twoSources)).code, 'invalid_request');
    const { body } = await service.request<{ data: readonly unknown[] }>(
      'GET',
      `/workflows/${workflow}/executions`,
    );
    assert.deepEqual(body.data, []);
  });

  it('is created once per Idempotency-Key', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const headers = { 'idempotency-key': 'batch-1' };
    const first = await create(workflow, { rows: textRows(2) }, headers);
    const repeated = await create(workflow, { rows: textRows(2) }, headers);
    assert.equal(repeated.batchId, first.batchId);
    const otherResponse = await service.request(
      'POST',
      `/workflows/${workflow}/batches`,
      { rows: textRows(3) },
      headers,
    );
    assert.deepEqual([otherResponse.status, otherResponse.body.code], [422, 'idempotency_key_reused']);
    await waitForStatus(first.batchId, 'COMPLETED');
  });

  it('can be stopped and resumed with the waiting rows', async () => {
    const workflow = await service.createWorkflow(APPROVAL_GRAPH);
    const { batchId } = await create(workflow, { rows: textRows(6), concurrency: 2 });
    await waitUntil(
      'two rows to wait for a decision',
      async () => (await listRows(batchId, '&status=running')).length === 2,
    );
    assert.equal((await service.request('DELETE', `/batches/${batchId}`)).status, 409);
    await postAction(batchId, 'stop');
    assert.equal((await read(batchId)).status, 'STOPPING');
    assert.equal((await postAction(batchId, 'stop', { cancelRunning: true })).status, 200);
    const batch = await waitForStatus(batchId, 'STOPPED');
    assert.deepEqual([batch.counts.cancelled, batch.counts.waiting, batch.reason], [2, 4, null]);
    const resumed = await postAction(batchId, 'resume', { concurrency: 3 });
    assert.deepEqual([resumed.body.status, resumed.body.concurrency], ['RUNNING', 3]);
    assert.equal((await postAction(batchId, 'resume', { concurrency: 0 })).status, 400);
    await waitUntil(
      'the next three rows',
      async () => (await listRows(batchId, '&status=running')).length === 3,
    );
    assert.deepEqual(
      (await listRows(batchId)).map(({ status }) => status),
      ['cancelled', 'cancelled', 'running', 'running', 'running', 'waiting'],
    );
    await postAction(batchId, 'stop', { cancelRunning: true });
    await waitForStatus(batchId, 'STOPPED');
    const retry = await postAction(batchId, 'retry', { includeCancelled: true });
    // Some rows may already be running again.
    const { cancelled, waiting = 0, running = 0 } = retry.body.counts;
    assert.deepEqual([cancelled, waiting + running], [0, 6]);
    await postAction(batchId, 'stop', { cancelRunning: true });
    await waitForStatus(batchId, 'STOPPED');
    assert.equal((await service.request('DELETE', `/batches/${batchId}`)).status, 200);
    assert.equal((await service.request('GET', `/batches/${batchId}`)).status, 404);
  });

  it('is returned by a change even if it is deleted immediately afterwards', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { batchId } = await create(workflow, { rows: textRows(2), firstRows: 1 });
    await waitForStatus(batchId, 'PAUSED');
    // Deletes the batch when the transaction of the change commits.
    await service.db.query(
      `create function delete_batch() returns trigger language plpgsql as $$
         begin delete from batches where id = new.id; return null; end $$`,
    );
    await service.db.query(
      `create constraint trigger delete_batch after update on batches deferrable initially deferred
         for each row when (new.id = '${batchId}' and new.status = 'STOPPING') execute function delete_batch()`,
    );
    const { status, body } = await postAction(batchId, 'stop');
    await service.db.query('drop function delete_batch cascade');
    assert.deepEqual([status, body.status], [200, 'STOPPING']);
    assert.equal((await service.request('GET', `/batches/${batchId}`)).status, 404);
  });

  it('pauses after its first rows until it is resumed', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { batchId } = await create(workflow, { rows: textRows(5), firstRows: 3 });
    const batch = await waitForStatus(batchId, 'PAUSED');
    assert.deepEqual([batch.counts.completed, batch.counts.waiting], [3, 2]);
    await postAction(batchId, 'resume');
    assert.equal((await waitForStatus(batchId, 'COMPLETED')).counts.completed, 5);
    assert.equal((await postAction(batchId, 'resume')).status, 409);
  });

  it('stops after consecutive failures and retries rows without their completed nodes', async () => {
    receiver.answer((res, { path, raw }) => res.writeHead(path === '/second' ? 500 : 200).end(raw));
    const workflow = await service.createWorkflow(createRequestGraph());
    const rows = textRows(8);
    const { batchId } = await create(workflow, { rows, concurrency: 1, stopAfterFailures: 3 });
    const stoppedBatch = await waitForStatus(batchId, 'STOPPED');
    assert.deepEqual(
      [stoppedBatch.reason, stoppedBatch.counts.failed, stoppedBatch.counts.waiting],
      ['failures_in_a_row', 3, 5],
    );
    const [failed] = await listRows(batchId, '&status=failed');
    assert.equal(typeof failed?.error?.code, 'string');
    const callCountBefore = receiver.received.filter(({ path }) => path === '/first').length;
    receiver.answer((res, { raw }) => res.writeHead(200).end(raw));
    await postAction(batchId, 'retry');
    const endedBatch = await waitForStatus(batchId, 'COMPLETED');
    assert.equal(endedBatch.counts.completed, 8);
    assert.equal(receiver.received.filter(({ path }) => path === '/first').length, callCountBefore + 5);
    assert.equal((await postAction(batchId, 'retry')).status, 409);
  });

  it('sends one signed webhook with its counts when it has ended', async () => {
    receiver.answer(res => res.writeHead(200).end());
    const workflow = await service.createWorkflow(GRAPH);
    const { batchId } = await create(workflow, {
      rows: textRows(3),
      webhook: { url: `${receiver.url}/hook`, secret: 'shh' },
      metadata: { order: 7 },
    });
    await waitUntil('the webhook', () => receiver.received.some(({ path }) => path === '/hook'));
    const deliveries = receiver.received.filter(({ path }) => path === '/hook');
    assert.equal(deliveries.length, 1);
    const { event, counts, metadata, ...body } = deliveries[0]?.body ?? {};
    assert.deepEqual([event, body.batchId, metadata], ['batch.completed', batchId, { order: 7 }]);
    assert.deepEqual((counts as Record<string, number>).completed, 3);
    assert.ok(deliveries[0]?.headers['webhook-signature'] ?? deliveries[0]?.headers['x-service-signature']);
  });

  it('has a row for each combination of inputs in a matrix', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const inputs = { who: ['a', 'b'], n: [1, 2, 3] };
    const product = await create(workflow, { matrix: { inputs } });
    await waitForStatus(product.batchId, 'COMPLETED');
    assert.deepEqual(
      (await listRows(product.batchId)).map(row => `${row.inputs.who}${row.inputs.n}`),
      ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'],
    );
    assert.equal(
      (await createInvalid(workflow, { matrix: { inputs, mode: 'zip' } })).code,
      'invalid_request',
    );
    const tooManyInputs = {
      who: Array.from({ length: 101 }, String),
      n: Array.from({ length: 100 }, (_, n) => n),
    };
    assert.match(
      JSON.stringify(await createInvalid(workflow, { matrix: { inputs: tooManyInputs } })),
      /10100/,
    );
    const zipped = await create(workflow, {
      matrix: { inputs: { who: ['a', 'b'], n: [1, 2] }, mode: 'zip' },
    });
    await waitForStatus(zipped.batchId, 'COMPLETED');
    assert.deepEqual(
      (await listRows(zipped.batchId)).map(row => `${row.inputs.who}${row.inputs.n}`),
      ['a1', 'b2'],
    );
  });

  it('preserves the exact digits of numbers', async () => {
    const workflow = await service.createWorkflow({
      nodes: [node('data', 'input:json'), node('out', 'output:preview')],
      edges: [edge('data.json > out.input')],
    });
    const exact = '{"id":9007199254740993,"price":0.10000000000000000001}';
    const start = async (body: string): Promise<string> => {
      const { status, body: batch } = await service.request<Batch>(
        'POST',
        `/workflows/${workflow}/batches`,
        parseExactJson(body),
      );
      assert.equal(status, 202, JSON.stringify(batch));
      await waitForStatus(batch.batchId, 'COMPLETED');
      const response = await fetch(`${service.url}/api/v1/batches/${batch.batchId}/export?format=jsonl`, {
        headers: { authorization: `Bearer ${service.key}` },
      });
      return response.text();
    };
    const rows = await start(`{"rows":[{"inputs":{"data":${exact}}}]}`);
    assert.equal(rows.split(exact).length, 3, rows);
    assert.equal((await start(`{"matrix":{"inputs":{"data":[${exact},1]}}}`)).split(exact).length, 3);
    const upload = await fetch(`${service.url}/api/v1/tables`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/x-ndjson' },
      body: `{"a":${exact}}\n`,
    });
    const { tableId } = (await upload.json()) as { tableId: string };
    const table = await start(JSON.stringify({ tableId, mapping: { data: 'a' } }));
    assert.equal(table.split(exact).length, 3, table);
  });

  it('is refused if 20 batches of the workspace are running', async () => {
    const client = await service.createUser();
    const workflow = await client.createWorkflow(APPROVAL_GRAPH);
    const path = `/workflows/${workflow}/batches`;
    const responses = await Promise.all(
      Array.from({ length: 21 }, () => client.request<Batch>('POST', path, { rows: textRows(1) })),
    );
    assert.deepEqual(
      responses.map(({ status }) => status).toSorted((a, b) => a - b),
      [...Array.from({ length: 20 }, () => 202), 409],
    );
    const ids = responses.flatMap(({ body }) => (body.batchId === undefined ? [] : [body.batchId]));
    const [first = ''] = ids;
    await client.request('POST', `/batches/${first}/stop`, { cancelRunning: true });
    await waitUntil(
      'the batch to stop',
      async () => (await client.request<Batch>('GET', `/batches/${first}`)).body.status === 'STOPPED',
    );
    assert.equal((await client.request('POST', path, { rows: textRows(1) })).status, 202);
    const retry = await client.request('POST', `/batches/${first}/retry`, { includeCancelled: true });
    assert.deepEqual([retry.status, retry.body.code], [409, 'conflict']);
    const { body: list } = await client.request<{ data: readonly Batch[] }>('GET', '/batches?limit=50');
    await Promise.all(
      list.data.map(({ id }) => client.request('POST', `/batches/${id}/stop`, { cancelRunning: true })),
    );
  });

  it('can be estimated without being created', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const path = `/workflows/${workflow}/batches`;
    const { status, body } = await service.request('POST', `${path}/estimate`, { rows: textRows(4) });
    assert.deepEqual([status, body], [200, { rows: 4, credits: 0, exact: true, perRow: 0 }]);
    const list = await service.request<{ data: readonly unknown[] }>('GET', path);
    assert.deepEqual(list.body.data, []);
  });

  for (const path of ['batches', 'batches/estimate'])
    it(`is refused with a malformed webhook by POST /workflows/{id}/${path}`, async () => {
      const workflow = await service.createWorkflow(GRAPH);
      const { status, body } = await service.request('POST', `/workflows/${workflow}/${path}`, {
        rows: textRows(1),
        webhook: { url: 'nowhere' },
      });
      assert.deepEqual([status, body.code], [400, 'invalid_webhook']);
    });
});
