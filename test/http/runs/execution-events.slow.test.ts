// Tests the server-sent events of a run over real sockets: what is sent, in which order, and when the stream ends.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type EventStream, openStream } from '../../support/http/sse.ts';
import { waitUntil } from '../../support/processes.ts';
import { KEY, startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

const CHAIN = {
  nodes: [
    node('a', 'input:text', { value: 'x' }),
    node('d', 'logic:delay', { ms: 300 }),
    node('b', 'output:preview'),
  ],
  edges: [edge('a.text > d.input'), edge('d.output > b.input')],
};
const LONG = { ...CHAIN, nodes: CHAIN.nodes.with(1, node('d', 'logic:delay', { ms: 60_000 })) };

describe('the events of an execution', { concurrency: true }, () => {
  let service: TestService;
  let chain: string;
  let long: string;

  before(async () => {
    service = await startTestService();
    chain = await service.createWorkflow(CHAIN);
    long = await service.createWorkflow(LONG);
  });
  after(() => service.close());

  const follow = (id: string, headers: Record<string, string> = {}): Promise<EventStream> =>
    openStream(`${service.url}/api/v1/executions/${id}/events`, {
      authorization: `Bearer ${KEY}`,
      ...headers,
    });
  const listIds = ({ events }: EventStream): readonly number[] => events.flatMap(({ id }) => id ?? []);
  const assertIncreasing = (ids: readonly number[]): void =>
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
    );

  it('start with a snapshot, report each node and status with increasing ids, and close after the end', async () => {
    const id = await service.startRun(chain);
    const stream = await follow(id);
    await stream.closed;
    const [snapshot, ...laterEvents] = stream.events;
    assert.deepEqual([snapshot?.event, snapshot?.data.id], ['snapshot', id]);
    assertIncreasing(listIds(stream));
    const last = laterEvents.at(-1);
    assert.deepEqual([last?.event, last?.data.status], ['execution', 'COMPLETED']);
    const nodeEvents = laterEvents
      .filter(({ event }) => event === 'node')
      .map(({ data }) => `${data.nodeId} ${data.status}`);
    assert.ok(nodeEvents.includes('d COMPLETED') && nodeEvents.includes('b COMPLETED'), nodeEvents.join());
  });

  it('are a single snapshot for a run that has ended', async () => {
    const { id } = await service.runWorkflow(chain);
    const stream = await follow(id);
    await stream.closed;
    assert.deepEqual(
      stream.events.map(({ event, data }) => [event, data.status]),
      [['snapshot', 'COMPLETED']],
    );
  });

  it('continue after Last-Event-ID, and answer 204 if no events remain', async () => {
    const id = await service.startRun(chain);
    const wholeStream = await follow(id, { 'last-event-id': '0' });
    await wholeStream.closed;
    assertIncreasing(listIds(wholeStream));
    const middle = wholeStream.events.at(-3)?.id ?? 0;
    const resumed = await follow(id, { 'last-event-id': String(middle) });
    await resumed.closed;
    assert.deepEqual(resumed.events, wholeStream.events.slice(-2));
    const done = await follow(id, { 'last-event-id': String(listIds(wholeStream).at(-1)) });
    assert.equal(done.status, 204);
  });

  it('refuse an invalid Last-Event-ID and unauthorized callers with an error response', async () => {
    const { id } = await service.runWorkflow(chain);
    assert.equal((await follow(id, { 'last-event-id': 'x' })).status, 400);
    assert.equal((await follow('ex_00000000000000000000000000')).status, 404);
    assert.equal((await follow(id, { authorization: 'Bearer sk-0123456789abcdefgh' })).status, 401);
  });

  it('report a cancel, with the waiting node as CANCELLED', async () => {
    const id = await service.startRun(long);
    await waitUntil('the delay to wait', async () => (await service.readExecution(id)).progress.done === 1);
    const stream = await follow(id);
    await waitUntil('the snapshot', () => stream.events.length > 0);
    await service.request('POST', `/executions/${id}/cancel`);
    await stream.closed;
    assertIncreasing(listIds(stream));
    assert.deepEqual(
      stream.events.slice(-3).map(({ data }) => [data.nodeId, data.status]),
      [
        ['d', 'CANCELLED'],
        ['b', 'CANCELLED'],
        [undefined, 'CANCELLED'],
      ],
    );
  });

  it('include a comment every 15 s while nothing happens, also after the last event', async () => {
    const id = await service.startRun(long);
    await waitUntil('the delay to wait', async () => (await service.readExecution(id)).progress.done === 1);
    const stream = await follow(id, { 'last-event-id': '999' });
    await waitUntil('a comment', () => stream.comments.length > 0);
    assert.deepEqual(stream.events, []);
    stream.hangUp();
  });
});

describe('a service that shuts down', () => {
  it('ends its event streams and answers waiting requests with 202', async () => {
    const service = await startTestService();
    const workflow = await service.createWorkflow(LONG);
    const id = await service.startRun(workflow);
    const stream = await openStream(`${service.url}/api/v1/executions/${id}/events`, {
      authorization: `Bearer ${KEY}`,
    });
    await waitUntil('the snapshot', () => stream.events.length > 0);
    const waiting = service.request('POST', `/workflows/${workflow}/run`, {}, { prefer: 'wait=60' });
    await waitUntil('the second run', async () => {
      const { rows } = await service.db.query('select from executions');
      return rows.length === 2;
    });
    await service.close();
    await stream.closed;
    assert.equal((await waiting).status, 202);
  });
});
