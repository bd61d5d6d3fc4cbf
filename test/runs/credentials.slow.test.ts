// Tests runs with the credentials of a workspace: which credential a run uses, who pays, and what happens when the
// credential is replaced, removed or rejected.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createBatchClient } from '../automation/batches/support.ts';
import type { Client, Execution, NodeState } from '../support/client.ts';
import { MODEL, modelGraph, PRICE, readBalance, runPaid, setUpPaidService } from '../support/credits/paid.ts';
import { waitUntil } from '../support/processes.ts';
import { edge, node } from '../support/workflows.ts';

const USD = PRICE / 100;
const KEYS = ['workspace-key-a-1111', 'workspace-key-b-2222', 'workspace-key-c-3333'] as const;
const [KEY_A, KEY_B, KEY_C] = KEYS;

type PaidState = NodeState & {
  readonly paidBy?: string;
  readonly credentialId?: string;
  readonly costUsd?: number | null;
};

const paid = setUpPaidService({ CREDENTIALS_BASE_URLS: 'instance' });
beforeEach(() => {
  paid.fal.apiKeys = new Set(['fal-key', ...KEYS]);
});

const storeCredential = async (user: Client, apiKey: string, more: object = {}): Promise<string> => {
  const { status, body } = await user.request<{ id: string }>('POST', '/credentials', {
    kind: 'fal',
    name: `Key ${apiKey.slice(-4)}`,
    owner: 'workspace',
    values: { apiKey },
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
};
const getNodeState = (execution: { readonly nodeStates: readonly NodeState[] }, id = 'm'): PaidState => {
  const state = execution.nodeStates.find(({ nodeId }) => nodeId === id);
  assert.ok(state);
  return state;
};
const countSubmissions = (key: string): number =>
  paid.fal.requests.filter(
    ({ method, path, headers }) =>
      method === 'POST' && path.startsWith('/fal-ai/') && headers.authorization === `Key ${key}`,
  ).length;

describe('a run', () => {
  it("pays credits for the instance's credential if its workspace has no credential", async () => {
    const user = await paid.newUser(10);
    const execution = await runPaid(user, modelGraph());
    const { paidBy, credentialId, credits } = getNodeState(execution);
    assert.deepEqual(
      [execution.status, paidBy, credentialId, credits],
      ['COMPLETED', 'credits', 'cred_environment_fal', PRICE],
    );
  });

  it("records the cost in USD instead of credits with its workspace's credential", async () => {
    const user = await paid.newUser(0);
    const id = await storeCredential(user, KEY_A);
    const earlier = countSubmissions(KEY_A);
    const workflow = await user.createWorkflow(modelGraph());
    const { body: estimate } = await user.request<{ credits: number; breakdown: PaidState[] }>(
      'POST',
      `/workflows/${workflow}/estimate`,
      {},
    );
    assert.equal(estimate.credits, 0);
    assert.deepEqual(
      estimate.breakdown.map(({ paidBy, credentialId, costUsd }) => [paidBy, credentialId, costUsd]),
      [['credential', id, USD]],
    );
    const execution = await user.runWorkflow(workflow);
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    const { paidBy, credentialId, costUsd, credits } = getNodeState(execution);
    assert.deepEqual([paidBy, credentialId, costUsd, credits], ['credential', id, USD, 0]);
    assert.equal(countSubmissions(KEY_A), earlier + 1);
    assert.deepEqual(await readBalance(user), [0, 0]);
    const { body } = await user.request<{ total: number; credentials: object[] }>('GET', '/credits/spending');
    assert.deepEqual(
      [body.total, body.credentials],
      [0, [{ credentialId: id, name: 'Key 1111', kind: 'fal', costUsd: USD, calls: 1, unpricedCalls: 0 }]],
    );
  });

  it('never uses the credential of another workspace', async () => {
    const [firstUser, otherUser] = [await paid.newUser(0), await paid.newUser(0)];
    await storeCredential(firstUser, KEY_A);
    await storeCredential(otherUser, KEY_B);
    const before = [countSubmissions(KEY_A), countSubmissions(KEY_B), countSubmissions('fal-key')];
    for (const user of [firstUser, otherUser])
      assert.equal((await runPaid(user, modelGraph())).status, 'COMPLETED');
    assert.deepEqual(
      [countSubmissions(KEY_A), countSubmissions(KEY_B), countSubmissions('fal-key')].map(
        (count, index) => count - (before[index] ?? 0),
      ),
      [1, 1, 0],
    );
  });

  it('uses the credential that its workflow chose before the default of the workspace', async () => {
    const user = await paid.newUser(0);
    await storeCredential(user, KEY_A);
    const chosenId = await storeCredential(user, KEY_B);
    const workflow = await user.createWorkflow(modelGraph());
    const { status, body } = await user.request('PUT', `/workflows/${workflow}/credentials`, {
      fal: chosenId,
    });
    assert.deepEqual([status, body.fal], [200, chosenId]);
    assert.equal(getNodeState(await user.runWorkflow(workflow)).credentialId, chosenId);
    const copy = await user.request<{ id: string }>('POST', `/workflows/${workflow}/duplicate`, {});
    assert.deepEqual((await user.request('GET', `/workflows/${copy.body.id}/credentials`)).body.fal, null);
    const foreignId = await storeCredential(await paid.newUser(0), KEY_C);
    assert.equal(
      (await user.request('PUT', `/workflows/${workflow}/credentials`, { fal: foreignId })).status,
      400,
    );
    const refusal = await user.request<{ code: string; workflows: { id: string }[] }>(
      'DELETE',
      `/credentials/${chosenId}`,
    );
    assert.deepEqual([refusal.status, refusal.body.code], [409, 'credential_in_use']);
    assert.deepEqual(
      refusal.body.workflows.map(({ id }) => id),
      [workflow],
    );
    assert.equal((await user.request('DELETE', `/credentials/${chosenId}?force=true`)).status, 200);
    // A deleted choice never falls back to another credential.
    const execution = await user.runWorkflow(workflow);
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'provider_auth']);
    assert.match(execution.error?.message ?? '', /Key 2222/);
  });

  it('fails with the name of a rejected credential instead of using another credential', async () => {
    const user = await paid.newUser(100);
    const wrongKey = 'wrong-workspace-key-4444';
    const id = await storeCredential(user, wrongKey);
    paid.fal.failRequests(/^POST \/fal-ai/, { status: 401, body: { detail: `Bad key ${wrongKey}` } });
    const before = countSubmissions('fal-key');
    const execution = await runPaid(user, modelGraph());
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'provider_auth']);
    assert.match(execution.error?.message ?? '', /Key 4444/);
    assert.ok(!JSON.stringify(execution).includes(wrongKey));
    assert.equal(countSubmissions('fal-key'), before);
    assert.deepEqual(await readBalance(user), [100, 0]);
    await waitUntil('the status to be recorded', async () => {
      const { body } = await user.request<{ status: string; error: string }>('GET', `/credentials/${id}`);
      return body.status === 'failed' && !body.error.includes(wrongKey);
    });
    await runPaid(user, modelGraph({ prompt: 'again' }));
    const { body } = await user.request<{ data: { kind: string; text: string }[] }>('GET', '/notices');
    const credentialNotices = body.data.filter(({ kind }) => kind === 'credential_failed');
    assert.equal(credentialNotices.length, 1);
    assert.match(credentialNotices[0]?.text ?? '', /Key 4444/);
    assert.ok(!JSON.stringify(credentialNotices).includes(wrongKey));
  });

  it('polls a call with the key that submitted the call after the key was replaced', async () => {
    const user = await paid.newUser(0);
    const id = await storeCredential(user, KEY_A);
    paid.fal.polls = 10_000;
    const acceptedBefore = paid.fal.accepted.length;
    const execution = await user.startRun(await user.createWorkflow(modelGraph()));
    await waitUntil('the submission', () => paid.fal.accepted.length > acceptedBefore);
    assert.equal(
      (await user.request('PATCH', `/credentials/${id}`, { values: { apiKey: KEY_B } })).status,
      200,
    );
    const uses = await user.request<{ workflows: object[]; callsInFlight: number }>(
      'GET',
      `/credentials/${id}/uses`,
    );
    assert.deepEqual([uses.body.workflows.length, uses.body.callsInFlight], [1, 1]);
    const requestsBefore = paid.fal.requests.length;
    paid.fal.polls = 0;
    assert.equal((await user.waitForStatus(execution)).status, 'COMPLETED');
    const polls = paid.fal.requests.slice(requestsBefore).filter(({ path }) => path.includes('/requests/'));
    assert.ok(polls.length > 0);
    assert.ok(polls.every(({ headers }) => headers.authorization === `Key ${KEY_A}`));
    const before = countSubmissions(KEY_B);
    assert.equal((await runPaid(user, modelGraph({ prompt: 'another fox' }))).status, 'COMPLETED');
    assert.equal(countSubmissions(KEY_B), before + 1);
  });

  it('submits a call with the newest key of its credential', async () => {
    const graph = {
      nodes: [
        node('text', 'input:text', { value: 'a late fox' }),
        node('ask', 'logic:approval'),
        node('m', MODEL),
      ],
      edges: [edge('text.text > ask.input'), edge('ask.approved > m.prompt')],
    };
    const startWaiting = async (): Promise<string> => {
      const id = await user.startRun(await user.createWorkflow(graph));
      await user.waitForStatus(id, 'WAITING');
      return id;
    };
    const resume = async (executionId: string): Promise<Execution> => {
      const decision = { nodeId: 'ask', approved: true };
      await user.request('POST', `/executions/${executionId}/resume`, { decision });
      return user.waitForStatus(executionId);
    };
    const user = await paid.newUser(0);
    const id = await storeCredential(user, KEY_A);
    const before = countSubmissions(KEY_B);
    const runWithReplacedKey = await startWaiting();
    await user.request('PATCH', `/credentials/${id}`, { values: { apiKey: KEY_B } });
    assert.equal((await resume(runWithReplacedKey)).status, 'COMPLETED');
    assert.equal(countSubmissions(KEY_B), before + 1);
    const runWithoutCredential = await startWaiting();
    assert.equal((await user.request('DELETE', `/credentials/${id}`)).status, 409);
    assert.equal((await user.request('DELETE', `/credentials/${id}?force=true`)).status, 200);
    const execution = await resume(runWithoutCredential);
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'provider_auth']);
  });
});

