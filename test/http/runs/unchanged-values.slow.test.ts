// Tests that records, event streams and webhooks return the metadata and inputs of a run exactly as the caller sent them.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { KEY, startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

const UNUSUAL_JSON =
  '{"b":1,"2":2,"1":3,"big":12345678901234567890,"e":1e400,"nul":"\\u0000","half":"\\ud800","__proto__":{"x":1.0},"f":1.50}';
const ECHO = {
  nodes: [node('j', 'input:json', { value: {} }), node('b', 'output:preview')],
  edges: [edge('j.json > b.input')],
};

let service: TestService;
let receiver: Receiver;
let workflow: string;
before(async () => {
  service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
  receiver = await startReceiver();
  workflow = await service.createWorkflow(ECHO);
});
after(async () => {
  await service.close();
  await receiver.close();
});
beforeEach(() => receiver.answer(res => res.writeHead(200).end('ok')));

const post = (path: string, body: string) =>
  fetch(`${service.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body,
  });
const get = async (path: string): Promise<string> =>
  (await fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${KEY}` } })).text();
const start = async (body: string): Promise<string> => {
  const response = await post(`/workflows/${workflow}/run`, body);
  const text = await response.text();
  assert.equal(response.status, 202, text);
  return (JSON.parse(text) as { executionId: string }).executionId;
};

describe('metadata of a run', () => {
  it('is returned with the sent order, numbers and escapes', async () => {
    const id = await start(`{"metadata": ${UNUSUAL_JSON}, "webhook": {"url": "${receiver.url}/odd"}}`);
    await service.waitForStatus(id);
    assert.ok((await get(`/executions/${id}`)).includes(`"metadata":${UNUSUAL_JSON}`));
    assert.ok((await get(`/executions/${id}/events`)).includes(`"metadata":${UNUSUAL_JSON}`));
    assert.ok((await get('/executions')).includes(`"metadata":${UNUSUAL_JSON}`));
    const getDelivery = () => receiver.received.find(({ path }) => path === '/odd');
    await waitUntil('a delivery', () => getDelivery() !== undefined);
    assert.ok(getDelivery()?.raw.includes(`"metadata":${UNUSUAL_JSON}`));
  });

  it('is returned without line breaks in the event stream', async () => {
    const id = await start('{"metadata":{\n  "a": 1,\n  "b": "x y"\n}}');
    await service.waitForStatus(id);
    const events = await get(`/executions/${id}/events`);
    assert.ok(events.includes('"metadata":{"a":1,"b":"x y"}'));
  });

  it('must be an object', async () => {
    for (const body of [
      '{"metadata":[1]}',
      '{"metadata":"x"}',
      '{"metadata":null}',
      '{"metadata":{}',
      '{"metadata":{}}}',
    ])
      assert.equal((await post(`/workflows/${workflow}/run`, body)).status, 400, body);
  });
});

describe('inputs of a run', () => {
  it('are returned exactly as sent', async () => {
    const inputs = '{"j":{"b":1,"2":2,"1":3,"big":12345678901234567890,"f":1.50}}';
    const id = await start(`{"inputs": ${inputs}}`);
    await service.waitForStatus(id);
    assert.ok((await get(`/executions/${id}`)).includes(`"inputs":${inputs}`));
    const resumeResponse = await post(`/executions/${id}/resume`, '{"fromNodeId":"b"}');
    const { executionId } = (await resumeResponse.json()) as { executionId: string };
    assert.ok((await get(`/executions/${executionId}`)).includes(`"inputs":${inputs}`));
  });

  it('are exact in results, events and webhooks', async () => {
    const sentText = '{"b":1,"2":2,"1":3,"big":12345678901234567890,"e":1e400,"f":1.50}';
    const id = await start(`{"inputs":{"j": ${sentText}},"webhook":{"url":"${receiver.url}/input"}}`);
    await service.waitForStatus(id);
    const record = await get(`/executions/${id}`);
    assert.equal(record.split(`"value":${sentText}`).length - 1, 3, record);
    assert.ok((await get(`/executions/${id}/events`)).includes(`"value":${sentText}`));
    const getDelivery = () => receiver.received.find(({ path }) => path === '/input');
    await waitUntil('a delivery', () => getDelivery() !== undefined);
    assert.ok(getDelivery()?.raw.includes(`"value":${sentText}`));
    const resumeResponse = await post(`/executions/${id}/resume`, '{"fromNodeId":"j"}');
    const { executionId } = (await resumeResponse.json()) as { executionId: string };
    await service.waitForStatus(executionId);
    assert.ok((await get(`/executions/${executionId}`)).includes(`"value":${sentText}`));
  });

  it('are exact in texts, JSON and list items of other nodes', async () => {
    const big = '{"id":12345678901234567890}';
    const exactWorkflow = await service.createWorkflow({
      nodes: [
        node('j', 'input:json', { value: {} }),
        node('l', 'input:list', { items: [], itemType: 'JSON' }),
        node('t', 'utility:text_template', { template: 'of {{j}}' }),
        node('k', 'utility:json_build', { keys: ['a', 'l'] }),
        node('text', 'output:preview'),
        node('built', 'output:preview'),
        node('items', 'output:preview'),
      ],
      edges: [
        edge('j.json > t.j'),
        edge('j.json > k.a'),
        edge('l.list > k.l'),
        edge('t.text > text.input'),
        edge('k.json > built.input'),
        edge('l.list > items.input'),
      ],
    });
    const response = await post(
      `/workflows/${exactWorkflow}/run`,
      `{"inputs":{"j":${big},"l":[ ${big} , 1 ]}}`,
    );
    const { executionId } = (await response.json()) as { executionId: string };
    await service.waitForStatus(executionId);
    const record = await get(`/executions/${executionId}`);
    assert.ok(record.includes('"text":"of {\\"id\\":12345678901234567890}"'), record);
    assert.ok(record.includes(`"value":{"a":${big},"l":[${big},1]}`), record);
    assert.ok(record.includes(`"values":[${big},1]`), record);
  });

  it('are refused if PostgreSQL cannot store them', async () => {
    for (const value of ['"\\u0000"', '"\\ud800"', '{"__proto__":1}'])
      assert.equal(
        (await post(`/workflows/${workflow}/run`, `{"inputs":{"j":${value}}}`)).status,
        400,
        value,
      );
  });
});

describe('requests with the same Idempotency-Key', () => {
  it('return the same run for equal JSON in another notation', async () => {
    const send = async (metadata: string) => {
      const response = await fetch(`${service.url}/api/v1/workflows/${workflow}/run`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${KEY}`,
          'content-type': 'application/json',
          'idempotency-key': 'as-sent',
        },
        body: `{"metadata":${metadata}}`,
      });
      return [response.status, response.headers.get('idempotent-replayed')];
    };
    assert.deepEqual(await send('{"a":1,"b":2}'), [202, null]);
    assert.deepEqual(await send('{ "b": 2.0, "a": 1 }'), [202, 'true']);
    assert.deepEqual(await send('{"a":1,"b":3}'), [422, null]);
  });
});
