// Tests the server-sent events of a run over real sockets: their content and order, and the end of the stream.
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
const APPROVED = {
  nodes: CHAIN.nodes.with(1, node('d', 'logic:approval')),
  edges: [edge('a.text > d.input'), edge('d.approved > b.input')],
};
const LONG = { ...CHAIN, nodes: CHAIN.nodes.with(1, node('d', 'logic:delay', { ms: 60_000 })) };

describe('GET /executions/{id}/events', { concurrency: true }, () => {
  let service: TestService;
  let chainWorkflow: string;
  let longWorkflow: string;

  before(async () => {
    service = await startTestService({}, { keepAliveMs: 250 });
    chainWorkflow = await service.createWorkflow(CHAIN);
    longWorkflow = await service.createWorkflow(LONG);
  });
  after(() => service.close());

  const openEvents = (id: string, headers: Record<string, string> = {}): Promise<EventStream> =>
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

  it('streams a snapshot, then node and status events, until the run ends', async () => {
    // The run waits for a decision, so that it cannot end before the stream is open.
    const id = await service.startRun(await service.createWorkflow(APPROVED));
    await service.waitForStatus(id, 'WAITING');
    const stream = await openEvents(id);
    await service.request('POST', `/executions/${id}/resume`, { decision: { nodeId: 'd', approved: true } });
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

  it('streams only a snapshot for a finished run', async () => {
    const { id } = await service.runWorkflow(chainWorkflow);
    const stream = await openEvents(id);
    await stream.closed;
    assert.deepEqual(
      stream.events.map(({ event, data }) => [event, data.status]),
      [['snapshot', 'COMPLETED']],
    );
  });

  it('continues after Last-Event-ID', async () => {
    const id = await service.startRun(chainWorkflow);
    const wholeStream = await openEvents(id, { 'last-event-id': '0' });
    await wholeStream.closed;
    assertIncreasing(listIds(wholeStream));
    const lastSeenId = wholeStream.events.at(-3)?.id ?? 0;
    const continuedStream = await openEvents(id, { 'last-event-id': String(lastSeenId) });
    await continuedStream.closed;
    assert.deepEqual(continuedStream.events, wholeStream.events.slice(-2));
    const emptyStream = await openEvents(id, { 'last-event-id': String(listIds(wholeStream).at(-1)) });
    assert.equal(emptyStream.status, 204);
  });

  it('returns 400, 401 and 404 for invalid requests', async () => {
    const { id } = await service.runWorkflow(chainWorkflow);
    assert.equal((await openEvents(id, { 'last-event-id': 'x' })).status, 400);
    assert.equal((await openEvents('ex_00000000000000000000000000')).status, 404);
    assert.equal((await openEvents(id, { authorization: 'Bearer sk-0123456789abcdefgh' })).status, 401);
  });

  it('streams CANCELLED for the waiting nodes and the run', async () => {
    const id = await service.startRun(longWorkflow);
    await waitUntil('the delay to wait', async () => (await service.readExecution(id)).progress.done === 1);
    const stream = await openEvents(id);
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

  it('streams comments while there are no events', async () => {
    const id = await service.startRun(longWorkflow);
    await waitUntil('the delay to wait', async () => (await service.readExecution(id)).progress.done === 1);
    const stream = await openEvents(id, { 'last-event-id': '999' });
    await waitUntil('a comment', () => stream.comments.length > 0);
    assert.deepEqual(stream.events, []);
    stream.hangUp();
  });
});

describe('a service that shuts down', () => {
  it('ends event streams and returns 202 to waiting requests', async () => {
    const service = await startTestService();
    const workflow = await service.createWorkflow(LONG);
    const id = await service.startRun(workflow);
    const stream = await openStream(`${service.url}/api/v1/executions/${id}/events`, {
      authorization: `Bearer ${KEY}`,
    });
    await waitUntil('the snapshot', () => stream.events.length > 0);
    const waitingRequest = service.request('POST', `/workflows/${workflow}/run`, {}, { prefer: 'wait=60' });
    await waitUntil('the second run', async () => {
      const { rows } = await service.db.query('select from executions');
      return rows.length === 2;
    });
    await service.close();
    await stream.closed;
    assert.equal((await waitingRequest).status, 202);
  });
});
