// Tests diffGraphs, which lists structural changes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diffGraphs } from '../../src/graph/diff.ts';
import { edge, node } from './fixture.ts';

const A = node('a', 'input:text');
const B = node('b', 'utility:join');
const CONNECTED = { nodes: [A, B], edges: [edge('a.text > b.a')] };

describe('diffGraphs', () => {
  it('ignores changes of settings, positions and edge ids', () => {
    const changedGraph = {
      nodes: [node('b', 'utility:join', { x: 1 }, { position: { x: 9, y: 9 } }), A],
      edges: [{ ...edge('a.text > b.a'), id: 'other', animated: true }],
    };
    assert.deepEqual(diffGraphs(CONNECTED, changedGraph), {
      addedNodes: [],
      removedNodes: [],
      rewiredEdges: [],
      isStructural: false,
    });
  });

  it('lists nodes that were added and removed', () => {
    const changedGraph = { nodes: [A, node('c', 'utility:join')], edges: [] };
    const { addedNodes, removedNodes, isStructural } = diffGraphs(CONNECTED, changedGraph);
    assert.deepEqual([addedNodes, removedNodes, isStructural], [['c'], ['b'], true]);
  });

  it('lists edges that lead to another port', () => {
    const changedGraph = { ...CONNECTED, edges: [{ ...edge('a.text > b.b'), id: 'a.text > b.a' }] };
    assert.deepEqual(diffGraphs(CONNECTED, changedGraph).rewiredEdges, ['a.text > b.a']);
    assert(diffGraphs(CONNECTED, { ...CONNECTED, edges: [] }).isStructural);
  });
});
