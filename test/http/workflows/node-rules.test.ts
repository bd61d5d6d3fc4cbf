// Tests the rules for nodes and edges, and the limits of a graph, on every route that writes a graph.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
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
let owner: Caller;
before(async () => {
  test = await createTestApp();
  owner = await test.createCaller();
});
after(() => test.close());

const [a, b] = PAIR.nodes;
const wires = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ ...edge('a.text > b.input'), id: `e${i}` }));

describe('a node', () => {
  const inputs = [{ id: 'value', label: 'Text', type: 'TEXT' }];
  /** What is merged into the data of a text input, and the expected warning. */
  const WARNED: Readonly<Record<string, readonly [data: object, code: string]>> = {
    'params in use': [{ params: { more: 1 } }, 'params_in_use'],
    'params over config': [{ params: { value: 'y' } }, 'params_override_config'],
    'a config field as a port': [{ inputs }, 'stray_port'],
    'an unknown config key': [{ config: { vlaue: 'x' } }, 'unknown_config_key'],
  };
  for (const [name, [data, code]] of Object.entries(WARNED))
    it(`is stored with a warning about ${name} that starts with its id`, async () => {
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

  it('has its config normalized but never its params', async () => {
    const params = { width: '64' };
    const card = node('a', 'utility:text_to_image_card', { width: '64' });
    const { nodes } = await createWorkflow(owner, {
      nodes: [{ ...card, data: { ...card.data, params } }],
      edges: [],
    });
    assert.deepEqual([nodes[0]?.data.config, nodes[0]?.data.params], [{ width: 64 }, params]);
  });

  it('may stay but not be added if its type is deprecated', async t => {
    const deprecatedNode = node('old', 'utility:math', { a: 1, b: 2 });
    const { id } = await createWorkflow(owner, { nodes: [deprecatedNode], edges: [] });
    const entry = test.deps.catalog.find('utility:math') as { deprecated?: boolean };
    entry.deprecated = true;
    // All catalogs of this process share the entry.
    t.after(() => delete entry.deprecated);
    assert.equal((await putWorkflow(owner, id, { nodes: [deprecatedNode, b] })).status, 200);
    const added = { nodes: [deprecatedNode, { ...deprecatedNode, id: 'new', ...at(0, 900) }] };
    const refusals = [
      await putWorkflow(owner, id, added),
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

describe('an edge', () => {
  const wire = edge('a.text > b.input');
  const WRONG: Readonly<Record<string, readonly [edges: readonly object[], code: string]>> = {
    'with an empty id': [[{ ...wire, id: '' }], 'missing_edge_id'],
    'with the id of another': [[wire, wire], 'duplicate_edge_id'],
    'without source': [[{ ...wire, source: undefined }], 'missing_source'],
    'without target': [[{ ...wire, target: undefined }], 'missing_target'],
  };
  for (const [name, [edges, code]] of Object.entries(WRONG))
    it(`an edge ${name} is refused`, async () => {
      const response = await owner.request('POST', '/workflows', { name: 'W', nodes: [a, b], edges });
      const { issues } = assertRefused(response, 400, 'invalid_graph');
      assert.ok(
        issues?.some(issue => issue.code === code),
        JSON.stringify(issues),
      );
    });

  it('needs no handles, and gives a warning if a handle names no port', async () => {
    const { sourceHandle: _, targetHandle: __, ...bare } = wire;
    assert.deepEqual((await createWorkflow(owner, { edges: [bare] })).edges, [bare]);
    const { meta } = await createWorkflow(owner, { edges: [{ ...wire, sourceHandle: 'out-nothing' }] });
    assert.ok(
      meta.issues.some(({ code }) => code === 'unknown_port'),
      JSON.stringify(meta.issues),
    );
  });
});

describe('a graph', () => {
  it('may have 1500 edges, is arranged up to 750, and is refused with 422 beyond that', async () => {
    const { id, edges } = await createWorkflow(owner, { edges: wires(1500) });
    assert.equal(edges.length, 1500);
    const layout = () => owner.request('POST', `/workflows/${id}/layout`);
    assert.equal((await layout()).status, 422);
    await putWorkflow(owner, id, { edges: wires(750) });
    assert.equal((await layout()).status, 200);
    const nodes = (count: number) =>
      Array.from({ length: count }, (_, i) => node(`n${i}`, 'input:text', {}, at(0, i * 300)));
    await putWorkflow(owner, id, { nodes: nodes(250), edges: [], autoLayout: false });
    assert.equal((await layout()).status, 200);
  });

  it('may have any number of nodes, with one warning if over 100', async () => {
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

describe('times', () => {
  it('are ISO 8601 in UTC with milliseconds everywhere', async () => {
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
