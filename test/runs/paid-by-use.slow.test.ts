// Tests models that the operator priced by token: a run reserves its maximum and is charged its usage.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { chargeNodes } from '../../src/store/credits.ts';
import { modelGraph, readBalance, readPool, runPaid, setUpPaidService } from '../support/credits/paid.ts';
import { edge, node } from '../support/workflows.ts';

describe('a call priced by usage', () => {
  let folder: string;
  const paid = setUpPaidService(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-prices-'));
    const file = join(folder, 'prices.json');
    // The double uses 3 input tokens and 4 output tokens.
    await writeFile(
      file,
      JSON.stringify({
        'text:openai_chat': { usdPerMillionOutputTokens: 10_000 },
        // The minimum is 16 tokens.
        'text:openai_responses': { usdPerMillionInputTokens: 100, usdPerMillionOutputTokens: 10_000 },
      }),
    );
    return { PRICES_FILE: file };
  });
  after(() => rm(folder, { recursive: true }));
  const chat = (maxCredits: number) => ({
    nodes: [node('m', 'text:openai_chat', { prompt: 'Name a fox.', maxCredits })],
    edges: [],
  });

  it('is charged its usage instead of its maximum', async () => {
    const user = await paid.newUser(20);
    const { status, credits } = await runPaid(user, chat(10));
    assert.equal(status, 'COMPLETED');
    assert.deepEqual(credits, { estimated: 10, held: 0, charged: 4, released: 6 });
    assert.deepEqual(await readBalance(user), [16, 0]);
  });

  const getSentTokenLimit = (): unknown => paid.openai.requests.at(-1)?.json.max_completion_tokens;

  it('limits its tokens to what its maximum pays for', async () => {
    const user = await paid.newUser(100);
    await runPaid(user, chat(10));
    assert.equal(getSentTokenLimit(), 10);
    await runPaid(user, chat(50));
    assert.equal(getSentTokenLimit(), 50);
  });

  it('is charged beyond its maximum as far as the balance allows', async () => {
    const user = await paid.newUser(3);
    const { credits, id } = await runPaid(user, chat(2));
    assert.deepEqual(credits, { estimated: 2, held: 0, charged: 3, released: 0 });
    const { balance, entries } = await readPool(user);
    assert.equal(balance, 0);
    assert.deepEqual(
      entries.filter(({ kind }) => kind === 'overrun').map(({ amount, nodeId }) => [amount, nodeId]),
      [[1, 'm']],
    );
    // A later charge states the total of the node, which the charge and the overrun cover already.
    const total = { executionId: id, nodeId: 'm', nodeType: null, total: 4 };
    await paid.service.db.transaction(tx => chargeNodes(tx, [total]));
    assert.equal((await readPool(user)).entries.length, entries.length);
  });

  it('is rejected with 402 if its inputs alone cost more than its maximum', async () => {
    const user = await paid.newUser(1000);
    const requestsBefore = paid.openai.requests.length;
    const graph = { nodes: [node('m', 'text:openai_responses', { prompt: 'x', maxCredits: 3 })], edges: [] };
    const { status, body } = await user.request<{ code: string; issues: readonly { nodeId: string }[] }>(
      'POST',
      `/workflows/${await user.createWorkflow(graph)}/run`,
      {},
    );
    assert.deepEqual([status, body.code, body.issues[0]?.nodeId], [402, 'max_credits_exceeded', 'm']);
    assert.equal(paid.openai.requests.length, requestsBefore);
    assert.deepEqual(await readBalance(user), [1000, 0]);
  });

  it('fails its node if inputs that only the run knows cost more than its maximum', async () => {
    const user = await paid.newUser(1000);
    const requestsBefore = paid.openai.requests.length;
    const graph = {
      nodes: [
        node('late', 'logic:delay', { ms: 0 }),
        node('t', 'input:text', { value: 'x'.repeat(5000) }),
        node('m', 'text:openai_responses', { maxCredits: 20 }),
      ],
      edges: [edge('t.text > late.input'), edge('late.output > m.prompt')],
    };
    const { status, error, credits } = await runPaid(user, graph);
    assert.deepEqual([status, error?.code, credits.charged], ['FAILED', 'max_credits_exceeded', 0]);
    assert.equal(paid.openai.requests.length, requestsBefore);
  });
});

describe('a model without a price', () => {
  const paid = setUpPaidService();
  const unpriced = {
    nodes: [node('m', 'text:openai_chat', { prompt: 'Name a fox.', maxCredits: 5 })],
    edges: [],
  };

  it('runs only if the plan of the user allows models without a price', async () => {
    const operator = await paid.newUser(100);
    assert.equal((await runPaid(operator, unpriced)).status, 'COMPLETED');
    const user = await paid.newUser(100, 'pro');
    const workflow = await user.createWorkflow(unpriced);
    const { status, body } = await user.request<{ code: string }>('POST', `/workflows/${workflow}/run`, {});
    assert.deepEqual([status, body.code], [403, 'unpriced_model']);
    const { body: estimate } = await user.request<{ issues: readonly { code: string }[] }>(
      'POST',
      `/workflows/${workflow}/estimate`,
      {},
    );
    assert.deepEqual(
      estimate.issues.map(({ code }) => code),
      ['unpriced_model'],
    );
    assert.equal((await runPaid(user, modelGraph())).status, 'COMPLETED');
  });
});
