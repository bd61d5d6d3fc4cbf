// Tests the precedence of node settings, accepted webhook URLs, the webhook of a timeout, and disabled workflows.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { DELAYED, edge, node, PAIR } from '../../support/workflows.ts';

let service: TestService;
let receiver: Receiver;
let pair: string;
before(async () => {
  service = await startTestService({ WEBHOOK_BACKOFF_BASE_MS: '1', ALLOW_PRIVATE_NETWORK: 'true' });
  receiver = await startReceiver();
  pair = await service.createWorkflow(PAIR);
});
after(async () => {
  await service.close();
  await receiver.close();
});

describe('settings of a node in a run', () => {
  const template = node('t', 'utility:text_template', { template: 'config' });
  const createGraph = (params?: object) => ({
    nodes: [
      { ...template, data: { ...template.data, ...(params && { params }) } },
      node('p', 'output:preview'),
    ],
    edges: [edge('t.text > p.input')],
  });
  const [a, b] = PAIR.nodes;
  const runForText = async (workflow: object, body: object = {}): Promise<unknown> => {
    const record = await service.runWorkflow(await service.createWorkflow(workflow), body);
    assert.equal(record.status, 'COMPLETED', JSON.stringify(record.error));
    return record.outputs[0]?.text;
  };

  it('come from config', async () => assert.equal(await runForText(createGraph()), 'config'));
  it('come from params if config and params have a value', async () =>
    assert.equal(await runForText(createGraph({ template: 'params' })), 'params'));
  it('come from the inputs of the run before config and params', async () => {
    const workflow = { ...PAIR, nodes: [{ ...a, data: { ...a.data, params: { value: 'params' } } }, b] };
    assert.equal(await runForText(workflow), 'params');
    assert.equal(await runForText(workflow, { inputs: { a: 'inputs' } }), 'inputs');
  });
  it('do not depend on the position', async () => {
    const movedNodes = PAIR.nodes.map((node, i) => ({ ...node, position: { x: -1e6 * i, y: 1e6 } }));
    assert.equal(await runForText({ ...PAIR, nodes: movedNodes }), 'x');
  });
});

describe('webhook of a run request', () => {
  const createUrl = (length: number): string => `https://example.com/${'x'.repeat(length - 20)}`;
  const INVALID_WEBHOOKS: readonly unknown[] = [
    null,
    'https://example.com',
    [],
    {},
    { secret: 's' },
    { url: '' },
    { url: 7 },
    { url: 'example.com' },
    { url: 'ftp://example.com' },
    { url: 'http://example.com' },
    { url: 'http://127.0.0.2' },
    { url: 'http://localhost.example.com' },
    { url: createUrl(2049) },
    { url: 'https://example.com', secret: 1 },
  ];
  for (const webhook of INVALID_WEBHOOKS)
    it(`returns 400 invalid_webhook for ${JSON.stringify(webhook).slice(0, 50)}`, async () => {
      const workflow = await service.createWorkflow(PAIR);
      // The invalid webhook is reported before the invalid inputs.
      const body = { webhook, inputs: { nobody: 1 } };
      const response = await service.request<{ code: string }>('POST', `/workflows/${workflow}/run`, body);
      assert.deepEqual([response.status, response.body.code], [400, 'invalid_webhook']);
      const { body: list } = await service.request<{ data: unknown[] }>(
        'GET',
        `/workflows/${workflow}/executions`,
      );
      assert.deepEqual(list.data, []);
    });

  const VALID_URLS = [
    createUrl(2048),
    'http://localhost:9/x',
    'http://127.0.0.1:9',
    'http://a.localhost:9',
    'https://localhost:9',
  ];
  for (const url of VALID_URLS)
    it(`accepts the URL ${url.slice(0, 40)}`, async () => {
      // The node waits, so nothing is sent before the run is cancelled.
      const { status } = await service.request(
        'POST',
        `/workflows/${await service.createWorkflow(DELAYED)}/run`,
        {
          webhook: { url },
        },
      );
      assert.equal(status, 202);
    });
});

describe('a run that times out', () => {
  it('sends one execution.failed event with status TIMEOUT', async () => {
    const silentReceiver = await startReceiver();
    silentReceiver.answer(() => undefined);
    const workflow = await service.createWorkflow({
      nodes: [node('r', 'utility:http_request', { url: `${silentReceiver.url}/hang` })],
      edges: [],
    });
    const webhook = { url: receiver.url };
    const id = await service.startRun(workflow, { timeoutMs: 200, webhook });
    await waitUntil(
      'the delivery',
      async () => (await service.readExecution(id)).webhook?.state === 'delivered',
    );
    await silentReceiver.close();
    assert.deepEqual(
      receiver.received.map(({ body }) => [body.event, body.status, body.executionId]),
      [['execution.failed', 'TIMEOUT', id]],
    );
  });
});

describe('a disabled workflow', () => {
  it('returns 400 to every request that starts a run', async () => {
    await service.request('PUT', `/workflows/${pair}`, { isActive: false });
    for (const route of ['run', 'execute'])
      assert.equal((await service.request('POST', `/workflows/${pair}/${route}`)).status, 400, route);
  });
});
