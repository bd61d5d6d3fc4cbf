// Tests resuming runs: a waiting run continues after a decision, and a finished run is resumed as a new run that reuses
// results.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Execution } from '../../support/client.ts';
import { mapStates } from '../../support/client.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

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
beforeEach(() => receiver.answer(res => res.writeHead(200).end('ok')));

const resume = (id: string, body: object, headers: Record<string, string> = {}) =>
  service.request<Execution & { executionId: string; code: string }>(
    'POST',
    `/executions/${id}/resume`,
    body,
    headers,
  );
const resumeAndWait = async (id: string, body: object): Promise<Execution> => {
  const response = await resume(id, body, { prefer: 'wait=60' });
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body;
};
const countRequests = (path: string): number => receiver.received.filter(entry => entry.path === path).length;
const listStates = (record: Execution): readonly string[] =>
  record.nodeStates.map(({ nodeId, status, cached }) => `${nodeId} ${status}${cached ? ' cached' : ''}`);

describe('a run that waits for a decision', () => {
  const APPROVAL = {
    nodes: [
      node('a', 'input:text', { value: 'draft' }),
      node('ask', 'logic:approval'),
      node('yes', 'output:preview'),
      node('no', 'output:preview'),
    ],
    edges: [edge('a.text > ask.input'), edge('ask.approved > yes.input'), edge('ask.rejected > no.input')],
  };
  let workflow: string;
  let id: string;
  before(async () => {
    workflow = await service.createWorkflow(APPROVAL);
  });
  beforeEach(async () => {
    id = await service.startRun(workflow);
    await service.waitForStatus(id, 'WAITING');
  });

  it('continues with the same id if the decision is approval', async () => {
    const record = await resumeAndWait(id, { decision: { nodeId: 'ask', approved: true } });
    assert.deepEqual([record.id, record.status, record.trigger], [id, 'COMPLETED', 'api']);
    assert.deepEqual(listStates(record), ['a COMPLETED', 'ask COMPLETED', 'yes COMPLETED', 'no SKIPPED']);
    assert.equal(mapStates(record).yes?.text, 'draft');
  });

  it('runs the rejected branch with the value of the decision', async () => {
    const decision = { nodeId: 'ask', approved: false, value: 'too dull' };
    const record = await resumeAndWait(id, { decision });
    assert.deepEqual(listStates(record).slice(2), ['yes SKIPPED', 'no COMPLETED']);
    assert.equal(mapStates(record).no?.text, 'too dull');
  });

  it('accepts only one valid decision', async () => {
    const getCode = async (body: object): Promise<string> => (await resume(id, body)).body.code;
    assert.equal(await getCode({}), 'not_resumable');
    assert.equal(await getCode({ decision: { nodeId: 'yes', approved: true } }), 'not_resumable');
    assert.equal(await getCode({ decision: { nodeId: '__proto__', approved: true } }), 'not_resumable');
    const decision = { nodeId: 'ask', approved: true };
    assert.equal(await getCode({ decision, fromNodeId: 'a' }), 'invalid_request');
    assert.equal(await getCode({ decision: { nodeId: 'ask' } }), 'invalid_request');
    const responses = await Promise.all([resume(id, { decision }), resume(id, { decision })]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [202, 409]);
    await service.waitForStatus(id, 'COMPLETED');
    assert.equal(await getCode({ decision }), 'not_resumable');
  });

  it('replays the response to the same decision with an Idempotency-Key', async () => {
    const decision = { nodeId: 'ask', approved: true };
    const headers = { 'idempotency-key': `decide ${id}` };
    const first = await resume(id, { decision }, headers);
    const repeated = await resume(id, { decision }, headers);
    assert.deepEqual(
      [first.status, repeated.status, repeated.headers.get('idempotent-replayed')],
      [202, 202, 'true'],
    );
    assert.deepEqual(repeated.body, first.body);
    assert.equal((await resume(id, { decision: { ...decision, approved: false } }, headers)).status, 422);
  });

  it('times out without a decision', async () => {
    const shortTimeoutWorkflow = await service.createWorkflow({
      ...APPROVAL,
      nodes: APPROVAL.nodes.with(1, node('ask', 'logic:approval', { timeoutMs: 1000 })),
    });
    const record = await service.runWorkflow(shortTimeoutWorkflow);
    assert.deepEqual([record.status, record.error?.nodeId], ['TIMEOUT', 'ask']);
  });
});

