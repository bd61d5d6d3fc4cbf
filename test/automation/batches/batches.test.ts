// Batches over HTTP: rows, tables and matrices, limits, stop, resume, retry, webhook, ratings and exports.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { parseExactJson } from '../../../src/lib/exact-numbers.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

interface Batch {
  readonly id: string;
  readonly batchId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly estimate: Readonly<Record<string, unknown>>;
  readonly code?: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
}

interface Row {
  readonly row: number;
  readonly key: string | null;
  readonly status: string;
  readonly executionId: string | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: readonly { readonly text?: string }[];
  readonly error: { readonly code: string } | null;
  readonly rating: number | null;
  readonly isPicked: boolean;
}

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

const GRAPH = {
  nodes: [
    node('who', 'input:text', { value: 'nobody' }),
    node('n', 'input:number'),
    node('out', 'output:preview'),
  ],
  edges: [edge('who.text > out.input')],
};
/** Sends each text to the receiver, which decides what fails. */
const calling = () => ({
  nodes: [
    node('who', 'input:text'),
    node('first', 'utility:http_request', { url: `${receiver.url}/first`, method: 'POST' }),
    node('second', 'utility:http_request', { url: `${receiver.url}/second`, method: 'POST' }),
    node('out', 'output:preview'),
  ],
  edges: [edge('who.text > first.body'), edge('first.text > second.body'), edge('second.text > out.input')],
});
/** Waits for an approval, so that rows stay active until a test ends them. */
const WAITING = {
  nodes: [node('who', 'input:text'), node('ask', 'logic:approval'), node('out', 'output:preview')],
  edges: [edge('who.text > ask.input'), edge('ask.approved > out.input')],
};

const create = async (workflow: string, body: object, headers = {}): Promise<Batch> => {
  const { status, body: batch } = await service.request<Batch>(
    'POST',
    `/workflows/${workflow}/batches`,
    body,
    headers,
  );
  assert.equal(status, 202, JSON.stringify(batch));
  return batch;
};
const read = async (id: string): Promise<Batch> =>
  (await service.request<Batch>('GET', `/batches/${id}`)).body;
const rowsOf = async (id: string, query = ''): Promise<readonly Row[]> =>
  (await service.request<{ data: readonly Row[] }>('GET', `/batches/${id}/rows?limit=200${query}`)).body.data;
const until = async (id: string, ...statuses: readonly string[]): Promise<Batch> => {
  let batch = await read(id);
  await waitUntil(`batch ${id} to be ${statuses.join(' or ')}`, async () => {
    batch = await read(id);
    const { total = 0, ...others } = batch.counts;
    const sum = Object.values(others).reduce((earlier, count) => earlier + count, 0);
    assert.equal(sum, total, 'the counts add up');
    return statuses.includes(batch.status);
  });
  return batch;
};
const act = (id: string, action: string, body: object = {}) =>
  service.request<Batch>('POST', `/batches/${id}/${action}`, body);
const refuse = async (workflow: string, body: object): Promise<Batch> => {
  const { status, body: refusal } = await service.request<Batch>(
    'POST',
    `/workflows/${workflow}/batches`,
    body,
  );
  assert.equal(status, 400, JSON.stringify(refusal));
  return refusal;
};
const newUser = async () => {
  const { body } = await service.request<{ apiKey: string }>('POST', '/admin/users', {
    email: `user-${randomUUID()}@example.com`,
    name: 'Another user',
    plan: 'self_hosted',
    keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute'],
  });
  return service.as(body.apiKey);
};
const textRows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    key: `k${index + 1}`,
    inputs: { who: `person ${index + 1}` },
  }));

