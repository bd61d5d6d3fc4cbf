// Compares estimates with the runs that they predict: an exact estimate is what the run is charged.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type Client, mapStates } from '../support/client.ts';
import {
  MODEL,
  mappedGraph,
  modelNode,
  PRICE,
  readBalance,
  setUpPaidService,
} from '../support/credits/paid.ts';
import { waitUntil } from '../support/processes.ts';
import { edge, node } from '../support/workflows.ts';

interface Estimate {
  readonly credits: number;
  readonly exact: boolean;
  readonly breakdown: readonly {
    readonly nodeId: string;
    readonly credits: number;
    readonly cached: boolean;
  }[];
}

const EDIT = 'edit:fal_seedream';
const list = (id: string, items: readonly unknown[]) => node(id, 'input:list', { items });

/** Graphs whose model nodes depend on lists and branches that are known before the run, and the number of calls. */
const CASES: Readonly<
  Record<string, { readonly graph: object; readonly body?: object; readonly calls: number }>
> = {
  'a list': { graph: mappedGraph(['a', 'b', 'c']), calls: 3 },
  'a list of the inputs': { graph: mappedGraph(['a']), body: { inputs: { list: ['a', 'b'] } }, calls: 2 },
  'a text that is split': {
    graph: {
      nodes: [
        node('t', 'input:text', { value: 'a, b, c' }),
        node('s', 'utility:text_split', { separator: ',' }),
        node('m', MODEL),
      ],
      edges: [edge('t.text > s.text'), edge('s.list > m.prompt')],
    },
    calls: 3,
  },
  'a slice of the images of another model': {
    graph: {
      nodes: [
        list('l', ['a', 'b', 'c']),
        node('m', MODEL),
        node('s', 'utility:list_slice', { start: 1 }),
        node('e', EDIT, { prompt: 'red' }),
      ],
      edges: [edge('l.list > m.prompt'), edge('m.image > s.list'), edge('s.list > e.image')],
    },
    calls: 5,
  },
  'lists that are zipped': {
    graph: {
      nodes: [list('l', ['a', 'b']), node('m', MODEL), list('p', ['red', 'blue']), node('e', EDIT)],
      edges: [edge('l.list > m.prompt'), edge('m.image > e.image'), edge('p.list > e.prompt')],
    },
    calls: 4,
  },
  'one picture for each text': {
    graph: {
      nodes: [modelNode('m'), list('p', ['red', 'blue', 'green']), node('e', EDIT)],
      edges: [edge('m.image > e.image'), edge('p.list > e.prompt')],
    },
    calls: 4,
  },
  'the product of two lists': {
    graph: {
      nodes: [
        list('l', ['a', 'b']),
        node('m', MODEL),
        list('p', ['red', 'blue', 'green']),
        node('e', EDIT, { fanOut: 'product' }),
      ],
      edges: [edge('l.list > m.prompt'), edge('m.image > e.image'), edge('p.list > e.prompt')],
    },
    calls: 8,
  },
  'one branch of an If': {
    graph: {
      nodes: [
        node('t', 'input:text', { value: 'cat' }),
        node('if', 'logic:if', { compare: 'cat' }),
        node('m', MODEL),
        node('n', MODEL),
      ],
      edges: [edge('t.text > if.value'), edge('if.true > m.prompt'), edge('if.false > n.prompt')],
    },
    calls: 1,
  },
};

const paid = setUpPaidService();
let user: Client;
const createUser = async (): Promise<void> => {
  user = await paid.newUser(1_000);
};

const estimate = async (id: string, body: object = {}): Promise<Estimate> => {
  const response = await user.request<Estimate>('POST', `/workflows/${id}/estimate`, body);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body;
};

