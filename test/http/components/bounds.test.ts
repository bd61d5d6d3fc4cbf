// Tests the bounds of graphs that call components: many calls, components that grow later, and large interfaces.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Caller, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { assertRefused, createWorkflow, node, putWorkflow, type Workflow } from '../../support/workflows.ts';

let test: TestApp;
let owner: Caller;
before(async () => {
  test = await createTestApp();
  owner = await test.createCaller();
});
after(() => test.close());

const texts = (count: number, value = '') =>
  Array.from({ length: count }, (_, index) => node(`text${index}`, 'input:text', { value }));
const calls = (id: string, count: number, version?: 'latest') =>
  Array.from({ length: count }, (_, index) =>
    node(`call${index}`, 'component:call', { workflowId: id, ...(version && { version }) }),
  );
const create = (nodes: readonly object[]): Promise<TestResponse<Workflow>> =>
  owner.request<Workflow>('POST', '/workflows', { name: 'W', nodes, edges: [], autoLayout: false });
const listIssueCodes = ({ body }: TestResponse<Workflow>) => [
  ...new Set(body.meta.issues.map(({ code }) => code)),
];

describe('a graph', () => {
  it('may have at most 2,000 calls', async () => {
    const { id } = await createWorkflow(owner, { nodes: texts(1), edges: [] });
    const { status, body } = await create(calls(id, 2000));
    assert.equal(status, 201, JSON.stringify(body).slice(0, 300));
    const { rows } = await test.deps.db.query<{ count: number; rows: number }>(
      `select (select count(*)::int from component_calls where caller_id = $1) as count,
         (select count(*)::int from version_calls where caller_id = $1) as rows`,
      [body.id],
    );
    assert.deepEqual(rows, [{ count: 2000, rows: 1 }]);
    assertRefused(await create(calls(id, 2001)), 400, 'component_too_large');
    assertRefused(await create([...calls(id, 2000), ...texts(1)]), 400, 'component_too_large');
  });

  it('may not have too many calls of components without nodes', async () => {
    const note = await createWorkflow(owner, { nodes: [node('note', 'utility:sticky_note')], edges: [] });
    const many = await create(calls(note.id, 100));
    assert.equal(many.status, 201, JSON.stringify(many.body).slice(0, 300));
    assertRefused(await create(calls(many.body.id, 100)), 400, 'component_too_large');
  });

  it('can still be saved after its components have grown, but gets no further calls', async () => {
    const leaf = await createWorkflow(owner, { nodes: texts(1), edges: [] });
    let { id } = leaf;
    for (let level = 1; level <= 3; level++)
      ({ id } = await createWorkflow(owner, { nodes: calls(id, 10, 'latest'), edges: [] }));
    await putWorkflow(owner, leaf.id, { nodes: texts(40), edges: [] });
    const { nodes } = (await owner.request<Workflow>('GET', `/workflows/${id}`)).body;
    const saved = await putWorkflow(owner, id, { nodes: [...nodes, node('more', 'input:text')], edges: [] });
    assert.equal(saved.status, 200, JSON.stringify(saved.body).slice(0, 300));
    assert.deepEqual(listIssueCodes(saved), ['component_too_large']);
    const further = node('further', 'component:call', { workflowId: leaf.id });
    assertRefused(
      await putWorkflow(owner, id, { nodes: [...nodes, further], edges: [] }),
      400,
      'component_too_large',
    );
    assertRefused(await create(calls(id, 1)), 400, 'component_too_large');
  });

  it('may not get more than 1 MB of ports', async () => {
    const label = 'L'.repeat(300_000);
    const input = { ...node('a', 'input:text'), data: { label, category: 'input', nodeType: 'input:text' } };
    const { id } = await createWorkflow(owner, { nodes: [input], edges: [] });
    assert.equal((await create(calls(id, 3))).status, 201);
    assertRefused(await create(calls(id, 4)), 400, 'component_too_large');
  });

  it('may not have components of more than 8 MB', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 2; index++)
      ids.push((await createWorkflow(owner, { nodes: texts(1, 'x'.repeat(4_100_000)), edges: [] })).id);
    assert.equal((await create(calls(String(ids[0]), 2))).status, 201);
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

describe('a malformed call', () => {
  it('is refused or stored without effect, and never fails the service', async () => {
    const { id } = await createWorkflow(owner);
    const call = node('call', 'component:call', { workflowId: id });
    const data = call.data;
    const malformed: readonly object[] = [
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
    for (const sent of malformed) {
      const { status, body } = await create([sent]);
      assert.ok(status === 201 || status === 400, `${status}: ${JSON.stringify(body).slice(0, 300)}`);
      const lint = await owner.request('POST', '/workflows/lint', { nodes: [sent], edges: [] });
      assert.ok(
        lint.status === 200 || lint.status === 400,
        `${lint.status}: ${JSON.stringify(lint.body).slice(0, 300)}`,
      );
    }
  });
});
