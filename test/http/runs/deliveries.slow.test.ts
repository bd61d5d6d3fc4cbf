// Tests webhook deliveries over HTTP: the list of attempts, redelivery, and webhook tests.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import { type Receiver, type RecordedRequest, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { PAIR } from '../../support/workflows.ts';

interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly state: string;
  readonly lastStatusCode: number | null;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly statusCode: number | null;
    readonly error: string | null;
    readonly response: string | null;
    readonly durationMs: number;
    readonly startedAt: string;
  }[];
}

let service: TestService;
let receiver: Receiver;
let workflow: string;
before(async () => {
  service = await startTestService({ WEBHOOK_BACKOFF_BASE_MS: '1' });
  workflow = await service.createWorkflow(PAIR);
});
after(() => service.close());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const listDeliveries = async (id: string): Promise<readonly Delivery[]> => {
  const { status, body } = await service.request<{ data: Delivery[]; nextCursor: null }>(
    'GET',
    `/executions/${id}/deliveries`,
  );
  assert.deepEqual([status, body.nextCursor], [200, null]);
  return body.data;
};
const waitForState = async (id: string, state: string): Promise<Delivery> => {
  await waitUntil(`the delivery to be ${state}`, async () => (await listDeliveries(id))[0]?.state === state);
  return (await listDeliveries(id))[0] as Delivery;
};
const redeliver = (id: string, deliveryId: string) =>
  service.request<Delivery & { code: string }>(
    'POST',
    `/executions/${id}/deliveries/${deliveryId}/redeliver`,
  );

describe('/executions/{id}/deliveries', () => {
  it('sends the outputs of the run if the webhook includes them', async () => {
    const run = async (include: object) => {
      const webhook = { url: `${receiver.url}/hook`, secret: 's', ...include };
      const id = await service.startRun(workflow, { webhook });
      await waitForState(id, 'delivered');
      const request = receiver.received.at(-1) as RecordedRequest;
      const signature = String(request.headers['x-service-signature']);
      assert.equal(await verify('s', request.raw, signature), true);
      return { event: request.body, record: await service.readExecution(id) };
    };
    receiver.answer(res => res.end());
    const { event, record } = await run({ include: ['outputs'] });
    assert.equal((event.outputs as unknown[]).length, 1);
    assert.deepEqual(event.outputs, record.outputs);
    assert.equal('outputs' in (await run({})).event, false);
    assert.equal('outputs' in (await run({ include: [] })).event, false);
  });

  it('lists each attempt with the first KB of the response', async () => {
    receiver.answer(res =>
      receiver.received.length === 1 ? res.writeHead(503).end(`no\0${'x'.repeat(3000)}`) : res.end('fine'),
    );
    const id = await service.startRun(workflow, { webhook: { url: receiver.url } });
    const delivery = await waitForState(id, 'delivered');
    assert.equal(delivery.lastStatusCode, 200);
    assert.deepEqual(
      delivery.attempts.map(({ attempt, statusCode, error, response }) => [
        attempt,
        statusCode,
        error,
        response,
      ]),
      [
        [1, 503, null, `no${'x'.repeat(1021)}`],
        [2, 200, null, 'fine'],
      ],
    );
    for (const { startedAt, durationMs } of delivery.attempts) {
      assert.ok(Date.parse(startedAt) > 0 && durationMs >= 0);
    }
  });

  it('returns an empty list without a webhook', async () => {
    assert.deepEqual(await listDeliveries((await service.runWorkflow(workflow)).id), []);
  });

  it('redelivers the same event of a delivered or exhausted delivery', async () => {
    const id = await service.startRun(workflow, { webhook: { url: receiver.url, secret: 's' } });
    const { id: deliveryId, eventId } = await waitForState(id, 'delivered');
    receiver.answer(res => res.writeHead(500).end());
    const redelivery = await redeliver(id, deliveryId);
    assert.deepEqual(
      [redelivery.status, redelivery.body.id, redelivery.body.eventId],
      [202, deliveryId, eventId],
    );
    // The worker may claim the delivery before the response reads its row.
    assert.ok(['pending', 'attempting'].includes(redelivery.body.state), redelivery.body.state);
    const exhaustedDelivery = await waitForState(id, 'exhausted');
    assert.equal(exhaustedDelivery.attempts.length, 1 + 12);
    receiver.answer(res => res.writeHead(204).end());
    await redeliver(id, deliveryId);
    const repeatedDelivery = await waitForState(id, 'delivered');
    assert.equal(repeatedDelivery.attempts.length, 1 + 12 + 1);
    assert.equal(new Set(receiver.received.map(({ raw }) => raw)).size, 1);
    assert.equal(receiver.received[0]?.body.eventId, eventId);
  });

  it('refuses redelivery by other users and of unknown ids', async () => {
    const id = await service.startRun(workflow, { webhook: { url: receiver.url } });
    const { id: deliveryId } = await waitForState(id, 'delivered');
    const otherUser = await service.createUser();
    const path = `/executions/${id}/deliveries`;
    assert.equal((await otherUser.request('GET', path)).status, 403);
    assert.equal((await otherUser.request('POST', `${path}/${deliveryId}/redeliver`)).status, 403);
    assert.equal((await redeliver(id, 'dlv_00000000000000000000000000')).body.code, 'not_found');
    assert.equal(receiver.received.length, 1);
  });
});

describe('POST /webhooks/test', () => {
  const testWebhook = (body: object) =>
    service.request<Record<string, unknown>>('POST', '/webhooks/test', body);

  it('sends a signed sample event and returns the response', async () => {
    receiver.answer(res => res.writeHead(201).end('thanks'));
    const { status, body } = await testWebhook({ url: `${receiver.url}/x`, secret: 'hush' });
    assert.equal(status, 200);
    assert.deepEqual(
      [body.delivered, body.statusCode, body.response, body.error],
      [true, 201, 'thanks', null],
    );
    const { headers, raw, body: sample } = receiver.received[0] as RecordedRequest;
    assert.ok(await verify('hush', raw, String(headers['x-service-signature'])));
    assert.deepEqual([sample.event, sample.eventId], ['execution.completed', body.eventId]);
  });

  it('reports a failed request and refuses invalid webhooks', async () => {
    receiver.answer(res => res.destroy());
    const { body } = await testWebhook({ url: receiver.url });
    assert.deepEqual([body.delivered, body.statusCode], [false, null]);
    assert.match(String(body.error), /closed the connection/);
    for (const webhook of [{}, { url: 'ftp://x' }, { url: 'http://example.com' }]) {
      const response = await testWebhook(webhook);
      assert.deepEqual(
        [response.status, response.body.code],
        [400, 'invalid_webhook'],
        JSON.stringify(webhook),
      );
    }
  });
});
