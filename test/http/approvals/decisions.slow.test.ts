// Tests decisions on approvals: who may decide, concurrent decisions, comments, edits, and what runs record of them.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Execution, mapStates, type TestUser } from '../../support/client.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import {
  createApprovalGraph,
  decide,
  getDecision,
  listApprovals,
  startAsking,
  waitForApproval,
} from '../../support/runs/approvals.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

let service: TestService;
let receiver: Receiver;
let owner: TestUser;
let assignee: TestUser;
before(async () => {
  service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
  receiver = await startReceiver();
});
after(async () => {
  await service.close();
  await receiver.close();
});
beforeEach(async () => {
  receiver.answer(res => res.writeHead(200).end('ok'));
  [owner, assignee] = await Promise.all([
    service.createUser({ name: 'Olga' }),
    service.createUser({ name: 'Ana' }),
  ]);
});

describe('an approval without assignees', () => {
  it('is listed for who started the run, and decided with a comment', async () => {
    const id = await startAsking(owner);
    const approval = await waitForApproval(owner, id);
    assert.deepEqual(
      [approval.nodeId, approval.type, approval.items, approval.status],
      ['ask', 'TEXT', [{ type: 'TEXT', text: 'draft' }], 'waiting'],
    );
    const [brief] = await listApprovals(owner, '?brief=true');
    assert.deepEqual([brief?.id, brief?.items], [approval.id, []]);
    const { status, body } = await decide(owner, id, { decision: 'reject', comment: ' too dull ' });
    assert.deepEqual([status, body.status, body.decision?.comment], [200, 'rejected', 'too dull']);
    const record = await owner.waitForStatus(id);
    assert.equal(mapStates(record).no?.text, 'draft');
    const by = { via: 'account', userId: owner.userId, name: 'Olga', email: owner.email };
    assert.deepEqual(getDecision(record), { ...body.decision, decision: 'reject', by });
    assert.deepEqual(await listApprovals(owner), []);
    assert.deepEqual(
      (await listApprovals(owner, '?status=decided')).map(({ id }) => id),
      [approval.id],
    );
  });

  it('is hidden from other users', async () => {
    const id = await startAsking(owner);
    const approval = await waitForApproval(owner, id);
    assert.equal((await decide(assignee, id, { decision: 'approve' })).status, 403);
    assert.equal((await assignee.request('GET', `/approvals/${approval.id}`)).status, 403);
    assert.deepEqual(await listApprovals(assignee), []);
    assert.equal((await decide(owner, 'ex_0', { decision: 'approve' })).status, 404);
    assert.equal((await decide(owner, id, { decision: 'approve' }, 'a')).status, 404);
  });
});

