// Tests resuming runs: waiting runs continue after a decision, ended runs as a new run that reuses valid results.
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
  const response = await resume(id, body, { prefer: 'wait=20' });
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body;
};
const count = (path: string): number => receiver.received.filter(entry => entry.path === path).length;
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

  it('continues under the same id when approved', async () => {
    const record = await resumeAndWait(id, { decision: { nodeId: 'ask', approved: true } });
    assert.deepEqual([record.id, record.status, record.trigger], [id, 'COMPLETED', 'api']);
    assert.deepEqual(listStates(record), ['a COMPLETED', 'ask COMPLETED', 'yes COMPLETED', 'no SKIPPED']);
    assert.equal(mapStates(record).yes?.text, 'draft');
  });

  it("takes the other branch when rejected, with the decision's value", async () => {
    const decision = { nodeId: 'ask', approved: false, value: 'too dull' };
    const record = await resumeAndWait(id, { decision });
    assert.deepEqual(listStates(record).slice(2), ['yes SKIPPED', 'no COMPLETED']);
    assert.equal(mapStates(record).no?.text, 'too dull');
  });

  it('refuses a second decision, one for another node, one with unknown fields, and none', async () => {
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

  it('replays the response to a decision with the same Idempotency-Key', async () => {
    const decision = { nodeId: 'ask', approved: true };
    const headers = { 'idempotency-key': `decide ${id}` };
    const first = await resume(id, { decision }, headers);
    const again = await resume(id, { decision }, headers);
    assert.deepEqual(
      [first.status, again.status, again.headers.get('idempotent-replayed')],
      [202, 202, 'true'],
    );
    assert.deepEqual(again.body, first.body);
    assert.equal((await resume(id, { decision: { ...decision, approved: false } }, headers)).status, 422);
  });

  it('ends as TIMEOUT if nobody decides in time', async () => {
    const hasty = await service.createWorkflow({
      ...APPROVAL,
      nodes: APPROVAL.nodes.with(1, node('ask', 'logic:approval', { timeoutMs: 1000 })),
    });
    const record = await service.runWorkflow(hasty);
    assert.deepEqual([record.status, record.error?.nodeId], ['TIMEOUT', 'ask']);
  });
});

