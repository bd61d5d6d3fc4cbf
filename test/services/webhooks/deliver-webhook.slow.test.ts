// Tests webhook deliveries from the end of a run to the receiver: one event per run, its body, signatures and retries.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { computeBackoff } from '../../../src/lib/backoff.ts';
import { BACKOFF } from '../../../src/services/webhooks/deliver-webhook.ts';
import type { Client } from '../../support/client.ts';
import {
  type Receiver,
  type RecordedRequest,
  type Responder,
  startReceiver,
} from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { DELAYED, edge, node, PAIR } from '../../support/workflows.ts';

const SECRET = 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cyBoZXJl';

let service: TestService;
let receiver: Receiver;
let pair: string;
before(async () => {
  // The timeout is long, so that a slow response on a busy machine does not cause a second attempt.
  service = await startTestService({ WEBHOOK_BACKOFF_BASE_MS: '1', WEBHOOK_TIMEOUT_MS: '30000' });
  pair = await service.createWorkflow(PAIR);
});
after(() => service.close());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const runWithWebhook = async (
  overrides: object = {},
  workflow = pair,
  client: Client = service,
): Promise<string> =>
  client.startRun(workflow, { webhook: { url: `${receiver.url}/hook`, secret: SECRET }, ...overrides });
const waitForState = (id: string, state: string, client: Client = service) =>
  waitUntil(
    `the delivery to be ${state}`,
    async () => (await client.readExecution(id)).webhook?.state === state,
  );

/** Starts a service that gives a receiver three seconds to respond, which is enough on a busy machine. */
async function startServiceWithShortTimeout(): Promise<TestService & AsyncDisposable> {
  const testService = await startTestService({ WEBHOOK_BACKOFF_BASE_MS: '1', WEBHOOK_TIMEOUT_MS: '3000' });
  return { ...testService, [Symbol.asyncDispose]: () => testService.close() };
}