describe('an approval with assignees', () => {
  it('shows an assignee without access to the workflow only what waits', async () => {
    const id = await startAsking(owner, { assignees: [assignee.email.toUpperCase()], message: 'Good?' });
    const approval = await waitForApproval(assignee, id);
    assert.deepEqual([approval.workflowId, approval.assignees, approval.items.length], [null, [], 1]);
    assert.equal((await assignee.request('GET', `/executions/${id}`)).status, 403);
    const read = await owner.request<typeof approval>('GET', `/approvals/${approval.id}`);
    assert.deepEqual(read.body.assignees, [{ userId: assignee.userId, email: assignee.email, mail: 'none' }]);
    const { data } = (
      await assignee.request<{ data: { kind: string; link: string; text: string }[] }>('GET', '/notices')
    ).body;
    assert.deepEqual(
      data.map(({ kind, link }) => [kind, link]),
      [['approval_waiting', `/approvals/${approval.id}`]],
    );
    assert.match(data[0]?.text ?? '', /^Good\? Olga asks you to decide by /);
    assert.equal((await decide(assignee, id, { decision: 'approve' })).status, 200);
    const record = await owner.waitForStatus(id);
    assert.deepEqual([record.status, getDecision(record)?.by.name], ['COMPLETED', 'Ana']);
  });

  it('is decided by its assignees and the owners, and not by others who started the run', async () => {
    const workflow = await owner.createWorkflow(createApprovalGraph({ assignees: [assignee.userId] }));
    const editor = await service.createUser();
    const share = { email: editor.email, role: 'EDIT' };
    assert.ok((await owner.request('PUT', `/workflows/${workflow}/permissions`, share)).status < 300);
    const id = await editor.startRun(workflow);
    await waitForApproval(assignee, id);
    assert.equal((await decide(editor, id, { decision: 'approve' })).status, 403);
    const decision = { nodeId: 'ask', approved: true };
    assert.equal((await editor.request('POST', `/executions/${id}/resume`, { decision })).status, 403);
    assert.equal((await decide(owner, id, { decision: 'approve' })).status, 200);
  });

  it('accepts one of two decisions at the same time, and names who decided in the other response', async () => {
    const id = await startAsking(owner, { assignees: [assignee.email] });
    await waitForApproval(assignee, id);
    const replies = await Promise.all([
      decide(owner, id, { decision: 'reject' }),
      decide(assignee, id, { decision: 'approve' }),
    ]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
    const refused = replies.find(({ status }) => status === 409)?.body;
    const winner = replies[0]?.status === 200 ? 'Olga' : 'Ana';
    assert.deepEqual([refused?.code, refused?.by?.name], ['already_decided', winner]);
    assert.equal(getDecision(await owner.waitForStatus(id))?.by.name, winner);
  });

  it('fails the node if the assignees are invalid', async () => {
    const id = await owner.startRun(
      await owner.createWorkflow(createApprovalGraph({ assignees: ['not an email'] })),
    );
    const record = await owner.waitForStatus(id);
    assert.deepEqual([record.status, record.error?.code], ['FAILED', 'invalid_assignees']);
  });
});

describe('the edits of a decision', () => {
  it('replace the value that continues', async () => {
    const id = await startAsking(owner, { editableInputs: true });
    const approval = await waitForApproval(owner, id);
    assert.equal(approval.editable, true);
    for (const edits of [{ input: 5 }, { input: 'x'.repeat(100_001) }, { other: 'x' }, {}])
      assert.equal((await decide(owner, id, { decision: 'approve', edits })).status, 400);
    const { body } = await decide(owner, id, { decision: 'approve', edits: { input: 'better' } });
    assert.equal(body.decision?.edited, true);
    assert.equal(mapStates(await owner.waitForStatus(id)).yes?.text, 'better');
  });

  it('keep the type JSON', async () => {
    const source = node('a', 'input:json', { value: { a: 1 } });
    const graph = createApprovalGraph({ editableInputs: true }, source);
    const edges = [edge('a.json > ask.input'), ...graph.edges.slice(1)];
    const id = await owner.startRun(await owner.createWorkflow({ ...graph, edges }));
    await waitForApproval(owner, id);
    assert.equal((await decide(owner, id, { decision: 'approve', edits: { input: 'text' } })).status, 200);
    const state = mapStates(await owner.waitForStatus(id)).yes;
    assert.deepEqual([state?.value, state?.text], ['text', undefined]);
  });

  it('are refused unless the node allows them', async () => {
    const id = await startAsking(owner, { assignees: [assignee.email] });
    await waitForApproval(assignee, id);
    const edits = { input: 'better' };
    assert.equal((await decide(assignee, id, { decision: 'approve', edits })).status, 400);
    const decision = { nodeId: 'ask', approved: true, value: 'better' };
    assert.equal((await owner.request('POST', `/executions/${id}/resume`, { decision })).status, 400);
  });
});

describe('the timeout of an approval', () => {
  const TIMEOUT = { timeoutMs: 1000 };

  it('decides as the node sets', async () => {
    const workflow = await owner.createWorkflow(
      createApprovalGraph({ ...TIMEOUT, timeoutDecision: 'approve' }),
    );
    const record = await owner.runWorkflow(workflow);
    assert.deepEqual([record.status, mapStates(record).yes?.text], ['COMPLETED', 'draft']);
    assert.deepEqual(getDecision(record)?.by, { via: 'timeout' });
    const [approval] = await listApprovals(owner, '?status=decided');
    assert.deepEqual([approval?.status, approval?.decision?.by.via], ['approved', 'timeout']);
    const refused = await decide(owner, record.id, { decision: 'reject' });
    assert.deepEqual([refused.status, refused.body.code], [409, 'already_decided']);
  });

  it('ends the run otherwise', async () => {
    const record = await owner.runWorkflow(await owner.createWorkflow(createApprovalGraph(TIMEOUT)));
    assert.deepEqual([record.status, getDecision(record)], ['TIMEOUT', null]);
    assert.equal((await listApprovals(owner, '?status=decided'))[0]?.status, 'expired');
    assert.equal((await decide(owner, record.id, { decision: 'approve' })).status, 409);
  });
});

it('a decision is in the webhook of the run', async () => {
  const webhook = { url: `${receiver.url}/hook` };
  const id = await owner.startRun(await owner.createWorkflow(createApprovalGraph()), { webhook });
  await waitForApproval(owner, id);
  await decide(owner, id, { decision: 'approve', comment: 'Fine' });
  await owner.waitForStatus(id);
  await waitUntil('the webhook', () => receiver.received.some(({ path }) => path === '/hook'));
  const event = receiver.received.find(({ path }) => path === '/hook')?.body as unknown as Execution;
  assert.deepEqual([getDecision(event)?.by.name, getDecision(event)?.comment], ['Olga', 'Fine']);
});

it('each decision leaves one row in the audit log', async () => {
  const id = await startAsking(owner);
  const approval = await waitForApproval(owner, id);
  await Promise.all([decide(owner, id, { decision: 'approve' }), decide(owner, id, { decision: 'reject' })]);
  const timedOut = createApprovalGraph({ timeoutMs: 1000, timeoutDecision: 'reject' });
  const { id: late } = await owner.runWorkflow(await owner.createWorkflow(timedOut));
  const { rows } = await service.db.query<{ user_id: number | null; after: string }>(
    `select e.user_id, e.after::text from audit_events e join approvals a on a.id = e.target
     where e.action = 'approval.decided' and a.execution_id = any ($1::text[]) order by e.id`,
    [[id, late]],
  );
  assert.deepEqual(
    rows.map(({ user_id, after }) => [user_id, JSON.parse(after)]),
    [
      [
        owner.userId,
        {
          decision: rows[0]?.after.includes('approved') ? 'approved' : 'rejected',
          comment: null,
          edited: false,
          executionId: id,
          nodeId: 'ask',
        },
      ],
      [null, { decision: 'rejected', via: 'timeout' }],
    ],
  );
  assert.ok(approval.id.startsWith('apv_'));
});

it('a cancelled run has no approvals that wait', async () => {
  const id = await startAsking(owner);
  await waitForApproval(owner, id);
  await owner.request('POST', `/executions/${id}/cancel`);
  await owner.waitForStatus(id, 'CANCELLED');
  assert.deepEqual(await listApprovals(owner), []);
  assert.equal((await decide(owner, id, { decision: 'approve' })).status, 409);
});

it('two approvals of a run are decided one after the other without waiting for the run', async () => {
  const id = await owner.startRun(
    await owner.createWorkflow({
      nodes: [
        node('a', 'input:text', { value: 'draft' }),
        node('ask', 'logic:approval'),
        node('ask2', 'logic:approval'),
        node('yes', 'output:preview'),
        node('yes2', 'output:preview'),
      ],
      edges: [
        edge('a.text > ask.input'),
        edge('a.text > ask2.input'),
        edge('ask.approved > yes.input'),
        edge('ask2.approved > yes2.input'),
      ],
    }),
  );
  await owner.waitForStatus(id, 'WAITING');
  const replies = await Promise.all([
    decide(owner, id, { decision: 'approve' }),
    decide(owner, id, { decision: 'approve' }, 'ask2'),
  ]);
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200],
  );
  const record = await owner.waitForStatus(id);
  assert.deepEqual([record.status, mapStates(record).yes2?.text], ['COMPLETED', 'draft']);
});

