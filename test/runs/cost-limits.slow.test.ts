// Tests what limits the cost of a run: the balance, maxCredits and the daily budget, also if runs start concurrently.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNode } from '../../src/nodes/catalog.ts';
import { createRunReads } from '../../src/runs/calls/run-reads.ts';
import { createPay } from '../../src/runs/payments/pay.ts';
import type { Client } from '../support/client.ts';
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
  runPaid,
  setUpPaidService,
} from '../support/credits/paid.ts';
import { waitUntil } from '../support/processes.ts';
import { isNightly } from '../support/tier.ts';
import { node } from '../support/workflows.ts';

const STARTS = isNightly ? 200 : 80;
const paid = setUpPaidService();

const NOTHING_SPENT = { maxCredits: undefined, reserved: 0, charged: undefined };

/** A graph of two model nodes that do not depend on each other. */
const TWO_MODELS = { nodes: [modelNode('m1'), modelNode('m2')], edges: [] };

interface Refused {
  readonly code: string;
  readonly [detail: string]: unknown;
}
const getRefusal = async (user: Client, workflow: string, body: object, code: string): Promise<Refused> => {
  const response = await user.request<Refused>('POST', `/workflows/${workflow}/run`, body);
  assert.deepEqual([response.status, response.body.code], [402, code], JSON.stringify(response.body));
  return response.body;
};

