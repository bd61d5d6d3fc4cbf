// Checks edits of a graph that need no catalog.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readChildIds, withoutItems } from '../../src/graph/edit.ts';

const node = (id: string, childNodeIds?: string[]) => ({
  id,
  data: childNodeIds === undefined ? {} : { config: { color: 'red', childNodeIds } },
});
const edge = (id: string, source: string, target: string) => ({ id, source, target });

describe('withoutItems', () => {
  const graph = {
    nodes: [node('a'), node('b'), node('c'), node('group', ['a', 'b']), node('other', ['c'])],
    edges: [edge('1', 'a', 'b'), edge('2', 'b', 'c'), edge('3', 'c', 'b')],
  };

  it('removes nodes with their edges, and from their groups', () => {
    const { nodes, edges } = withoutItems(graph, { nodes: ['a'] });
    assert.deepEqual(
      nodes.map(({ id }) => id),
      ['b', 'c', 'group', 'other'],
    );
    assert.deepEqual(edges, graph.edges.slice(1));
    assert.deepEqual(nodes[2], node('group', ['b']));
  });

  it('removes edges alone, and keeps the identity of all that does not change', () => {
    const { nodes, edges } = withoutItems(graph, { edges: ['2'] });
    assert.ok(nodes.every((kept, index) => kept === graph.nodes[index]));
    assert.deepEqual(
      edges.map(({ id }) => id),
      ['1', '3'],
    );
  });
});

describe('childrenOf', () => {
  it('reads the ids of a group, and nothing of a node without any', () => {
    assert.deepEqual(readChildIds(node('group', ['a'])), ['a']);
    assert.deepEqual(readChildIds(node('a')), []);
    assert.deepEqual(readChildIds({ id: 'odd', data: { config: { childNodeIds: ['a', 5] } } }), ['a']);
  });
});