describe('the decisions of a deleted account', () => {
  it('no longer name it, in approvals, runs and node states', async () => {
    const id = await startAsking(owner, { assignees: [assignee.email] });
    const { id: approvalId } = await waitForApproval(assignee, id);
    assert.equal(
      (await decide(assignee, id, { decision: 'approve', comment: `"userId":${owner.userId}` })).status,
      200,
    );
    assert.equal(getDecision(await owner.waitForStatus(id))?.by.email, assignee.email);
    const removed = await service.request(
      'DELETE',
      `/admin/users/${assignee.userId}?transferTo=${owner.userId}`,
    );
    assert.equal(removed.status, 200, JSON.stringify(removed.body));
    const by = { via: 'account', userId: assignee.userId, name: 'Deleted user' };
    const { body: approval } = await owner.request<{ decision: { by: object } }>(
      'GET',
      `/approvals/${approvalId}`,
    );
    const { body } = await owner.request<Execution>('GET', `/executions/${id}`);
    assert.deepEqual([approval.decision.by, getDecision(body)?.by], [by, by]);
    const refused = await decide(owner, id, { decision: 'reject' });
    assert.match(JSON.stringify(refused.body), /already approved by Deleted user/);
    for (const table of ['approvals', 'approval_assignees', 'executions', 'execution_steps']) {
      // The workflow still asks for this email.
      const { rows } = await service.db.query<{ text: string }>(
        `select (to_jsonb(t) - 'request' - 'graph')::text as text from ${table} t`,
      );
      assert.ok(!rows.some(({ text }) => text.includes(`"email":"${assignee.email}`)), table);
      assert.ok(!rows.some(({ text }) => text.includes(`\\"email\\":\\"${assignee.email}`)), table);
    }
  });
});
