// Tests diffGraphs: structural changes, and changes of values.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diffGraphs } from '../../src/graph/diff.ts';
import { edge, node } from './fixture.ts';

const A = node('a', 'input:text');
const B = node('b', 'utility:join');
const CONNECTED = { nodes: [A, B], edges: [edge('a.text > b.a')] };

describe('diffGraphs', () => {
  it('ignores other values, positions and edge ids', () => {
    const after = {
      nodes: [node('b', 'utility:join', { x: 1 }, { position: { x: 9, y: 9 } }), A],
      edges: [{ ...edge('a.text > b.a'), id: 'other', animated: true }],
    };
    assert.deepEqual(diffGraphs(CONNECTED, after), {
      addedNodes: [],
      removedNodes: [],
      rewiredEdges: [],
      isStructural: false,
    });
  });

  it('lists nodes that were added and removed', () => {
    const after = { nodes: [A, node('c', 'utility:join')], edges: [] };
    const { addedNodes, removedNodes, isStructural } = diffGraphs(CONNECTED, after);
    assert.deepEqual([addedNodes, removedNodes, isStructural], [['c'], ['b'], true]);
  });

  it('lists edges that connect other ports', () => {
    const after = { ...CONNECTED, edges: [{ ...edge('a.text > b.b'), id: 'a.text > b.a' }] };
    assert.deepEqual(diffGraphs(CONNECTED, after).rewiredEdges, ['a.text > b.a']);
    assert(diffGraphs(CONNECTED, { ...CONNECTED, edges: [] }).isStructural);
  });
});
