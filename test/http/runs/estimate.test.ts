// Tests estimates over HTTP: the cost of a run, and the errors that starting the run would return.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { PAYER } from '../../support/credits/paid.ts';
import { assertRefused, createWorkflow, edge, node, PAIR } from '../../support/workflows.ts';

interface Estimate {
  readonly credits: number;
  readonly costUsd: number;
  readonly exact: boolean;
  readonly breakdown: readonly {
    readonly nodeId: string;
    readonly nodeLabel: string;
    readonly credits: number;
    readonly cached: boolean;
  }[];
  readonly availableCredits: number;
  readonly issues: readonly { readonly nodeId: string; readonly code: string; readonly message: string }[];
}

const PAID = {
  nodes: [
    node('text', 'input:text', { value: 'a fox' }),
    node('image', 'generate:fal_seedream'),
    node('video', 'video:fal_kling', { prompt: 'it runs', duration: '10' }),
    node('end', 'output:preview'),
  ],
  edges: [
    edge('text.text > image.prompt'),
    edge('image.image > video.image'),
    edge('video.video > end.input'),
  ],
};

describe('POST /workflows/{id}/estimate', () => {
  let test: TestApp;
  let user: ApiUser;
  before(async () => {
    test = await createTestApp({ env: { FAL_KEY: 'fal-key', OPENAI_API_KEY: 'sk-test' } });
    user = await test.createUser();
  });
  after(() => test.close());

  const estimate = async (graph: object, body: object = {}): Promise<Estimate> => {
    const { id } = await createWorkflow(user, { ...graph });
    const response = await user.request<Estimate>('POST', `/workflows/${id}/estimate`, body);
    assert.equal(response.status, 200, JSON.stringify(response.body));
    return response.body;
  };

  it('returns the price of each paid node and the available credits', async () => {
    const grant = { userId: user.userId, amount: 70, note: 'n' };
    await user.request('POST', '/admin/credits', grant);
    assert.deepEqual(await estimate(PAID), {
      credits: 59,
      costUsd: 0.59,
      exact: true,
      breakdown: [
        { nodeId: 'image', nodeLabel: 'image', credits: 3, ...PAYER, costUsd: 0.03, cached: false },
        { nodeId: 'video', nodeLabel: 'video', credits: 56, ...PAYER, costUsd: 0.56, cached: false },
      ],
      availableCredits: 70,
      issues: [],
    });
  });

  it('counts only nodes that the targets need', async () => {
    const { credits, breakdown } = await estimate(PAID, { targets: ['image'] });
    assert.deepEqual([credits, breakdown.map(({ nodeId }) => nodeId)], [3, ['image']]);
  });

  it('returns 0 for free graphs', async () => {
    const { credits, exact, breakdown } = await estimate(PAIR);
    assert.deepEqual([credits, exact, breakdown], [0, true, []]);
  });

  it('counts each item of a list from the graph or the inputs', async () => {
    const graph = {
      nodes: [node('list', 'input:list', { items: ['a', 'b', 'c'] }), node('image', 'generate:fal_seedream')],
      edges: [edge('list.list > image.prompt')],
    };
    const savedEstimate = await estimate(graph);
    assert.deepEqual([savedEstimate.credits, savedEstimate.exact], [9, true]);
    const sentEstimate = await estimate(graph, { inputs: { list: ['a', 'b'] } });
    assert.deepEqual([sentEstimate.credits, sentEstimate.exact], [6, true]);
    const emptyEstimate = await estimate(graph, { inputs: { list: [] } });
    assert.deepEqual([emptyEstimate.credits, emptyEstimate.exact], [0, true]);
  });

  it('counts a list of unknown length as one item and returns exact: false', async () => {
    const { credits, exact } = await estimate({
      nodes: [
        node('ask', 'text:openai_chat', { prompt: 'Name animals', maxCredits: 2 }),
        node('split', 'utility:text_split', { separator: ',' }),
        node('image', 'generate:fal_seedream'),
      ],
      edges: [edge('ask.text > split.text'), edge('split.list > image.prompt')],
    });
    assert.deepEqual([credits, exact], [5, false]);
  });

  it('reports unequal_lists and does not count the node', async () => {
    const { credits, issues } = await estimate(
      {
        nodes: [node('a', 'input:text'), node('pictures', 'input:image'), node('edit', 'edit:fal_seedream')],
        edges: [edge('a.text > edit.prompt'), edge('pictures.image > edit.image')],
      },
      {
        targets: ['edit'],
        inputs: { a: ['x', 'y'], pictures: ['https://a.test/1', 'https://a.test/2', 'https://a.test/3'] },
      },
    );
    assert.equal(credits, 0);
    assert.deepEqual(
      issues.map(({ nodeId, code }) => [nodeId, code]),
      [['edit', 'unequal_lists']],
    );
  });

  it('reports missing_input for required ports without a value', async () => {
    const graph = {
      nodes: [
        node('size', 'utility:image_resize', { width: 10 }),
        node('image', 'generate:fal_seedream'),
        node('end', 'output:preview'),
        node('free', 'output:preview'),
      ],
      edges: [edge('image.image > end.input')],
    };
    const issueLines = (await estimate(graph)).issues.map(({ nodeId, code, message }) => [
      nodeId,
      code,
      message,
    ]);
    const createMessage = (port: string) => `${port} needs a value. Connect it or set it.`;
    assert.deepEqual(issueLines.sort(), [
      ['free', 'missing_input', createMessage('"Input" (input)')],
      ['image', 'missing_input', createMessage('"Prompt" (prompt)')],
      ['size', 'missing_input', createMessage('"Image" (image)')],
    ]);
    const { issues } = await estimate(graph, { targets: ['end'] });
    assert.deepEqual(
      issues.map(({ nodeId }) => nodeId),
      ['image'],
    );
  });

  it('returns the same 400 as /run for an invalid media URL', async () => {
    const { id } = await createWorkflow(user, {
      nodes: [node('shoe', 'input:image'), node('end', 'output:preview')],
      edges: [edge('shoe.image > end.input')],
    });
    for (const inputs of [
      { shoe: 'C:\\shoe.jpg' },
      { shoe: { url: 'shoe.jpg' } },
      { shoe: ['file:///shoe.jpg'] },
    ])
      for (const route of ['estimate', 'run', 'execute']) {
        const { status, body } = await user.request<{ error: string; code: string }>(
          'POST',
          `/workflows/${id}/${route}`,
          { inputs },
        );
        assert.deepEqual([status, body.code], [400, 'invalid_inputs']);
        assert.match(
          body.error,
          /^Input "shoe": This input must be an http or https URL, .*shoe\.jpg"; upload a local file first and send its mediaId\.$/,
        );
      }
  });

  it('reports provider_not_configured', async () => {
    const { issues } = await estimate({
      nodes: [node('image', 'generate:replicate_flux_pro', { prompt: 'a fox' })],
      edges: [],
    });
    assert.deepEqual(
      issues.map(({ nodeId, code }) => [nodeId, code]),
      [['image', 'provider_not_configured']],
    );
    assert.match(issues[0]?.message ?? '', /Replicate is not configured\. .*REPLICATE_API_TOKEN/);
  });

  it('counts maxCredits for a model of unknown price and returns exact: false', async () => {
    const createGraph = (config: object) => ({
      nodes: [node('image', 'generate:openai_gpt_image', { prompt: 'a fox', ...config })],
      edges: [],
    });
    const limitedEstimate = await estimate(createGraph({ maxCredits: 12 }));
    assert.deepEqual([limitedEstimate.credits, limitedEstimate.exact], [12, false]);
    const unlimitedEstimate = await estimate(createGraph({}));
    assert.deepEqual([unlimitedEstimate.credits, unlimitedEstimate.exact], [0, false]);
  });

  it('starts no run', async () => {
    const { id } = await createWorkflow(user, PAID);
    await user.request('POST', `/workflows/${id}/estimate`, {});
    const { body } = await user.request<{ data: unknown[] }>('GET', `/workflows/${id}/executions`);
    assert.deepEqual(body.data, []);
  });

  it('returns the same 400, 401, 403 and 404 as /run', async () => {
    const { id } = await createWorkflow(user, PAID);
    const path = `/workflows/${id}/estimate`;
    assertRefused(await user.request('POST', path, { targets: ['nobody'] }), 400, 'invalid_request');
    assertRefused(await user.request('POST', path, { inputs: { image: 'x' } }), 400, 'invalid_inputs');
    assertRefused(await user.request('POST', path, { webhook: {} }), 400, 'invalid_request');
    assert.equal((await test.anonymous.request('POST', path, {})).status, 401);
    const reader = await test.withScopes(user, ['workflows:read']);
    assert.equal((await reader.request('POST', path, {})).body.code, 'insufficient_scope');
    const otherUser = await test.createUser();
    assertRefused(await otherUser.request('POST', path, {}), 403, 'forbidden');
    assertRefused(await user.request('POST', '/workflows/wf_none/estimate', {}), 404, 'not_found');
  });
});