describe('a run that has ended', () => {
  const buildGraph = () => ({
    nodes: [
      node('a', 'input:text', { value: 'x' }),
      node('first', 'utility:http_request', { url: `${receiver.url}/first`, method: 'POST' }),
      node('second', 'utility:http_request', { url: `${receiver.url}/second`, method: 'POST' }),
      node('end', 'output:preview'),
    ],
    edges: [edge('a.text > first.body'), edge('first.text > second.body'), edge('second.text > end.input')],
  });
  const createFailedRun = async (): Promise<{ workflow: string; failed: Execution }> => {
    receiver.answer((res, { path }) => res.writeHead(path === '/second' ? 500 : 200).end('ok'));
    const workflow = await service.createWorkflow(buildGraph());
    const failed = await service.runWorkflow(workflow, { metadata: { kept: true } });
    assert.deepEqual([failed.status, failed.error?.nodeId], ['FAILED', 'second']);
    receiver.answer(res => res.writeHead(200).end('ok'));
    return { workflow, failed };
  };

  it('is resumed as a new run after the completed nodes, which cost nothing again', async () => {
    const { failed } = await createFailedRun();
    const [first, second] = [count('/first'), count('/second')];
    const record = await resumeAndWait(failed.id, {});
    assert.deepEqual(
      [record.status, record.trigger, record.resumedFromId],
      ['COMPLETED', 'resume', failed.id],
    );
    assert.notEqual(record.id, failed.id);
    assert.deepEqual(record.metadata, { kept: true });
    assert.deepEqual(listStates(record), [
      'a COMPLETED cached',
      'first COMPLETED cached',
      'second COMPLETED',
      'end COMPLETED',
    ]);
    assert.deepEqual([count('/first') - first, count('/second') - second], [0, 1]);
    assert.equal((await service.readExecution(failed.id)).status, 'FAILED');
  });

  it('reruns nodes whose inputs changed, and everything from a given node on', async () => {
    const { failed } = await createFailedRun();
    const changed = await resumeAndWait(failed.id, { inputs: { a: 'y' } });
    assert.deepEqual(listStates(changed).slice(0, 2), ['a COMPLETED', 'first COMPLETED']);
    assert.deepEqual(changed.inputs, { a: 'y' });
    assert.equal((await resume(changed.id, {})).body.code, 'not_resumable');
    const again = await resumeAndWait(changed.id, { fromNodeId: 'second' });
    assert.deepEqual(listStates(again).slice(1, 3), ['first COMPLETED cached', 'second COMPLETED']);
    assert.equal((await resume(changed.id, { fromNodeId: 'nobody' })).body.code, 'invalid_request');
  });

  it('resumes the graph that ran, or the latest one with results of unchanged nodes reused', async () => {
    const { workflow, failed } = await createFailedRun();
    const { nodes, edges } = buildGraph();
    const changed = {
      nodes: nodes.with(2, node('second', 'utility:http_request', { url: `${receiver.url}/third` })),
      edges: edges.with(1, edge('first.text > second.body')),
    };
    await service.request('PUT', `/workflows/${workflow}`, changed);
    const [second, third] = [count('/second'), count('/third')];
    await resumeAndWait(failed.id, {});
    assert.deepEqual([count('/second') - second, count('/third') - third], [1, 0]);
    const latest = await resumeAndWait(failed.id, { useLatestWorkflow: true });
    assert.deepEqual([count('/second') - second, count('/third') - third], [1, 1]);
    assert.deepEqual(listStates(latest).slice(0, 2), ['a COMPLETED cached', 'first COMPLETED cached']);
  });

  it('reruns only the failed items of a mapped node', async () => {
    receiver.answer((res, { path }) => res.writeHead(path === '/item/2' ? 500 : 200).end(path));
    const urls = [1, 2, 3].map(item => `${receiver.url}/item/${item}`);
    const workflow = await service.createWorkflow({
      nodes: [node('l', 'input:list', { items: urls }), node('r', 'utility:http_request')],
      edges: [edge('l.list > r.url')],
    });
    const failed = await service.runWorkflow(workflow);
    assert.deepEqual([failed.status, failed.error?.nodeId], ['FAILED', 'r']);
    receiver.answer((res, { path }) => res.writeHead(200).end(path));
    const record = await resumeAndWait(failed.id, {});
    assert.equal(record.status, 'COMPLETED');
    assert.deepEqual((mapStates(record).r as { texts?: string[] }).texts, ['/item/1', '/item/2', '/item/3']);
    assert.deepEqual(
      [1, 2, 3].map(item => count(`/item/${item}`)),
      [1, 2, 1],
    );
  });

  it('provides results to a run of the latest graph, except for nodes that must rerun', async () => {
    const { workflow, failed } = await createFailedRun();
    const [first, second] = [count('/first'), count('/second')];
    const record = await service.runWorkflow(workflow, {
      keep: { executionId: failed.id },
      targets: ['second'],
    });
    assert.deepEqual(listStates(record), [
      'a COMPLETED cached',
      'first COMPLETED cached',
      'second COMPLETED',
    ]);
    assert.equal(record.resumedFromId, failed.id);
    const keep = { executionId: record.id, again: ['first'] };
    const again = await service.runWorkflow(workflow, { keep });
    assert.deepEqual(listStates(again)[1], 'first COMPLETED');
    assert.deepEqual([count('/first') - first, count('/second') - second], [1, 2]);
  });

  it('provides a pinned result to later runs, whatever the node and its inputs contain', async () => {
    const { workflow, failed } = await createFailedRun();
    const { nodes, edges } = buildGraph();
    const changed = nodes.with(1, node('first', 'utility:http_request', { url: `${receiver.url}/other` }));
    await service.request('PUT', `/workflows/${workflow}`, { nodes: changed, edges });
    const requestsBefore = count('/other');
    const record = await service.runWorkflow(workflow, { pins: { first: failed.id } });
    assert.deepEqual(listStates(record), ['first COMPLETED cached', 'second COMPLETED', 'end COMPLETED']);
    assert.equal(count('/other'), requestsBefore);
    const price = await service.request<{ credits: number; kept: readonly string[] }>(
      'POST',
      `/workflows/${workflow}/estimate`,
      {
        pins: { first: failed.id },
      },
    );
    assert.deepEqual([price.status, price.body.credits, price.body.kept], [200, 0, ['first']]);
    const otherWorkflow = await service.createWorkflow(buildGraph());
    const refused = [
      { pins: { second: failed.id } },
      { pins: { nobody: failed.id } },
      { pins: { first: 'ex_none' } },
      { keep: { executionId: failed.id, again: ['nobody'] } },
    ];
    for (const body of refused) {
      const response = await service.request<{ code: string }>('POST', `/workflows/${workflow}/run`, body);
      assert.deepEqual([response.status, response.body.code], [400, 'invalid_request'], JSON.stringify(body));
    }
    const body = { pins: { first: failed.id } };
    assert.equal((await service.request('POST', `/workflows/${otherWorkflow}/run`, body)).status, 400);
  });

  it('notifies its own webhook if it has one', async () => {
    const { failed } = await createFailedRun();
    const record = await resumeAndWait(failed.id, { webhook: { url: `${receiver.url}/resumed` } });
    await waitUntil('the event', () => count('/resumed') === 1);
    assert.equal(receiver.received.find(({ path }) => path === '/resumed')?.body.executionId, record.id);
    assert.equal((await resume(failed.id, { webhook: { url: 'nowhere' } })).body.code, 'invalid_webhook');
  });

  it('can be resumed by users who may run the workflow, and not while it is in progress', async () => {
    const { failed } = await createFailedRun();
    const otherUser = await service.createUser();
    assert.equal((await otherUser.request('POST', `/executions/${failed.id}/resume`, {})).status, 403);
    assert.equal((await resume('ex_00000000000000000000000000', {})).status, 404);
    receiver.answer(() => undefined);
    const again = await resume(failed.id, {});
    assert.equal((await resume(again.body.executionId, {})).body.code, 'not_resumable');
    await service.request('POST', `/executions/${again.body.executionId}/cancel`);
  });
});
