// Tests the last result of each node of a workflow: the run that produced the result, isCurrent, and access.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createVisitor, runAsVisitor, saveApp, waitForAppRun } from '../../support/apps/visitors.ts';
import type { Client } from '../../support/client.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

interface Result {
  readonly executionId: string;
  readonly finishedAt: string;
  readonly isCurrent: boolean;
  readonly outputUrl?: string;
  readonly text?: string;
  readonly value?: unknown;
  readonly seed?: number;
}

/** Creates a graph that joins two texts and draws a picture of the result. */
const toGraph = (idea: string, seed = 1) => ({
  nodes: [
    node('idea', 'input:text', { value: idea }),
    node('other', 'input:number', { value: 7 }),
    node('join', 'utility:prompt_concat', { text1: 'a boat, ' }),
    node('picture', 'generate:sandbox', { seed, width: 64, height: 64 }),
  ],
  edges: [edge('idea.text > join.text2'), edge('join.text > picture.prompt')],
});

describe('GET /workflows/{id}/results', () => {
  let owner: TestService;
  before(async () => {
    owner = await startTestService();
  });
  after(() => owner.close());

  type Caller = Pick<Client, 'request'>;
  const create = (graph: object): Promise<string> => owner.createWorkflow(graph);
  const run = async (id: string, body: object = {}): Promise<string> => {
    const { id: executionId, status } = await owner.runWorkflow(id, body);
    assert.equal(status, 'COMPLETED');
    return executionId;
  };
  const read = async (id: string, caller: Caller = owner) => {
    const response = await caller.request<{ nodes: Record<string, Result> }>(
      'GET',
      `/workflows/${id}/results`,
    );
    return { status: response.status, nodes: response.body.nodes };
  };
  const listCurrent = async (id: string): Promise<readonly string[]> =>
    Object.entries((await read(id)).nodes)
      .filter(([, { isCurrent }]) => isCurrent)
      .map(([nodeId]) => nodeId)
      .sort();

  it('reads at most 64 MB of node states', async () => {
    const id = await create(toGraph('large'));
    const [older, newer] = [await run(id), await run(id, { targets: ['idea'] })];
    const findRunId = async (nodeId: string) => (await read(id)).nodes[nodeId]?.executionId;
    assert.equal(await findRunId('picture'), older);
    const large = [
      { nodeId: 'none', status: 'COMPLETED', outputs: { text: { type: 'TEXT', text: 'x'.repeat(65e6) } } },
    ];
    await owner.db.query('insert into execution_steps (execution_id, seq, steps) values ($1, 1000, $2)', [
      newer,
      JSON.stringify(large),
    ]);
    assert.deepEqual([await findRunId('idea'), await findRunId('picture')], [newer, undefined]);
  });

  it('returns the values of each node after a run', async () => {
    const id = await create(toGraph('at night'));
    assert.deepEqual((await read(id)).nodes, {});
    const executionId = await run(id);
    const { nodes } = await read(id);
    assert.deepEqual(Object.keys(nodes).sort(), ['idea', 'join', 'other', 'picture']);
    const { body: execution } = await owner.request<{
      nodeStates: readonly (Partial<Result> & { nodeId: string })[];
    }>('GET', `/executions/${executionId}`);
    const states = execution.nodeStates;
    for (const { nodeId, finishedAt, outputUrl, text, value, seed } of states) {
      const expected = { outputUrl, text, value, seed };
      const {
        executionId: runId,
        isCurrent,
        finishedAt: nodeFinishedAt,
        ...rest
      } = nodes[nodeId] ?? ({} as Result);
      assert.deepEqual([runId, isCurrent, nodeFinishedAt], [executionId, true, finishedAt]);
      assert.deepEqual(rest, JSON.parse(JSON.stringify(expected)));
    }
    assert.ok(nodes.picture?.outputUrl);
  });

  it('returns isCurrent: false for nodes whose long value the run replaced', async () => {
    const id = await create(toGraph('at dusk'));
    await run(id, { inputs: { idea: 'x'.repeat(40_000) }, targets: ['idea', 'other'] });
    assert.deepEqual(await listCurrent(id), ['other']);
  });

  it('prefers a current result to a newer one with other settings', async () => {
    const id = await create(toGraph('at sunrise'));
    const withSeed = (seed: number): Promise<string> => run(id, { config: { picture: { seed } } });
    const [first, ...variations] = [await run(id), await withSeed(2), await withSeed(3)];
    const readPicture = async () => (await read(id)).nodes.picture;
    assert.deepEqual(
      [(await readPicture())?.executionId, (await readPicture())?.isCurrent, (await readPicture())?.seed],
      [first, true, 1],
    );
    const setSeed = (seed: number) =>
      owner.request('PUT', `/workflows/${id}`, { name: 'Seed', ...toGraph('at sunrise', seed) });
    await setSeed(2);
    assert.deepEqual(
      [(await readPicture())?.executionId, (await readPicture())?.isCurrent, (await readPicture())?.seed],
      [variations[0], true, 2],
    );
    await setSeed(9);
    assert.deepEqual(
      [(await readPicture())?.executionId, (await readPicture())?.isCurrent],
      [variations[1], false],
    );
  });

  it('returns the last result of every node after a partial run', async () => {
    const id = await create(toGraph('at noon'));
    const wholeRun = await run(id);
    const partialRun = await run(id, { targets: ['join'] });
    const { nodes } = await read(id);
    assert.deepEqual(
      Object.entries(nodes)
        .map(
          ([nodeId, { executionId }]) =>
            `${nodeId} ${executionId === wholeRun ? 'whole' : executionId === partialRun ? 'partial' : '?'}`,
        )
        .sort(),
      ['idea partial', 'join partial', 'other whole', 'picture whole'],
    );
  });

  it('omits the runs of visitors of an app, and runs that reuse their results', async () => {
    const id = await create(toGraph('at sea'));
    const ownRun = await run(id);
    const slug = await saveApp(owner, id, {
      audience: 'anyone',
      inputs: [{ nodeId: 'idea' }],
      outputs: ['picture'],
    });
    const visitor = createVisitor(owner);
    const { body: started } = await runAsVisitor(visitor, slug, { input_1: 'my private picture' });
    assert.equal((await waitForAppRun(visitor, slug, started.runId)).status, 'COMPLETED');
    const { body: list } = await owner.request<{ data: readonly { id: string; trigger: string }[] }>(
      'GET',
      `/workflows/${id}/executions`,
    );
    assert.deepEqual(
      list.data.map(({ trigger }) => trigger),
      ['app', 'api'],
    );
    const resumed = await owner.request<{ executionId: string }>(
      'POST',
      `/executions/${list.data[0]?.id}/resume`,
      { fromNodeId: 'picture' },
    );
    assert.equal(resumed.status, 202, JSON.stringify(resumed.body));
    await owner.waitForStatus(resumed.body.executionId, 'COMPLETED');
    const { nodes } = await read(id);
    assert.deepEqual([...new Set(Object.values(nodes).map(({ executionId }) => executionId))], [ownRun]);
    assert.equal(nodes.idea?.text, 'at sea');
  });

  it('returns isCurrent: false after the node or an upstream node changed', async () => {
    const id = await create(toGraph('at dawn'));
    const all = ['idea', 'join', 'other', 'picture'];
    await run(id);
    assert.deepEqual(await listCurrent(id), all);
    const put = async (graph: object) =>
      assert.equal((await owner.request('PUT', `/workflows/${id}`, graph)).status, 200);
    await put(toGraph('at dusk'));
    assert.deepEqual(await listCurrent(id), ['other']);
    await put({ nodes: toGraph('at dawn').nodes, edges: [] });
    assert.deepEqual(await listCurrent(id), ['idea', 'other']);
    await put(toGraph('at dawn'));
    assert.deepEqual(await listCurrent(id), all);
    // Positions and labels do not count.
    const { nodes, edges } = toGraph('at dawn');
    await put({ nodes: nodes.map(item => ({ ...item, position: { x: 900, y: 900 } })), edges });
    assert.deepEqual(await listCurrent(id), all);
    await put({ nodes: nodes.filter(({ id }) => id !== 'other'), edges });
    assert.deepEqual(Object.keys((await read(id)).nodes).sort(), ['idea', 'join', 'picture']);
  });

  it('returns isCurrent: false for nodes after a replaced input', async () => {
    const id = await create(toGraph('in rain'));
    await run(id, { inputs: { idea: 'in snow' } });
    assert.deepEqual(await listCurrent(id), ['other']);
    assert.equal((await read(id)).nodes.idea?.text, 'in snow');
  });

  it('returns results only to users who may list the runs', async () => {
    const id = await create(toGraph('in fog'));
    await run(id);
    const editor = await owner.createUser();
    const viewer = await owner.createUser();
    const otherUser = await owner.createUser();
    for (const [{ userId }, role] of [
      [editor, 'EDIT'],
      [viewer, 'VIEW'],
    ] as const) {
      const { status, body } = await owner.request('PUT', `/workflows/${id}/permissions`, { userId, role });
      assert.equal(status, 200, JSON.stringify(body));
    }
    for (const caller of [owner, editor, viewer, otherUser]) {
      const list = await caller.request('GET', `/workflows/${id}/executions`);
      assert.equal((await read(id, caller)).status, list.status);
    }
    assert.equal((await read(id, editor)).status, 200);
    assert.equal((await read(id, editor)).nodes.picture?.isCurrent, true);
    assert.equal((await read(id, otherUser)).status, 403);
    assert.equal((await read(id, viewer)).status, 403);
    assert.equal((await read(id, owner.withKey('sk-unknown'))).status, 401);
    assert.equal((await read('wf_00000000000000000000000000')).status, 404);
  });
});