describe('an estimate', () => {
  before(createUser);

  for (const [name, { graph, body = {}, calls }] of Object.entries(CASES)) {
    it(`equals the charge of the run (${name})`, async () => {
      const id = await user.createWorkflow(graph);
      const { credits, exact } = await estimate(id, body);
      assert.deepEqual([credits, exact], [calls * PRICE, true]);
      const run = await user.runWorkflow(id, body);
      assert.equal(run.status, 'COMPLETED', JSON.stringify(run.error));
      const { charged, estimated } = (run as unknown as { credits: { charged: number; estimated: number } })
        .credits;
      assert.deepEqual([charged, estimated], [calls * PRICE, calls * PRICE]);
    });
  }

  it('reports a node as cached if its inputs are constant or come from cached nodes', async () => {
    const id = await user.createWorkflow({
      nodes: [
        node('t', 'input:text', { value: 'a cached fox' }),
        node('c', 'utility:prompt_concat', { text2: 'at night' }),
        node('m', MODEL, { seed: 7 }),
        node('e', EDIT, { prompt: 'red', seed: 8 }),
        node('f', EDIT, { prompt: 'blue' }),
      ],
      edges: [
        edge('t.text > c.text1'),
        edge('c.text > m.prompt'),
        edge('m.image > e.image'),
        edge('e.image > f.image'),
      ],
    });
    const listCached = async (body: object = {}) =>
      (await estimate(id, body)).breakdown.map(({ nodeId, cached }) => [nodeId, cached]);
    const noneCached = [
      ['m', false],
      ['e', false],
      ['f', false],
    ];
    assert.deepEqual(await listCached(), noneCached);
    assert.equal((await user.runWorkflow(id)).status, 'COMPLETED');
    // The result is stored after the run has ended.
    const expected = [
      ['m', true],
      ['e', true],
      ['f', false],
    ];
    await waitUntil('the results to be stored', async () => isDeepStrictEqual(await listCached(), expected));
    assert.deepEqual(await listCached({ inputs: { t: 'another fox' } }), noneCached);
    const repeatedStates = mapStates(await user.runWorkflow(id));
    assert.deepEqual(
      [repeatedStates.m?.cached, repeatedStates.e?.cached, repeatedStates.f?.cached],
      [true, true, false],
    );
  });

  it('counts only the items of a resumed run that have no result yet', async () => {
    const id = await user.createWorkflow(mappedGraph(['a', 'b', 'c']));
    paid.fal.result = { status: 422, body: { detail: 'no' } };
    const failedRun = await user.runWorkflow(id);
    assert.equal(failedRun.status, 'FAILED');
    paid.reset();
    const { body } = await user.request('POST', `/executions/${failedRun.id}/resume`, {});
    assert.equal(body.estimatedCredits, 3 * PRICE);
    await user.waitForStatus(String(body.executionId));
  });
});

describe('a run whose estimate shows that it would fail', () => {
  before(createUser);

  it('is refused before any node starts if the estimate exceeds maxCredits', async () => {
    const acceptedBefore = paid.fal.accepted.length;
    const id = await user.createWorkflow(mappedGraph(['a', 'b', 'c']));
    const { status, body } = await user.request('POST', `/workflows/${id}/run`, { maxCredits: PRICE });
    assert.deepEqual([status, body.code, body.requiredCredits], [402, 'max_credits_exceeded', 3 * PRICE]);
    assert.equal(paid.fal.accepted.length, acceptedBefore);
  });

  it('is refused before credits are reserved if the provider of a node is not configured', async () => {
    const balanceBefore = await readBalance(user);
    const id = await user.createWorkflow({
      nodes: [modelNode('m'), node('r', 'generate:replicate_flux_pro', { prompt: 'x' })],
      edges: [],
    });
    const refusal = await user.request<{ code: string; issues: { nodeId: string }[] }>(
      'POST',
      `/workflows/${id}/run`,
      {},
    );
    assert.deepEqual([refusal.status, refusal.body.code], [400, 'provider_not_configured']);
    assert.deepEqual(
      refusal.body.issues.map(({ nodeId }) => nodeId),
      ['r'],
    );
    assert.deepEqual(await readBalance(user), balanceBefore);
    assert.equal((await user.runWorkflow(id, { targets: ['m'] })).status, 'COMPLETED');
  });
});
