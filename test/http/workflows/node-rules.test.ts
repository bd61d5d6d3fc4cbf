// Tests the rules for nodes and edges, and the limits of a graph, on every route that writes a graph.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import {
  assertRefused,
  at,
  createWorkflow,
  edge,
  node,
  PAIR,
  putWorkflow,
  readWorkflow,
} from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
before(async () => {
  test = await openTestApp();
  owner = await test.createUser();
});
after(() => test.close());

const [a, b] = PAIR.nodes;
const createEdges = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ ...edge('a.text > b.input'), id: `e${i}` }));

describe('a node in a write', () => {
  const inputs = [{ id: 'value', label: 'Text', type: 'TEXT' }];
  /** Data that is merged into a text input node, and the code of the expected warning. */
  const WARNING_CASES: Readonly<Record<string, readonly [data: object, code: string]>> = {
    'params in use': [{ params: { more: 1 } }, 'params_in_use'],
    'params over config': [{ params: { value: 'y' } }, 'params_override_config'],
    'a config field as a port': [{ inputs }, 'stray_port'],
    'an unknown config key': [{ config: { vlaue: 'x' } }, 'unknown_config_key'],
  };
  for (const [name, [data, code]] of Object.entries(WARNING_CASES))
    it(`is stored with a warning about ${name}`, async () => {
      const { id, meta } = await createWorkflow(owner, {
        nodes: [{ ...a, data: { ...a.data, ...data } }, b],
      });
      assert.ok(
        meta.issues.some(issue => issue.code === code && issue.nodeId === 'a'),
        JSON.stringify(meta.issues),
      );
      assert.ok(meta.warnings.some(line => line.startsWith('a: ')));
      assert.deepEqual((await readWorkflow(owner, id)).nodes[0]?.data, { ...a.data, ...data });
    });

  it('has a normalized config but unchanged params', async () => {
    const params = { width: '64' };
    const card = node('a', 'utility:text_to_image_card', { width: '64' });
    const { nodes } = await createWorkflow(owner, {
      nodes: [{ ...card, data: { ...card.data, params } }],
      edges: [],
    });
    assert.deepEqual([nodes[0]?.data.config, nodes[0]?.data.params], [{ width: 64 }, params]);
  });

  it('cannot be added if its type is deprecated', async t => {
    const deprecatedNode = node('old', 'utility:math', { a: 1, b: 2 });
    const { id } = await createWorkflow(owner, { nodes: [deprecatedNode], edges: [] });
    const entry = test.deps.catalog.find('utility:math') as { deprecated?: boolean };
    entry.deprecated = true;
    // All catalogs of this process share the entry.
    t.after(() => delete entry.deprecated);
    assert.equal((await putWorkflow(owner, id, { nodes: [deprecatedNode, b] })).status, 200);
    const graphWithNewNode = { nodes: [deprecatedNode, { ...deprecatedNode, id: 'new', ...at(0, 900) }] };
    const refusals = [
      await putWorkflow(owner, id, graphWithNewNode),
      await owner.request('POST', '/workflows', { name: 'W', nodes: [deprecatedNode], edges: [] }),
    ];
    for (const [index, response] of refusals.entries()) {
      const { issues } = assertRefused(response, 400, 'invalid_graph');
      assert.deepEqual(
        issues?.map(({ code, nodeId }) => [code, nodeId]),
        [['deprecated_type', index === 0 ? 'new' : 'old']],
      );
    }
  });
});

describe('an edge in a write', () => {
  const validEdge = edge('a.text > b.input');
  const INVALID_EDGES: Readonly<Record<string, readonly [edges: readonly object[], code: string]>> = {
    'with an empty id': [[{ ...validEdge, id: '' }], 'missing_edge_id'],
    'with the id of another edge': [[validEdge, validEdge], 'duplicate_edge_id'],
    'without source': [[{ ...validEdge, source: undefined }], 'missing_source'],
    'without target': [[{ ...validEdge, target: undefined }], 'missing_target'],
  };
  for (const [name, [edges, code]] of Object.entries(INVALID_EDGES))
    it(`is refused ${name}`, async () => {
      const response = await owner.request('POST', '/workflows', { name: 'W', nodes: [a, b], edges });
      const { issues } = assertRefused(response, 400, 'invalid_graph');
      assert.ok(
        issues?.some(issue => issue.code === code),
        JSON.stringify(issues),
      );
    });

  it('may have no handles', async () => {
    const { sourceHandle: _, targetHandle: __, ...bare } = validEdge;
    assert.deepEqual((await createWorkflow(owner, { edges: [bare] })).edges, [bare]);
    const { meta } = await createWorkflow(owner, { edges: [{ ...validEdge, sourceHandle: 'out-nothing' }] });
    assert.ok(
      meta.issues.some(({ code }) => code === 'unknown_port'),
      JSON.stringify(meta.issues),
    );
  });
});

describe('limits of a graph', () => {
  it('are 1500 edges for writes and 750 edges for layout', async () => {
    const { id, edges } = await createWorkflow(owner, { edges: createEdges(1500) });
    assert.equal(edges.length, 1500);
    const layout = () => owner.request('POST', `/workflows/${id}/layout`);
    assert.equal((await layout()).status, 422);
    await putWorkflow(owner, id, { edges: createEdges(750) });
    assert.equal((await layout()).status, 200);
    const nodes = (count: number) =>
      Array.from({ length: count }, (_, i) => node(`n${i}`, 'input:text', {}, at(0, i * 300)));
    await putWorkflow(owner, id, { nodes: nodes(250), edges: [], autoLayout: false });
    assert.equal((await layout()).status, 200);
  });

  it('are 100 nodes for a graph without a warning', async () => {
    const nodes = Array.from({ length: 101 }, (_, i) =>
      node(`n${i}`, 'input:text', { value: 'x' }, at(0, i * 300)),
    );
    const { meta } = await createWorkflow(owner, { nodes, edges: [] });
    assert.deepEqual(
      meta.issues.map(({ code }) => code),
      ['too_many_nodes'],
    );
  });
});

describe('times in responses', () => {
  it('are ISO 8601 in UTC with milliseconds', async () => {
    const { id } = await createWorkflow(owner);
    await owner.request('POST', `/workflows/${id}/publish`, { isPublished: true });
    await owner.request('POST', `/workflows/${id}/heartbeat`);
    await owner.request('POST', `/workflows/${id}/run`);
    const paths = [
      `/workflows/${id}`,
      '/workflows',
      '/executions',
      `/workflows/${id}/versions`,
      '/nodes',
      '/keys',
    ];
    for (const path of paths) {
      const { body } = await owner.request('GET', path);
      const times = listTimes(body);
      assert.ok(times.length > 0, path);
      for (const time of times) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, path);
    }
  });
});

/** Collects the values of properties whose name ends in At. */
function listTimes(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name.endsWith('At') && member !== null ? [String(member)] : listTimes(member),
  );
}
