// Tests the size limits of graphs that call components: many calls, components that grow, and large interfaces.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { assertRefused, createWorkflow, node, putWorkflow, type Workflow } from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
before(async () => {
  test = await openTestApp();
  owner = await test.createUser();
});
after(() => test.close());

const createTexts = (count: number, value = '') =>
  Array.from({ length: count }, (_, index) => node(`text${index}`, 'input:text', { value }));
const createCalls = (id: string, count: number, version?: 'latest') =>
  Array.from({ length: count }, (_, index) =>
    node(`call${index}`, 'component:call', { workflowId: id, ...(version && { version }) }),
  );
const create = (nodes: readonly object[]): Promise<TestResponse<Workflow>> =>
  owner.request<Workflow>('POST', '/workflows', { name: 'W', nodes, edges: [], autoLayout: false });
const listIssueCodes = ({ body }: TestResponse<Workflow>) => [
  ...new Set(body.meta.issues.map(({ code }) => code)),
];

describe('a graph that calls components', () => {
  it('contains at most 2,000 calls', async () => {
    const { id } = await createWorkflow(owner, { nodes: createTexts(1), edges: [] });
    const { status, body } = await create(createCalls(id, 2000));
    assert.equal(status, 201, JSON.stringify(body).slice(0, 300));
    const { rows } = await test.deps.db.query<{ count: number; rows: number }>(
      `select (select count(*)::int from component_calls where caller_id = $1) as count,
         (select count(*)::int from version_calls where caller_id = $1) as rows`,
      [body.id],
    );
    assert.deepEqual(rows, [{ count: 2000, rows: 1 }]);
    assertRefused(await create(createCalls(id, 2001)), 400, 'component_too_large');
    assertRefused(await create([...createCalls(id, 2000), ...createTexts(1)]), 400, 'component_too_large');
  });

  it('counts calls of components that only contain notes', async () => {
    const note = await createWorkflow(owner, { nodes: [node('note', 'utility:sticky_note')], edges: [] });
    const emptyCalls = await create(createCalls(note.id, 100));
    assert.equal(emptyCalls.status, 201, JSON.stringify(emptyCalls.body).slice(0, 300));
    assertRefused(await create(createCalls(emptyCalls.body.id, 100)), 400, 'component_too_large');
  });

  it('can be saved without new calls after the components have grown past the limit', async () => {
    const leaf = await createWorkflow(owner, { nodes: createTexts(1), edges: [] });
    let { id } = leaf;
    for (let level = 1; level <= 3; level++)
      ({ id } = await createWorkflow(owner, { nodes: createCalls(id, 10, 'latest'), edges: [] }));
    await putWorkflow(owner, leaf.id, { nodes: createTexts(40), edges: [] });
    const { nodes } = (await owner.request<Workflow>('GET', `/workflows/${id}`)).body;
    const saved = await putWorkflow(owner, id, { nodes: [...nodes, node('more', 'input:text')], edges: [] });
    assert.equal(saved.status, 200, JSON.stringify(saved.body).slice(0, 300));
    assert.deepEqual(listIssueCodes(saved), ['component_too_large']);
    const furtherCall = node('further', 'component:call', { workflowId: leaf.id });
    assertRefused(
      await putWorkflow(owner, id, { nodes: [...nodes, furtherCall], edges: [] }),
      400,
      'component_too_large',
    );
    assertRefused(await create(createCalls(id, 1)), 400, 'component_too_large');
  });

  it('stores at most 1 MB of ports', async () => {
    const label = 'L'.repeat(300_000);
    const input = { ...node('a', 'input:text'), data: { label, category: 'input', nodeType: 'input:text' } };
    const { id } = await createWorkflow(owner, { nodes: [input], edges: [] });
    assert.equal((await create(createCalls(id, 3))).status, 201);
    assertRefused(await create(createCalls(id, 4)), 400, 'component_too_large');
  });

  it('calls components of at most 8 MB in total', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 2; index++)
      ids.push((await createWorkflow(owner, { nodes: createTexts(1, 'x'.repeat(4_100_000)), edges: [] })).id);
    assert.equal((await create(createCalls(String(ids[0]), 2))).status, 201);
    const callNodes = ids.map((id, index) => node(`call${index}`, 'component:call', { workflowId: id }));
    assertRefused(await create(callNodes), 400, 'component_too_large');
    const lint = await owner.request<{ ok: boolean; issues: readonly { code: string }[] }>(
      'POST',
      '/workflows/lint',
      { nodes: callNodes, edges: [] },
    );
    assert.deepEqual(
      [lint.body.ok, lint.body.issues.map(({ code }) => code)],
      [false, ['component_too_large']],
    );
  });
});

describe('a component with a long value', () => {
  /** 3.5 MB, of which an expanded graph may contain nine. */
  const longText = createTexts(1, 'x'.repeat(3_500_000));

  it('can be called until the expanded graph has 32 MB', async () => {
    const { id } = await createWorkflow(owner, { nodes: longText, edges: [] });
    const caller = await create(createCalls(id, 9));
    assert.equal(caller.status, 201, JSON.stringify(caller.body).slice(0, 300));
    const refused = await create(createCalls(id, 140));
    assertRefused(refused, 400, 'component_too_large');
    assert.match(JSON.stringify(refused.body), /more than 32 MB of JSON/);
  });

  it('stops the runs and estimates of callers that use its latest version', async () => {
    const { id } = await createWorkflow(owner, { nodes: createTexts(1), edges: [] });
    const callers: string[] = [];
    for (let index = 0; index < 3; index++)
      callers.push((await create(createCalls(id, 140, 'latest'))).body.id);
    assert.equal((await putWorkflow(owner, id, { nodes: longText, edges: [] })).status, 200);
    for (const caller of callers)
      for (const action of ['run', 'estimate'])
        assertRefused(
          await owner.request('POST', `/workflows/${caller}/${action}`, {}),
          400,
          'component_too_large',
        );
  });
});

describe('a malformed call', () => {
  it('never causes a status other than 200, 201 or 400', async () => {
    const { id } = await createWorkflow(owner);
    const call = node('call', 'component:call', { workflowId: id });
    const data = call.data;
    const malformedCalls: readonly object[] = [
      { ...call, data: { ...data, config: null } },
      { ...call, data: { ...data, config: 'x' } },
      { ...call, data: { ...data, config: { workflowId: 7 } } },
      { ...call, data: { ...data, config: { workflowId: [id] } } },
      ...[0, -1, 1.5, '7', 'newest', true, {}, 2 ** 40, '1e999'].map(version => ({
        ...call,
        data: { ...data, config: { workflowId: id, version } },
      })),
      { ...call, data: { ...data, config: { workflowId: 'x'.repeat(100_000) } } },
      { ...call, data: { ...data, config: { workflowId: 'a\u0000b' } } },
      { ...call, data: { ...data, config: { workflowId: '\ud800' } } },
      { ...call, id: undefined },
      { ...call, id: 'i'.repeat(10_000) },
      { ...call, data: { ...data, params: { workflowId: id, version: 1, inputs: 'x' } } },
      { data: { nodeType: 'component:call' } },
    ];
    for (const malformedCall of malformedCalls) {
      const { status, body } = await create([malformedCall]);
      assert.ok(status === 201 || status === 400, `${status}: ${JSON.stringify(body).slice(0, 300)}`);
      const lint = await owner.request('POST', '/workflows/lint', { nodes: [malformedCall], edges: [] });
      assert.ok(
        lint.status === 200 || lint.status === 400,
        `${lint.status}: ${JSON.stringify(lint.body).slice(0, 300)}`,
      );
    }
  });
});