describe('a finished run', () => {
  const createGraph = () => ({
    nodes: [
      node('a', 'input:text', { value: 'x' }),
      node('first', 'utility:http_request', { url: `${receiver.url}/first`, method: 'POST' }),
      node('second', 'utility:http_request', { url: `${receiver.url}/second`, method: 'POST' }),
      node('end', 'output:preview'),
    ],
    edges: [edge('a.text > first.body'), edge('first.text > second.body'), edge('second.text > end.input')],
  });
  const createFailedRun = async (): Promise<{ workflow: string; failedRun: Execution }> => {
    receiver.answer((res, { path }) => res.writeHead(path === '/second' ? 500 : 200).end('ok'));
    const workflow = await service.createWorkflow(createGraph());
    const failedRun = await service.runWorkflow(workflow, { metadata: { kept: true } });
    assert.deepEqual([failedRun.status, failedRun.error?.nodeId], ['FAILED', 'second']);
    receiver.answer(res => res.writeHead(200).end('ok'));
    return { workflow, failedRun };
  };

  it('is resumed as a new run that reuses completed nodes', async () => {
    const { failedRun } = await createFailedRun();
    const [first, second] = [countRequests('/first'), countRequests('/second')];
    const record = await resumeAndWait(failedRun.id, {});
    assert.deepEqual(
      [record.status, record.trigger, record.resumedFromId],
      ['COMPLETED', 'resume', failedRun.id],
    );
    assert.notEqual(record.id, failedRun.id);
    assert.deepEqual(record.metadata, { kept: true });
    assert.deepEqual(listStates(record), [
      'a COMPLETED cached',
      'first COMPLETED cached',
      'second COMPLETED',
      'end COMPLETED',
    ]);
    assert.deepEqual([countRequests('/first') - first, countRequests('/second') - second], [0, 1]);
    assert.equal((await service.readExecution(failedRun.id)).status, 'FAILED');
  });

  it('is resumed with reruns of changed nodes and of everything from fromNodeId', async () => {
    const { failedRun } = await createFailedRun();
    const runWithNewInput = await resumeAndWait(failedRun.id, { inputs: { a: 'y' } });
    assert.deepEqual(listStates(runWithNewInput).slice(0, 2), ['a COMPLETED', 'first COMPLETED']);
    assert.deepEqual(runWithNewInput.inputs, { a: 'y' });
    assert.equal((await resume(runWithNewInput.id, {})).body.code, 'not_resumable');
    const runFromNode = await resumeAndWait(runWithNewInput.id, { fromNodeId: 'second' });
    assert.deepEqual(listStates(runFromNode).slice(1, 3), ['first COMPLETED cached', 'second COMPLETED']);
    assert.equal((await resume(runWithNewInput.id, { fromNodeId: 'nobody' })).body.code, 'invalid_request');
  });

  it('is resumed with the graph that ran or with the latest graph', async () => {
    const { workflow, failedRun } = await createFailedRun();
    const { nodes, edges } = createGraph();
    const changedGraph = {
      nodes: nodes.with(2, node('second', 'utility:http_request', { url: `${receiver.url}/third` })),
      edges: edges.with(1, edge('first.text > second.body')),
    };
    await service.request('PUT', `/workflows/${workflow}`, changedGraph);
    const [second, third] = [countRequests('/second'), countRequests('/third')];
    await resumeAndWait(failedRun.id, {});
    assert.deepEqual([countRequests('/second') - second, countRequests('/third') - third], [1, 0]);
    const latestRun = await resumeAndWait(failedRun.id, { useLatestWorkflow: true });
    assert.deepEqual([countRequests('/second') - second, countRequests('/third') - third], [1, 1]);
    assert.deepEqual(listStates(latestRun).slice(0, 2), ['a COMPLETED cached', 'first COMPLETED cached']);
  });

  it('is resumed with reruns of only the failed items of a list', async () => {
    receiver.answer((res, { path }) => res.writeHead(path === '/item/2' ? 500 : 200).end(path));
    const urls = [1, 2, 3].map(item => `${receiver.url}/item/${item}`);
    const workflow = await service.createWorkflow({
      nodes: [node('l', 'input:list', { items: urls }), node('r', 'utility:http_request')],
      edges: [edge('l.list > r.url')],
    });
    const failedRun = await service.runWorkflow(workflow);
    assert.deepEqual([failedRun.status, failedRun.error?.nodeId], ['FAILED', 'r']);
    receiver.answer((res, { path }) => res.writeHead(200).end(path));
    const record = await resumeAndWait(failedRun.id, {});
    assert.equal(record.status, 'COMPLETED');
    assert.deepEqual((mapStates(record).r as { texts?: string[] }).texts, ['/item/1', '/item/2', '/item/3']);
    assert.deepEqual(
      [1, 2, 3].map(item => countRequests(`/item/${item}`)),
      [1, 2, 1],
    );
  });

  it('provides results to another run except for nodes in keep.again', async () => {
    const { workflow, failedRun } = await createFailedRun();
    const [first, second] = [countRequests('/first'), countRequests('/second')];
    const record = await service.runWorkflow(workflow, {
      keep: { executionId: failedRun.id },
      targets: ['second'],
    });
    assert.deepEqual(listStates(record), [
      'a COMPLETED cached',
      'first COMPLETED cached',
      'second COMPLETED',
    ]);
    assert.equal(record.resumedFromId, failedRun.id);
    const keep = { executionId: record.id, again: ['first'] };
    const nextRun = await service.runWorkflow(workflow, { keep });
    assert.deepEqual(listStates(nextRun)[1], 'first COMPLETED');
    assert.deepEqual([countRequests('/first') - first, countRequests('/second') - second], [1, 2]);
  });

  it('provides pinned results even if the node has changed', async () => {
    const { workflow, failedRun } = await createFailedRun();
    const { nodes, edges } = createGraph();
    const changedNodes = nodes.with(
      1,
      node('first', 'utility:http_request', { url: `${receiver.url}/other` }),
    );
    await service.request('PUT', `/workflows/${workflow}`, { nodes: changedNodes, edges });
    const requestsBefore = countRequests('/other');
    const record = await service.runWorkflow(workflow, { pins: { first: failedRun.id } });
    assert.deepEqual(listStates(record), ['first COMPLETED cached', 'second COMPLETED', 'end COMPLETED']);
    assert.equal(countRequests('/other'), requestsBefore);
    const estimate = await service.request<{ credits: number; kept: readonly string[] }>(
      'POST',
      `/workflows/${workflow}/estimate`,
      {
        pins: { first: failedRun.id },
      },
    );
    assert.deepEqual([estimate.status, estimate.body.credits, estimate.body.kept], [200, 0, ['first']]);
    const otherWorkflow = await service.createWorkflow(createGraph());
    const invalidBodies = [
      { pins: { second: failedRun.id } },
      { pins: { nobody: failedRun.id } },
      { pins: { first: 'ex_none' } },
      { keep: { executionId: failedRun.id, again: ['nobody'] } },
    ];
    for (const body of invalidBodies) {
      const response = await service.request<{ code: string }>('POST', `/workflows/${workflow}/run`, body);
      assert.deepEqual([response.status, response.body.code], [400, 'invalid_request'], JSON.stringify(body));
    }
    const body = { pins: { first: failedRun.id } };
    assert.equal((await service.request('POST', `/workflows/${otherWorkflow}/run`, body)).status, 400);
  });

  it('is resumed with another webhook', async () => {
    const { failedRun } = await createFailedRun();
    const record = await resumeAndWait(failedRun.id, { webhook: { url: `${receiver.url}/resumed` } });
    await waitUntil('the event', () => countRequests('/resumed') === 1);
    assert.equal(receiver.received.find(({ path }) => path === '/resumed')?.body.executionId, record.id);
    assert.equal((await resume(failedRun.id, { webhook: { url: 'nowhere' } })).body.code, 'invalid_webhook');
  });

  it('can be resumed only by users who may run the workflow', async () => {
    const { failedRun } = await createFailedRun();
    const otherUser = await service.createUser();
    assert.equal((await otherUser.request('POST', `/executions/${failedRun.id}/resume`, {})).status, 403);
    assert.equal((await resume('ex_00000000000000000000000000', {})).status, 404);
    receiver.answer(() => undefined);
    const runInProgress = await resume(failedRun.id, {});
    assert.equal((await resume(runInProgress.body.executionId, {})).body.code, 'not_resumable');
    await service.request('POST', `/executions/${runInProgress.body.executionId}/cancel`);
  });
});