describe('the daily limit of a credential', () => {
  it('rejects runs and calls that would exceed the limit', async () => {
    const user = await paid.newUser(100);
    const id = await storeCredential(user, KEY_A, { dailyUsdLimit: USD * 1.5 });
    assert.equal((await runPaid(user, modelGraph())).status, 'COMPLETED');
    const workflow = await user.createWorkflow(modelGraph({ prompt: 'another fox' }));
    const { status, body } = await user.request('POST', `/workflows/${workflow}/run`, {});
    assert.deepEqual([status, body.code], [402, 'daily_limit_exceeded']);
    await user.request('PATCH', `/credentials/${id}`, { dailyUsdLimit: USD * 2.5 });
    const list = {
      nodes: [
        node('list', 'input:list', { items: ['a', 'b', 'c'] }),
        node('late', 'logic:delay', { ms: 0 }),
        node('m', MODEL),
      ],
      edges: [edge('list.list > late.input'), edge('late.output > m.prompt')],
    };
    const before = countSubmissions(KEY_A);
    const execution = await runPaid(user, list);
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'daily_limit_exceeded']);
    assert.ok(countSubmissions(KEY_A) <= before + 1);
    assert.deepEqual(await readBalance(user), [100, 0]);
  });

  it('stops a batch without failed rows', async () => {
    const user = await paid.newUser(0);
    await storeCredential(user, KEY_A, { dailyUsdLimit: USD * 2.5 });
    const { create, waitForStatus } = createBatchClient(() => user);
    const workflow = await user.createWorkflow({
      nodes: [node('text', 'input:text'), ...modelGraph().nodes],
      edges: [...modelGraph().edges, edge('text.text > m.prompt')],
    });
    const rows = ['a', 'b', 'c', 'd'].map(text => ({ inputs: { text } }));
    const { batchId } = await create(workflow, { rows, concurrency: 1 });
    const { reason, counts } = await waitForStatus(batchId, 'STOPPED');
    assert.deepEqual(
      [reason, counts.completed, counts.failed, counts.waiting],
      ['daily_limit_exceeded', 2, 0, 2],
    );
  });

  it('does not count calls that failed', async () => {
    const user = await paid.newUser(0);
    await storeCredential(user, KEY_A, { dailyUsdLimit: USD * 1.5 });
    paid.fal.result = { status: 422, body: { detail: [{ msg: 'bad prompt', type: 'value_error' }] } };
    assert.equal((await runPaid(user, modelGraph())).status, 'FAILED');
    paid.reset();
    assert.equal((await runPaid(user, modelGraph({ prompt: 'a good fox' }))).status, 'COMPLETED');
  });

  it('refuses models without a known price', async () => {
    const user = await paid.newUser(0, 'free');
    const id = await storeCredential(user, 'sk-test', { kind: 'openai', dailyUsdLimit: 5 });
    const graph = { nodes: [node('m', 'text:openai_chat', { prompt: 'Hi', maxCredits: 5 })], edges: [] };
    const workflow = await user.createWorkflow(graph);
    const { status, body } = await user.request('POST', `/workflows/${workflow}/run`, {});
    assert.deepEqual([status, body.code], [403, 'unpriced_model']);
    await user.request('PATCH', `/credentials/${id}`, { dailyUsdLimit: null });
    const execution = await user.runWorkflow(workflow);
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    const { paidBy, costUsd } = getNodeState(execution);
    assert.deepEqual([paidBy, costUsd], ['credential', null]);
  });
});