describe('a batch', () => {
  it('runs each row once, as an ordinary execution that names the batch', async () => {
    const workflow = await service.create(GRAPH);
    const { batchId, status, estimate, counts } = await create(workflow, { rows: textRows(25) });
    assert.deepEqual([status, counts.total], ['RUNNING', 25]);
    assert.deepEqual(estimate, { rows: 25, credits: 0, exact: true, perRow: 0 });
    const ended = await until(batchId, 'COMPLETED');
    assert.deepEqual([ended.counts.completed, ended.reason], [25, null]);
    const rows = await rowsOf(batchId);
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

  it('refuses invalid rows together and before anything runs', async () => {
    const workflow = await service.create(GRAPH);
    const refusal = await refuse(workflow, {
      rows: [{ inputs: { who: 'a' } }, { inputs: { n: 'x' } }, { inputs: { other: 1 } }],
    });
    assert.equal(refusal.code, 'invalid_rows');
    assert.deepEqual(
      refusal.issues?.map(({ path }) => path),
      ['/rows/1/inputs/n', '/rows/2/inputs/other'],
    );
    const twice = await refuse(workflow, {
      rows: [
        { key: 'same', inputs: {} },
        { key: 'same', inputs: {} },
      ],
    });
    assert.deepEqual([twice.code, twice.issues?.length], ['invalid_rows', 1]);
    assert.equal((await refuse(workflow, {})).code, 'invalid_request');
    const both = { rows: textRows(1), matrix: { inputs: { who: ['a'] } } };
    assert.equal((await refuse(workflow, both)).code, 'invalid_request');
    const { body } = await service.request<{ data: readonly unknown[] }>(
      'GET',
      `/workflows/${workflow}/executions`,
    );
    assert.deepEqual(body.data, []);
  });

  it('is created once for an Idempotency-Key', async () => {
    const workflow = await service.create(GRAPH);
    const headers = { 'idempotency-key': 'batch-1' };
    const first = await create(workflow, { rows: textRows(2) }, headers);
    const again = await create(workflow, { rows: textRows(2) }, headers);
    assert.equal(again.batchId, first.batchId);
    const other = await service.request(
      'POST',
      `/workflows/${workflow}/batches`,
      { rows: textRows(3) },
      headers,
    );
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
    await until(first.batchId, 'COMPLETED');
  });

  it('keeps to its concurrency, stops, and resumes with the waiting rows', async () => {
    const workflow = await service.create(WAITING);
    const { batchId } = await create(workflow, { rows: textRows(6), concurrency: 2 });
    await waitUntil(
      'two rows to wait for a decision',
      async () => (await rowsOf(batchId, '&status=running')).length === 2,
    );
    assert.equal((await service.request('DELETE', `/batches/${batchId}`)).status, 409);
    await act(batchId, 'stop');
    assert.equal((await read(batchId)).status, 'STOPPING');
    assert.equal((await act(batchId, 'stop', { cancelRunning: true })).status, 200);
    const stopped = await until(batchId, 'STOPPED');
    assert.deepEqual([stopped.counts.cancelled, stopped.counts.waiting, stopped.reason], [2, 4, null]);
    assert.equal((await act(batchId, 'resume')).body.status, 'RUNNING');
    await waitUntil('the next two rows', async () => (await rowsOf(batchId, '&status=running')).length === 2);
    assert.deepEqual(
      (await rowsOf(batchId)).map(({ status }) => status),
      ['cancelled', 'cancelled', 'running', 'running', 'waiting', 'waiting'],
    );
    await act(batchId, 'stop', { cancelRunning: true });
    await until(batchId, 'STOPPED');
    const retried = await act(batchId, 'retry', { includeCancelled: true });
    assert.deepEqual([retried.body.counts.cancelled, retried.body.counts.waiting], [0, 6]);
    await act(batchId, 'stop', { cancelRunning: true });
    await until(batchId, 'STOPPED');
    assert.equal((await service.request('DELETE', `/batches/${batchId}`)).status, 200);
    assert.equal((await service.request('GET', `/batches/${batchId}`)).status, 404);
  });

  it('runs its first rows, pauses, and goes on when resumed', async () => {
    const workflow = await service.create(GRAPH);
    const { batchId } = await create(workflow, { rows: textRows(5), firstRows: 3 });
    const paused = await until(batchId, 'PAUSED');
    assert.deepEqual([paused.counts.completed, paused.counts.waiting], [3, 2]);
    await act(batchId, 'resume');
    assert.equal((await until(batchId, 'COMPLETED')).counts.completed, 5);
    assert.equal((await act(batchId, 'resume')).status, 409);
  });

  it('stops after failures in a row, and retries failed rows from their completed nodes', async () => {
    receiver.answer((res, { path, raw }) => res.writeHead(path === '/second' ? 500 : 200).end(raw));
    const workflow = await service.create(calling());
    const rows = textRows(8);
    const { batchId } = await create(workflow, { rows, concurrency: 1, stopAfterFailures: 3 });
    const stopped = await until(batchId, 'STOPPED');
    assert.deepEqual(
      [stopped.reason, stopped.counts.failed, stopped.counts.waiting],
      ['failures_in_a_row', 3, 5],
    );
    const [failed] = await rowsOf(batchId, '&status=failed');
    assert.equal(typeof failed?.error?.code, 'string');
    const firstCalls = receiver.received.filter(({ path }) => path === '/first').length;
    receiver.answer((res, { raw }) => res.writeHead(200).end(raw));
    await act(batchId, 'retry');
    const ended = await until(batchId, 'COMPLETED');
    assert.equal(ended.counts.completed, 8);
    assert.equal(receiver.received.filter(({ path }) => path === '/first').length, firstCalls + 5);
    assert.equal((await act(batchId, 'retry')).status, 409);
  });

  it('sends one signed webhook with its counts', async () => {
    receiver.answer(res => res.writeHead(200).end());
    const workflow = await service.create(GRAPH);
    const { batchId } = await create(workflow, {
      rows: textRows(3),
      webhook: { url: `${receiver.url}/hook`, secret: 'shh' },
      metadata: { order: 7 },
    });
    await waitUntil('the webhook', () => receiver.received.some(({ path }) => path === '/hook'));
    const sent = receiver.received.filter(({ path }) => path === '/hook');
    assert.equal(sent.length, 1);
    const { event, counts, metadata, ...body } = sent[0]?.body ?? {};
    assert.deepEqual([event, body.batchId, metadata], ['batch.completed', batchId, { order: 7 }]);
    assert.deepEqual((counts as Record<string, number>).completed, 3);
    assert.ok(sent[0]?.headers['webhook-signature'] ?? sent[0]?.headers['x-service-signature']);
  });

  it('varies inputs over a matrix', async () => {
    const workflow = await service.create(GRAPH);
    const inputs = { who: ['a', 'b'], n: [1, 2, 3] };
    const product = await create(workflow, { matrix: { inputs } });
    await until(product.batchId, 'COMPLETED');
    assert.deepEqual(
      (await rowsOf(product.batchId)).map(row => `${row.inputs.who}${row.inputs.n}`),
      ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'],
    );
    assert.equal((await refuse(workflow, { matrix: { inputs, mode: 'zip' } })).code, 'invalid_request');
    const tooMany = { who: Array.from({ length: 101 }, String), n: Array.from({ length: 100 }, (_, n) => n) };
    assert.match(JSON.stringify(await refuse(workflow, { matrix: { inputs: tooMany } })), /10100/);
    const zipped = await create(workflow, {
      matrix: { inputs: { who: ['a', 'b'], n: [1, 2] }, mode: 'zip' },
    });
    await until(zipped.batchId, 'COMPLETED');
    assert.deepEqual(
      (await rowsOf(zipped.batchId)).map(row => `${row.inputs.who}${row.inputs.n}`),
      ['a1', 'b2'],
    );
  });

  it('keeps numbers exactly as they were sent', async () => {
    const workflow = await service.create({
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
      await until(batch.batchId, 'COMPLETED');
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

  it('is refused while the workspace has as many running ones as it may', async () => {
    const client = await newUser();
    const workflow = await client.create(WAITING);
    const path = `/workflows/${workflow}/batches`;
    const started = await Promise.all(
      Array.from({ length: 21 }, () => client.request<Batch>('POST', path, { rows: textRows(1) })),
    );
    assert.deepEqual(
      started.map(({ status }) => status).toSorted((a, b) => a - b),
      [...Array.from({ length: 20 }, () => 202), 409],
    );
    const ids = started.flatMap(({ body }) => (body.batchId === undefined ? [] : [body.batchId]));
    const [first = ''] = ids;
    await client.request('POST', `/batches/${first}/stop`, { cancelRunning: true });
    await waitUntil(
      'the batch to stop',
      async () => (await client.request<Batch>('GET', `/batches/${first}`)).body.status === 'STOPPED',
    );
    assert.equal((await client.request('POST', path, { rows: textRows(1) })).status, 202);
    const retried = await client.request('POST', `/batches/${first}/retry`, { includeCancelled: true });
    assert.deepEqual([retried.status, retried.body.code], [409, 'conflict']);
    const { body: list } = await client.request<{ data: readonly Batch[] }>('GET', '/batches?limit=50');
    await Promise.all(
      list.data.map(({ id }) => client.request('POST', `/batches/${id}/stop`, { cancelRunning: true })),
    );
  });

  it('is estimated without being stored', async () => {
    const workflow = await service.create(GRAPH);
    const path = `/workflows/${workflow}/batches`;
    const { status, body } = await service.request('POST', `${path}/estimate`, { rows: textRows(4) });
    assert.deepEqual([status, body], [200, { rows: 4, credits: 0, exact: true, perRow: 0 }]);
    const list = await service.request<{ data: readonly unknown[] }>('GET', path);
    assert.deepEqual(list.body.data, []);
  });

  it('has rows that can be rated and picked', async () => {
    const workflow = await service.create(GRAPH);
    const { batchId } = await create(workflow, { rows: textRows(3) });
    await until(batchId, 'COMPLETED');
    const mark = (row: number, body: object) =>
      service.request<Row>('PATCH', `/batches/${batchId}/rows/${row}`, body);
    const { body } = await mark(2, { rating: 5, isPicked: true });
    assert.deepEqual([body.row, body.rating, body.isPicked], [2, 5, true]);
    assert.equal((await mark(2, { rating: null })).body.rating, null);
    assert.equal((await mark(2, { rating: 6 })).status, 400);
    assert.equal((await mark(9, { rating: 1 })).status, 404);
    assert.deepEqual(
      (await rowsOf(batchId, '&picked=true')).map(({ row }) => row),
      [2],
    );
  });

  it('is not found by a stranger', async () => {
    const workflow = await service.create(GRAPH);
    const { batchId } = await create(workflow, { rows: textRows(1) });
    const otherUser = await newUser();
    for (const path of ['', '/rows', '/events', '/export'])
      assert.equal((await otherUser.request('GET', `/batches/${batchId}${path}`)).status, 404, path);
    assert.equal((await otherUser.request('POST', `/batches/${batchId}/stop`, {})).status, 404);
    await until(batchId, 'COMPLETED');
  });
});

describe('a table', () => {
  const upload = async (text: string | Buffer, type = 'text/csv', query = '') => {
    const response = await fetch(`${service.url}/api/v1/tables${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': type },
      body: text,
    });
    const location = response.headers.get('location');
    return { status: response.status, location, body: (await response.json()) as Record<string, unknown> };
  };

  it('gives the rows of a batch by a mapping of columns', async () => {
    const workflow = await service.create(GRAPH);
    const csv = 'id;name;age\r\nr1;"Müller; A";42\r\nr2;=SUM(1);\r\n';
    const { status, location, body } = await upload(`\ufeff${csv}`);
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(new URL(location ?? '').pathname, `/api/v1/tables/${body.tableId}`);
    assert.deepEqual(
      [body.format, body.delimiter, body.encoding, body.columns, body.total, body.problems],
      ['csv', 'semicolon', 'utf-8', ['id', 'name', 'age'], 2, []],
    );
    const { tableId } = body;
    assert.equal((await service.request('GET', `/tables/${tableId}`)).body.total, 2);
    const unknown = { tableId, mapping: { who: 'surname' } };
    assert.match(JSON.stringify(await refuse(workflow, unknown)), /It has \\"id\\"/);
    const { batchId } = await create(workflow, {
      tableId,
      mapping: { who: 'name', n: 'age' },
      keyColumn: 'id',
    });
    await until(batchId, 'COMPLETED');
    const rows = await rowsOf(batchId);
    assert.deepEqual(
      rows.map(({ key, inputs }) => [key, inputs]),
      [
        ['r1', { who: 'Müller; A', n: 42 }],
        ['r2', { who: '=SUM(1)' }],
      ],
    );
    const exported = await fetch(`${service.url}/api/v1/batches/${batchId}/export`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const text = await exported.text();
    assert.match(text, /^row,key,status,input: who,input: n,/);
    assert.match(text, /2,r2,completed,"'=SUM\(1\)",,"'=SUM\(1\)"/);
  });

  it('names the lines of rows that cannot be used, and starts no batch', async () => {
    const workflow = await service.create(GRAPH);
    const { body } = await upload('name,age\nAnna,1\nBob\n\nCid,old\n');
    assert.deepEqual(
      (body.problems as { line: number }[]).map(({ line }) => line),
      [3, 4],
    );
    const refusal = await refuse(workflow, { tableId: body.tableId, mapping: { who: 'name', n: 'age' } });
    assert.equal(refusal.code, 'invalid_rows');
    assert.deepEqual(
      refusal.issues?.map(({ path }) => path),
      ['/tableId/3', '/tableId/4', '/tableId/5'],
    );
  });

  it('is refused when its user has as many as allowed', async () => {
    const { key } = await newUser();
    const send = async (): Promise<number> => {
      const response = await fetch(`${service.url}/api/v1/tables`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
        body: 'a\n1\n',
      });
      await response.arrayBuffer();
      return response.status;
    };
    for (let table = 0; table < 20; table++) assert.equal(await send(), 201);
    assert.equal(await send(), 409);
  });

  it('belongs to its user, and may be a form', async () => {
    const form = new FormData();
    form.set(
      'file',
      new Blob(['{"a":"x"}\n{"a":"y","b":[1]}\n'], { type: 'application/x-ndjson' }),
      'rows.jsonl',
    );
    const response = await fetch(`${service.url}/api/v1/tables`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}` },
      body: form,
    });
    const body = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([response.status, body.format, body.columns], [201, 'jsonl', ['a', 'b']]);
    assert.equal((await upload('a,b', 'image/png')).status, 415);
    const wide = `a\n${`${'x'.repeat(999)}\n`.repeat(8000)}`;
    assert.equal((await upload(wide)).body.total, 8000);
    const tooLarge = await upload(`a\n${`${'x'.repeat(999)}\n`.repeat(50_001)}`);
    assert.deepEqual([tooLarge.status, tooLarge.body.code], [413, 'file_too_large']);
    assert.equal((await service.request('GET', '/tables/tbl_none')).status, 404);
  });
});

describe('an export', () => {
  it('has a line or a file for each result', async () => {
    const workflow = await service.create(GRAPH);
    const { batchId } = await create(workflow, { rows: [{ key: 'a/b', inputs: { who: 'Anna' } }] });
    await until(batchId, 'COMPLETED');
    const load = async (format: string) => {
      const response = await fetch(`${service.url}/api/v1/batches/${batchId}/export?format=${format}`, {
        headers: { authorization: `Bearer ${service.key}` },
      });
      return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const lines = await load('jsonl');
    assert.match(lines.type ?? '', /ndjson/);
    assert.deepEqual((JSON.parse(String(lines.bytes)) as Row).outputs[0]?.text, 'Anna');
    const zip = await load('zip');
    assert.equal(zip.bytes.toString('latin1', 0, 2), 'PK');
    assert.match(zip.bytes.toString('latin1'), /1-a-b-[\w-]+\.txt/);
  });
});

describe('the events of a batch', () => {
  it('are a snapshot, its rows and the batch, and resume after an id', async () => {
    const workflow = await service.create(GRAPH);
    const { batchId } = await create(workflow, { rows: textRows(3), firstRows: 1 });
    await until(batchId, 'PAUSED');
    const open = async (lastId?: string) => {
      const response = await fetch(`${service.url}/api/v1/batches/${batchId}/events`, {
        headers: {
          authorization: `Bearer ${service.key}`,
          ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
        },
      });
      return response.text();
    };
    const reading = open();
    await act(batchId, 'resume');
    const text = await reading;
    const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data]) => ({
      event,
      data: JSON.parse(data ?? '') as { row?: number; status: string },
    }));
    assert.equal(events[0]?.event, 'snapshot');
    const rows = events.filter(({ event }) => event === 'row');
    assert.deepEqual(
      new Set(rows.filter(({ data }) => data.status === 'completed').map(({ data }) => data.row)),
      new Set([2, 3]),
    );
    assert.equal(events.findLast(({ event }) => event === 'batch')?.data.status, 'COMPLETED');
    const later = await open('1');
    assert.doesNotMatch(later, /event: snapshot/);
    assert.match(later, /event: row/);
  });
});
