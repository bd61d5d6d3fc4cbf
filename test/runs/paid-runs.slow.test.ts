// Tests the credits that paid runs reserve, are charged and release, with a double of fal.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mapStates } from '../support/client.ts';
import {
  createPaidTeam,
  lateMappedGraph,
  MODEL,
  modelGraph,
  modelNode,
  PAYER,
  type PaidExecution,
  PRICE,
  readBalance,
  readPool,
  runPaid,
  setUpPaidService,
} from '../support/credits/paid.ts';
import { waitUntil } from '../support/processes.ts';
import { edge, node } from '../support/workflows.ts';

const paid = setUpPaidService();

describe('a paid run', () => {
  it('reserves its estimate when it is accepted and is charged once on delivery', async () => {
    const user = await paid.newUser(10);
    paid.fal.polls = 1e9;
    const id = await user.startRun(await user.createWorkflow(modelGraph()));
    assert.deepEqual(await readBalance(user), [10 - PRICE, PRICE]);
    const { credits } = (await user.readExecution(id)) as PaidExecution;
    assert.deepEqual(credits, { estimated: PRICE, held: PRICE, charged: 0, released: 0 });
    paid.fal.polls = 0;
    const execution = (await user.waitForStatus(id)) as PaidExecution;
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    assert.deepEqual(execution.credits, { estimated: PRICE, held: 0, charged: PRICE, released: 0 });
    const states = mapStates(execution);
    assert.deepEqual([states.m?.credits, states.end?.credits], [PRICE, 0]);
    const pool = await readPool(user);
    assert.deepEqual([pool.balance, pool.held], [10 - PRICE, 0]);
    assert.deepEqual(
      pool.entries.map(({ kind, amount, nodeId }) => [kind, amount, nodeId]),
      [
        ['charge', PRICE, 'm'],
        ['hold', PRICE, null],
        ['grant', 10, null],
      ],
    );
    const { body } = await user.request<{
      total: number;
      models: object[];
      workflows: { credits: number }[];
    }>('GET', '/credits/spending?days=2');
    assert.deepEqual(
      [body.total, body.models, body.workflows.map(({ credits }) => credits)],
      [PRICE, [{ nodeType: MODEL, label: 'Seedream 4', credits: PRICE, charges: 1 }], [PRICE]],
    );
  });

  it('shows its provider task only to owners of the workflow', async () => {
    const [owner, editor] = [await paid.newUser(10), await paid.newUser(0)];
    const workflow = await owner.createWorkflow(modelGraph());
    const me = await editor.request<{ email: string }>('GET', '/me');
    const share = { email: me.body.email, role: 'EDIT' };
    assert.equal((await owner.request('PUT', `/workflows/${workflow}/permissions`, share)).status, 200);
    const { id, nodeStates } = await owner.runWorkflow(workflow);
    const jobId = `req-${paid.fal.accepted.length}`;
    assert.deepEqual(nodeStates.find(({ nodeId }) => nodeId === 'm')?.provider, { name: 'fal', jobId });
    const visibleState = mapStates(await editor.readExecution(id)).m;
    assert.deepEqual([visibleState?.status, visibleState?.provider], ['COMPLETED', undefined]);
  });

  it('writes nothing to the ledger if all nodes are free', async () => {
    const user = await paid.newUser(0);
    const { status, credits } = await runPaid(user, {
      nodes: [node('a', 'input:text', { value: 'x' }), node('b', 'output:preview')],
      edges: [edge('a.text > b.input')],
    });
    assert.equal(status, 'COMPLETED');
    assert.deepEqual(credits, { estimated: 0, held: 0, charged: 0, released: 0 });
    assert.deepEqual((await readPool(user)).entries, []);
  });

  it("pays from the credit pool of its workflow's workspace", async () => {
    const user = await paid.newUser(0);
    const { teamId, folderId } = await createPaidTeam(paid, user, 10);
    await user.request('PUT', '/me/workspace', { teamId });
    const workflow = await user.createWorkflow(modelGraph());
    await user.request('PUT', `/workflows/${workflow}`, { folderId });
    assert.equal((await user.runWorkflow(workflow)).status, 'COMPLETED');
    assert.deepEqual(await readBalance(user), [10 - PRICE, 0]);
  });

  it('is charged nothing for a call that failed at the provider', async () => {
    const user = await paid.newUser(10);
    paid.fal.result = { status: 422, body: { detail: [{ msg: 'no', type: 'value_error' }] } };
    const execution = await runPaid(user, modelGraph());
    assert.equal(execution.status, 'FAILED');
    assert.deepEqual(execution.credits, { estimated: PRICE, held: 0, charged: 0, released: PRICE });
    assert.equal(mapStates(execution).m?.credits, 0);
    assert.deepEqual(await readBalance(user), [10, 0]);
  });

  it('releases its reservation if it is cancelled', async () => {
    const user = await paid.newUser(10);
    paid.fal.polls = 1e9;
    const acceptedBefore = paid.fal.accepted.length;
    const id = await user.startRun(await user.createWorkflow(modelGraph()));
    await waitUntil('the submission', () => paid.fal.accepted.length > acceptedBefore);
    await user.request('POST', `/executions/${id}/cancel`);
    assert.equal((await user.waitForStatus(id)).status, 'CANCELLED');
    const readRecord = async () => (await user.readExecution(id)) as PaidExecution;
    await waitUntil('the cancellation at fal', async () => (await readRecord()).credits.held === 0);
    assert.deepEqual((await readRecord()).credits, {
      estimated: PRICE,
      held: 0,
      charged: 0,
      released: PRICE,
    });
    assert.deepEqual(await readBalance(user), [10, 0]);
  });

  it('releases only the rest of its reservation if it is cancelled after a delivered call', async () => {
    const user = await paid.newUser(10);
    const id = await user.startRun(
      await user.createWorkflow({
        nodes: [modelNode('m1'), node('ask', 'logic:approval'), node('m2', MODEL, { prompt: 'a cat' })],
        edges: [edge('m1.image > ask.input'), edge('ask.approved > m2.prompt')],
      }),
    );
    await user.waitForStatus(id, 'WAITING');
    assert.deepEqual(await readBalance(user), [10 - 2 * PRICE, PRICE]);
    await user.request('POST', `/executions/${id}/cancel`);
    const { status, credits } = (await user.waitForStatus(id)) as PaidExecution;
    assert.equal(status, 'CANCELLED');
    assert.deepEqual(credits, { estimated: 2 * PRICE, held: 0, charged: PRICE, released: PRICE });
    assert.deepEqual(await readBalance(user), [10 - PRICE, 0]);
  });

  it('is charged nothing for a result from the cache', async () => {
    const user = await paid.newUser(1000);
    const workflow = await user.createWorkflow(modelGraph({ seed: 7 }));
    await user.runWorkflow(workflow);
    // The result may be stored after the run has ended.
    await waitUntil('a cached run', async () => {
      const repeatedRun = (await user.runWorkflow(workflow)) as PaidExecution;
      const isCached = mapStates(repeatedRun).m?.cached === true;
      if (isCached) {
        assert.deepEqual(repeatedRun.credits, { estimated: PRICE, held: 0, charged: 0, released: PRICE });
        assert.equal(mapStates(repeatedRun).m?.credits, 0);
      }
      return isCached;
    });
    const { body } = await user.request<{ breakdown: unknown }>(
      'POST',
      `/workflows/${workflow}/estimate`,
      {},
    );
    assert.deepEqual(body.breakdown, [
      { nodeId: 'm', nodeLabel: 'm', credits: PRICE, ...PAYER, cached: true },
    ]);
  });

  it('raises its reservation for list items that only the run produces', async () => {
    const user = await paid.newUser(20);
    const execution = await runPaid(user, lateMappedGraph(['a', 'b', 'c']));
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    assert.deepEqual(execution.credits, { estimated: PRICE, held: 0, charged: 3 * PRICE, released: 0 });
    assert.equal(mapStates(execution).m?.credits, 3 * PRICE);
    assert.deepEqual(await readBalance(user), [20 - 3 * PRICE, 0]);
  });

  it('is charged only for failed calls when it is resumed', async () => {
    const user = await paid.newUser(20);
    const workflow = await user.createWorkflow({
      nodes: [modelNode('m1'), modelNode('m2'), node('end', 'output:preview')],
      edges: [edge('m2.image > end.input')],
    });
    // fal rejects one of the two calls.
    paid.fal.failRequests(/^POST .*seedream/, { status: 422, body: { detail: 'no' } });
    const failedRun = (await user.runWorkflow(workflow)) as PaidExecution;
    assert.equal(failedRun.status, 'FAILED');
    assert.equal(failedRun.credits.charged, PRICE);
    const { body } = await user.request<{ executionId: string; estimatedCredits: number }>(
      'POST',
      `/executions/${failedRun.id}/resume`,
      {},
    );
    assert.equal(body.estimatedCredits, PRICE);
    const resumedRun = (await user.waitForStatus(body.executionId)) as PaidExecution;
    assert.equal(resumedRun.status, 'COMPLETED', JSON.stringify(resumedRun.error));
    assert.deepEqual(resumedRun.credits, { estimated: PRICE, held: 0, charged: PRICE, released: 0 });
    assert.deepEqual(await readBalance(user), [20 - 2 * PRICE, 0]);
  });
});