describe('a paid run', () => {
  it('is refused with the required and available amounts if there are too few credits', async () => {
    const user = await paid.newUser(PRICE + 1);
    const workflow = await user.createWorkflow(TWO_MODELS);
    const { insufficientCredits, requiredCredits, availableCredits, breakdown } = await getRefusal(
      user,
      workflow,
      {},
      'insufficient_credits',
    );
    assert.deepEqual([insufficientCredits, requiredCredits, availableCredits], [true, 2 * PRICE, PRICE + 1]);
    assert.deepEqual(breakdown, [
      { nodeId: 'm1', nodeLabel: 'm1', credits: PRICE, ...PAYER },
      { nodeId: 'm2', nodeLabel: 'm2', credits: PRICE, ...PAYER },
    ]);
    assert.deepEqual(await readBalance(user), [PRICE + 1, 0]);
    const { body } = await user.request<{ data: unknown[] }>('GET', `/workflows/${workflow}/executions`);
    assert.deepEqual(body.data, []);
  });

  it('can be started with the same idempotency key after a refusal', async () => {
    const user = await paid.newUser(1);
    const workflow = await user.createWorkflow(modelGraph());
    const { requiredCredits } = await getRefusal(
      user,
      workflow,
      { maxCredits: PRICE - 1 },
      'max_credits_exceeded',
    );
    assert.equal(requiredCredits, PRICE);
    const start = () =>
      user.request<{ code?: string }>(
        'POST',
        `/workflows/${workflow}/run`,
        { maxCredits: PRICE },
        {
          'idempotency-key': 'once',
        },
      );
    assert.equal((await start()).body.code, 'insufficient_credits');
    const me = await user.request<{ userId: number }>('GET', '/me');
    await paid.service.request('POST', '/admin/credits', {
      userId: me.body.userId,
      amount: 10,
      note: 'top-up',
    });
    const responses = [await start(), await start()];
    assert.deepEqual(
      responses.map(({ status, headers }) => [status, headers.get('idempotent-replayed')]),
      [
        [202, null],
        [202, 'true'],
      ],
    );
    await waitUntil('the charge', async () => (await readBalance(user))[0] === 11 - PRICE);
  });

  it('is refused if concurrent starts would exceed the daily budget of the workflow', async () => {
    const user = await paid.newUser(1000);
    const workflow = await user.createWorkflow(modelGraph());
    await user.request('PUT', `/workflows/${workflow}/budget`, { dailyCreditBudget: 2 * PRICE + 1 });
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => user.request<Refused>('POST', `/workflows/${workflow}/run`, {})),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [202, 202, 402, 402, 402, 402, 402, 402]);
    await waitUntil('the charges', async () => (await readBalance(user))[0] === 1000 - 2 * PRICE);
    const { requiredCredits, availableCredits } = await getRefusal(
      user,
      workflow,
      {},
      'daily_budget_exceeded',
    );
    assert.deepEqual([requiredCredits, availableCredits], [PRICE, 1]);
  });

  it('makes no call that would exceed the daily budget of its workflow', async () => {
    const user = await paid.newUser(1000);
    const workflow = await user.createWorkflow(lateMappedGraph(['a', 'b', 'c']));
    await user.request('PUT', `/workflows/${workflow}/budget`, { dailyCreditBudget: 2 * PRICE + 1 });
    const execution = (await user.runWorkflow(workflow)) as PaidExecution;
    assert.equal(execution.status, 'FAILED');
    assert.equal(execution.error?.code, 'daily_budget_exceeded');
    assert.match(execution.error?.message ?? '', /1 of 3 items failed/);
    assert.deepEqual(execution.credits, { estimated: PRICE, held: 0, charged: 2 * PRICE, released: 0 });
    // Runs of yesterday do not count toward the budget of today.
    await paid.service.db.query(
      `update run_credits set created_at = created_at - interval '1 day' where workflow_id = $1`,
      [workflow],
    );
    assert.equal((await user.request('POST', `/workflows/${workflow}/run`, {})).status, 202);
  });

  it('makes no call that would exceed the daily budget that all workflows of its team share', async () => {
    const { service } = paid;
    const user = await paid.newUser(0);
    const { teamId, folderId } = await createPaidTeam(paid, user, 100);
    const createInTeam = async (graph: object): Promise<string> => {
      const id = await user.createWorkflow(graph);
      const update = await user.request('PUT', `/workflows/${id}`, { folderId });
      assert.equal(update.status, 200);
      return id;
    };
    const setBudget = async (dailyCreditBudget: number): Promise<void> => {
      const path = `/admin/teams/${teamId}/budget`;
      assert.equal((await service.request('PUT', path, { dailyCreditBudget })).status, 200);
    };
    const workflows = [
      await createInTeam(modelGraph({ prompt: 'of a team' })),
      await createInTeam(lateMappedGraph(['t', 'e', 'a'])),
    ];
    await setBudget(3 * PRICE + 1);
    assert.equal((await user.runWorkflow(workflows[0] ?? '')).status, 'COMPLETED');
    const acceptedBefore = paid.fal.accepted.length;
    const execution = (await user.runWorkflow(workflows[1] ?? '')) as PaidExecution;
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'daily_budget_exceeded']);
    assert.match(
      execution.error?.message ?? '',
      /the workspace would have spent 12 that day \(UTC\), more than its budget of 10/,
    );
    assert.equal(paid.fal.accepted.length - acceptedBefore, 2);
    assert.deepEqual(execution.credits, { estimated: PRICE, held: 0, charged: 2 * PRICE, released: 0 });
    const pools = await service.db.query('select balance, held from credit_pools where workspace = $1', [
      teamId,
    ]);
    assert.deepEqual(pools.rows, [{ balance: 100 - 3 * PRICE, held: 0 }]);
    await setBudget(4 * PRICE);
    const retried = await user.request<{ executionId: string }>(
      'POST',
      `/executions/${execution.id}/resume`,
      {},
    );
    assert.equal((await user.waitForStatus(retried.body.executionId)).status, 'COMPLETED');
  });

  it('needs maxCredits in the config of a model with an unknown price', async () => {
    const user = await paid.newUser(10);
    const graph = (config: object) => ({
      nodes: [node('m', 'generate:openai_gpt_image', { prompt: 'a fox', ...config })],
      edges: [],
    });
    const requestsBefore = paid.openai.requests.length;
    for (const client of [await paid.newUser(0), user]) {
      const unbounded = await runPaid(client, graph({}));
      assert.deepEqual([unbounded.status, unbounded.credits.charged], ['FAILED', 0]);
      assert.match(unbounded.error?.message ?? '', /maxCredits/);
    }
    assert.equal(paid.openai.requests.length, requestsBefore);
    await getRefusal(user, await user.createWorkflow(graph({ maxCredits: 11 })), {}, 'insufficient_credits');
    const bounded = await runPaid(user, graph({ maxCredits: 4 }));
    assert.equal(bounded.status, 'COMPLETED', JSON.stringify(bounded.error));
    assert.deepEqual(bounded.credits, { estimated: 4, held: 0, charged: 4, released: 0 });
  });

  it('makes two of three concurrent calls if the balance covers two', async () => {
    const user = await paid.newUser(2 * PRICE + 1);
    const acceptedBefore = paid.fal.accepted.length;
    const execution = await runPaid(user, lateMappedGraph(['a', 'b', 'c']));
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'insufficient_credits']);
    assert.equal(paid.fal.accepted.length - acceptedBefore, 2);
    assert.equal(execution.credits.charged, 2 * PRICE);
    assert.deepEqual(await readBalance(user), [1, 0]);
  });

  it('makes no call that would exceed its maxCredits', async () => {
    const user = await paid.newUser(100);
    const execution = await runPaid(user, lateMappedGraph(['a', 'b', 'c']), { maxCredits: 2 * PRICE });
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'max_credits_exceeded']);
    assert.equal(execution.credits.charged, 2 * PRICE);
    assert.deepEqual(await readBalance(user), [100 - 2 * PRICE, 0]);
  });

  it('makes no reservation for a worker that has lost the lease', async () => {
    const user = await paid.newUser(20);
    const { id } = await runPaid(user, modelGraph());
    const definition = findNode(MODEL);
    assert.ok(definition);
    const { db } = paid.service;
    const credentialPayments = {
      pay: () => assert.fail('No credential pays.'),
      whenSettled: async () => undefined,
    };
    const options = { spent: NOTHING_SPENT, findCredential: () => undefined, credentialPayments };
    const pay = createPay({ db, runReads: createRunReads(db) }, { id, lease: 1 }, options);
    const call = { item: 0, definition, node: { id: 'm', nodeType: MODEL }, values: {} };
    for (let times = 0; times < 2; times++)
      await assert.rejects(pay(call), /no longer assigned to this worker/);
    assert.deepEqual(await readBalance(user), [20 - PRICE, 0]);
  });

  it(`is accepted 50 of ${STARTS} times if the balance covers 50 concurrent runs`, async () => {
    const user = await paid.newUser(50 * PRICE);
    const workflow = await user.createWorkflow(modelGraph());
    const responses = await Promise.all(
      Array.from({ length: STARTS }, () =>
        user.request<{ code?: string; executionId?: string }>('POST', `/workflows/${workflow}/run`, {}),
      ),
    );
    const admitted = responses.filter(({ status }) => status === 202);
    const refusals = responses.filter(({ body }) => body.code === 'insufficient_credits');
    assert.deepEqual([admitted.length, refusals.length], [50, STARTS - 50]);
    for (const { body } of admitted) {
      assert.equal((await user.waitForStatus(body.executionId ?? '')).status, 'COMPLETED');
    }
    assert.deepEqual(await readBalance(user), [0, 0]);
  });
});
