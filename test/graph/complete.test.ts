// Tests completeGraph, which adds labels and categories from the catalog and ids of edges.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { completeGraph } from '../../src/graph/complete.ts';
import { inspectGraph } from '../../src/graph/inspect.ts';
import { readSettings } from '../../src/lib/settings.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';

const catalog = createNodeCatalog(readSettings({}));
const complete = (nodes: unknown, edges: unknown) => completeGraph(catalog, nodes, edges);
const createEdge = (more: object = {}) => ({
  source: 'a',
  target: 'b',
  sourceHandle: 'out-text',
  targetHandle: 'in-input',
  ...more,
});
const listIds = (edges: unknown): unknown => (edges as { id: unknown }[]).map(({ id }) => id);

describe('completeGraph for nodes', () => {
  it('adds a missing label and category from the catalog', () => {
    const { nodes } = complete([{ id: 'a', data: { nodeType: 'input:text' } }], []);
    assert.deepEqual(nodes, [
      { id: 'a', data: { nodeType: 'input:text', label: 'Text', category: 'input' } },
    ]);
  });

  it('keeps labels and categories, even invalid ones', () => {
    const nodes = [
      { id: 'a', data: { nodeType: 'input:text', label: '', category: 7 } },
      { id: 'b', data: { nodeType: 7 } },
      { id: 'c' },
      null,
    ];
    assert.deepEqual(complete(nodes, 'x'), { nodes, edges: 'x' });
  });

  it('leaves one issue for a node of unknown type', () => {
    const nodes = [{ id: 'a', type: 'basedNode', position: { x: 0, y: 0 }, data: { nodeType: 'input:txt' } }];
    const { issues } = inspectGraph(catalog, nodes, []);
    assert.deepEqual(
      issues.map(({ code }) => code),
      ['unknown_node_type'],
    );
  });
});

describe('completeGraph for edges without ids', () => {
  it('adds the same id each time, made of both ends', () => {
    const edges = [createEdge(), { source: 'a', target: 'c' }];
    assert.deepEqual(listIds(complete([], edges).edges), ['a.text->b.input', 'a->c']);
    assert.deepEqual(complete([], edges), complete([], edges));
  });

  it('adds ids that no other edge has', () => {
    const edges = [
      createEdge(),
      createEdge(),
      createEdge({ id: 'a.text->b.input' }),
      createEdge({ id: 'a.text->b.input-3' }),
      createEdge(),
    ];
    assert.deepEqual(listIds(complete([], edges).edges), [
      'a.text->b.input-2',
      'a.text->b.input-4',
      'a.text->b.input',
      'a.text->b.input-3',
      'a.text->b.input-5',
    ]);
  });

  it('takes linear time', () => {
    const { edges } = complete(
      [],
      Array.from({ length: 100_000 }, () => createEdge()),
    );
    assert.equal(new Set(listIds(edges) as unknown[]).size, 100_000);
  });
});
