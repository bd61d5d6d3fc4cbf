// Tests which nodes count as changed by a write.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Graph } from '../../../src/graph/types.ts';
import { compareNodes } from '../../../src/services/workflows/node-changes.ts';
import { edge, node } from '../../support/workflows.ts';

const BEFORE = {
  nodes: [
    node('a', 'input:text', { value: 'x', note: 'y' }),
    node('b', 'output:preview'),
    node('c', 'output:preview'),
  ],
  edges: [edge('a.text > b.input')],
} as unknown as Graph;
const [a, b, c] = BEFORE.nodes as [Graph['nodes'][number], Graph['nodes'][number], Graph['nodes'][number]];

const findChanged = (after: Partial<Graph>): readonly string[] =>
  compareNodes(BEFORE, { ...BEFORE, ...after }).changed;

describe('compareNodes', () => {
  it('finds nodes with other data, of another type, and new nodes', () => {
    const changed = { ...a, data: { ...a.data, config: { value: 'z' } } };
    const nodes = [changed, { ...b, type: 'other' }, { ...c, id: 'd' }];
    assert.deepEqual(compareNodes(BEFORE, { ...BEFORE, nodes }), { changed: ['a', 'b', 'd'], kept: [] });
  });

  it('ignores labels, positions, and the order of nodes, edges and members', () => {
    const config = { note: 'y', value: 'x' };
    const moved = { ...a, position: { x: 7, y: 7 }, data: { ...a.data, label: 'New', config } };
    assert.deepEqual(findChanged({ nodes: [c, b, moved] }), []);
  });

  it('finds the nodes into which an edge was added, removed or changed', () => {
    assert.deepEqual(findChanged({ edges: [] }), ['b']);
    assert.deepEqual(findChanged({ edges: [...BEFORE.edges, edge('a.text > c.input')] as Graph['edges'] }), [
      'c',
    ]);
    assert.deepEqual(findChanged({ edges: [edge('c.text > b.input')] as Graph['edges'] }), ['b']);
  });
});