describe('a webhook delivery', () => {
  it('sends one POST with the event and both signatures', async () => {
    const id = await runWithWebhook({ metadata: { z: 1, ключ: ['"\u2028'], a: { b: null } } });
    await waitForState(id, 'delivered');
    assert.equal(receiver.received.length, 1);
    const { headers, raw, body } = receiver.received[0] as RecordedRequest;
    const record = await service.readExecution(id);
    assert.deepEqual(Object.keys(body), [
      'event',
      'eventId',
      'executionId',
      'workflowId',
      'status',
      'nodeStates',
      'metadata',
      'createdAt',
    ]);
    assert.deepEqual([body.event, body.status, body.executionId], ['execution.completed', 'COMPLETED', id]);
    assert.deepEqual(body.nodeStates, record.nodeStates);
    assert.equal(JSON.stringify(body.metadata), '{"z":1,"ключ":["\\"\u2028"],"a":{"b":null}}');
    assert.equal(headers['user-agent'], 'Service-Webhook/1.0');
    assert.equal(headers['x-service-event'], 'execution.completed');
    assert.match(String(headers['x-service-delivery']), /^dlv_/);
    assert.ok(await verify(SECRET, raw, String(headers['x-service-signature'])));
    new Webhook(SECRET).verify(raw, headers as Record<string, string>);
    assert.deepEqual([record.webhook?.attempts, record.webhook?.lastStatusCode], [1, 204]);
  });

  it('omits absent metadata, missing signatures and nodes that did not run', async () => {
    const workflow = await service.createWorkflow({
      nodes: [
        node('a', 'input:text', { value: 'x' }),
        node('i', 'logic:if', { operator: 'equals', compare: 'x' }),
        node('yes', 'output:preview'),
        node('no', 'output:preview'),
      ],
      edges: [edge('a.text > i.value'), edge('i.true > yes.input'), edge('i.false > no.input')],
    });
    await runWithWebhook({ webhook: { url: receiver.url } }, workflow);
    await waitUntil('the event', () => receiver.received.length === 1);
    const { headers, body } = receiver.received[0] as RecordedRequest;
    assert.deepEqual(
      Object.keys(headers).filter(name => /signature|^webhook-/.test(name)),
      [],
    );
    assert.ok(!('metadata' in body));
    assert.deepEqual(
      (body.nodeStates as { nodeId: string }[]).map(({ nodeId }) => nodeId),
      ['a', 'i', 'yes'],
    );
  });

  it('reports failed and canceled runs as execution.failed with their status', async () => {
    const waitingWorkflow = await service.createWorkflow(DELAYED);
    const cancelled = await runWithWebhook({}, waitingWorkflow);
    await service.request('POST', `/executions/${cancelled}/cancel`);
    const failingWorkflow = await service.createWorkflow({
      nodes: [node('m', 'utility:math', { a: 1, b: 0, operation: 'divide' })],
      edges: [],
    });
    await runWithWebhook({}, failingWorkflow);
    await waitUntil('both events', () => receiver.received.length === 2);
    assert.deepEqual(receiver.received.map(({ body }) => `${body.event} ${body.status}`).sort(), [
      'execution.failed CANCELLED',
      'execution.failed FAILED',
    ]);
  });

  it('repeats the same event after errors, redirects, resets and timeouts', async () => {
    await using serviceWithShortTimeout = await startServiceWithShortTimeout();
    const responses: readonly Responder[] = [
      res => res.writeHead(500).end('no'),
      res => res.writeHead(302, { location: `${receiver.url}/elsewhere` }).end(),
      res => res.destroy(),
      () => undefined,
      res => res.writeHead(299).end(),
    ];
    receiver.answer((res, request) => responses[receiver.received.length - 1]?.(res, request));
    const id = await runWithWebhook(
      {},
      await serviceWithShortTimeout.createWorkflow(PAIR),
      serviceWithShortTimeout,
    );
    await waitForState(id, 'delivered', serviceWithShortTimeout);
    assert.equal(receiver.received.length, responses.length);
    assert.deepEqual([...new Set(receiver.received.map(({ path }) => path))], ['/hook']);
    assert.equal(new Set(receiver.received.map(({ raw }) => raw)).size, 1);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size, 1);
    const { rows } = await serviceWithShortTimeout.db.query(
      `select status_code, error is null as answered, response from delivery_attempts
       where delivery_id = (select id from deliveries where execution_id = $1) order by attempt`,
      [id],
    );
    assert.deepEqual(
      rows.map(row => [row.status_code, row.answered, row.response]),
      [
        [500, true, 'no'],
        [302, true, ''],
        [null, false, null],
        [null, false, null],
        [299, true, ''],
      ],
    );
  });

  it('becomes exhausted after twelve failed attempts', async () => {
    receiver.answer(res => res.writeHead(404).end());
    const id = await runWithWebhook();
    await waitForState(id, 'exhausted');
    const { webhook, status } = await service.readExecution(id);
    assert.deepEqual([webhook?.attempts, webhook?.lastStatusCode, status], [12, 404, 'COMPLETED']);
    assert.equal(receiver.received.length, 12);
  });

  it('succeeds on status 200 even if the body never ends', async () => {
    receiver.answer(res => {
      res.writeHead(200);
      const timer = setInterval(() => res.write('x'.repeat(64)), 1);
      res.once('close', () => clearInterval(timer));
    });
    const id = await runWithWebhook();
    await waitForState(id, 'delivered');
    assert.equal(receiver.received.length, 1);
  });

  it('stores the secret encrypted and never returns it', async () => {
    const id = await runWithWebhook();
    await waitForState(id, 'delivered');
    const { rows } = await service.db.query(
      'select e::text as run, d::text as delivery from executions e join deliveries d on d.execution_id = e.id where e.id = $1',
      [id],
    );
    for (const text of [rows[0]?.run, rows[0]?.delivery, JSON.stringify(await service.readExecution(id))])
      assert.ok(!String(text).includes(SECRET.slice(6)));
  });

  it('waits while eight deliveries to the same host are open', async () => {
    const sendResponses: (() => void)[] = [];
    receiver.answer(res => sendResponses.push(() => res.writeHead(204).end()));
    const ids = await Promise.all(Array.from({ length: 20 }, () => runWithWebhook()));
    await waitUntil('eight open requests', () => receiver.open.now === 8);
    for (const id of ids) await service.waitForStatus(id, 'COMPLETED');
    assert.equal(receiver.received.length, 8);
    receiver.answer(res => res.writeHead(204).end());
    for (const sendResponse of sendResponses) sendResponse();
    for (const id of ids) await waitForState(id, 'delivered');
    assert.deepEqual([receiver.open.max, receiver.received.length], [8, ids.length]);
    const { rows } = await service.db.query(
      'select distinct attempts from deliveries where execution_id = any ($1)',
      [ids],
    );
    assert.deepEqual(rows, [{ attempts: 1 }]);
  });
});

describe('the backoff of webhook deliveries', () => {
  it('doubles from 30 s to at most six hours with up to 10 % jitter', () => {
    const backoff = { ...BACKOFF, firstMs: 30_000 };
    const delays = Array.from({ length: 11 }, (_, retries) => computeBackoff(backoff, retries, 0) / 1000);
    assert.deepEqual(delays, [30, 60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360, 21_600]);
    assert.equal(computeBackoff(backoff, 0, 1), 33_000);
    for (const retries of [9, 10, 11]) assert.ok(computeBackoff(backoff, retries, 1) <= 6 * 3_600_000);
  });
});
