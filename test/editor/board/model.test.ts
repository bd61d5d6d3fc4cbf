// Tests the model of the canvas without a browser: the ports at which the canvas draws edges.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { CardCache } from '../../../editor/canvas/card-cache.ts';
import type { GraphEdge, GraphNode } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const node = (id: string, nodeType: string): GraphNode => ({
  id,
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: id, category: 'utility', nodeType, config: {} },
});
const edge = (id: string, handles: Partial<GraphEdge> = {}): GraphEdge => ({
  id,
  source: 't',
  target: 'c',
  ...handles,
});

describe('Model.resolveEdges', () => {
  const nodes = [node('t', 'input:text'), node('c', 'utility:prompt_concat')];

  it('returns the ports that a run uses', () => {
    const model = new CardCache(createCatalog(createNodeCatalog({} as never).entries));
    const [first, second] = [edge('1'), edge('2')];
    const listPorts = (edges: readonly GraphEdge[]): readonly string[] =>
      model.resolveEdges({ nodes, edges }).map(({ targetHandle }) => targetHandle);
    assert.deepEqual(listPorts([first, second]), ['in-text1', 'in-text2']);
    // The free port depends on the other edges, so it must not be cached for an edge.
    assert.deepEqual(listPorts([second]), ['in-text1']);
    const edgeWithHandles = edge('3', { sourceHandle: 'out-text', targetHandle: 'in-text2' });
    assert.deepEqual(listPorts([edgeWithHandles, first, second]), ['in-text2', 'in-text1', 'in-text3']);
  });
});
