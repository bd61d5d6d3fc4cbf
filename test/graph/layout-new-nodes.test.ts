// Tests which new nodes placeNewNodes moves and where it places them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type NewNodeOptions, placeNewNodes } from '../../src/graph/layout/new-nodes.ts';
import type { Graph, GraphNode } from '../../src/graph/types.ts';
import { CATALOG, edge, node } from './fixture.ts';

const join = (id: string, x = 0, y = 0): GraphNode => node(id, 'utility:join', {}, { position: { x, y } });
const OLD: Graph = { nodes: [join('a'), join('covering', 10, 10)], edges: [] };
const HEIGHT = 44 + 3 * 28 + 12;

function listMoves(
  added: readonly GraphNode[],
  edges: readonly string[] = [],
  options: NewNodeOptions = {},
): string[] {
  const next = { nodes: [...OLD.nodes, ...added], edges: edges.map(edge) };
  return placeNewNodes(OLD, next, CATALOG, options).moves.map(
    ({ id, position: { x, y } }) => `${id} ${x} ${y}`,
  );
}

const unplaced = (...ids: string[]): NewNodeOptions => ({ unplaced: new Set(ids) });

describe('placeNewNodes', () => {
  it('moves neither old nodes that overlap nor a new node in free space', () => {
    assert.deepEqual(listMoves([join('n', 1000, 0)]), []);
  });

  it('moves a new node that covers another down to the next free space', () => {
    assert.deepEqual(listMoves([join('n', 20, 20)]), [`n 20 ${10 + HEIGHT + 60}`]);
  });

  it('moves the second of two new nodes that overlap', () => {
    assert.deepEqual(listMoves([join('n', 1000, 0), join('m', 1000, 0)]), [`m 1000 ${HEIGHT + 60}`]);
  });

  it('places an unplaced node right of its sources, left of its targets, or below the graph', () => {
    assert.deepEqual(listMoves([join('n')], ['a.text > n.a'], unplaced('n')), ['n 380 0']);
    assert.deepEqual(listMoves([join('n')], ['n.text > a.a'], unplaced('n')), ['n -380 0']);
    assert.deepEqual(listMoves([join('n')], [], unplaced('n')), [`n 0 ${10 + HEIGHT + 60}`]);
  });

  it('places a chain of new nodes in order', () => {
    const chain = listMoves([join('m'), join('n')], ['a.text > n.a', 'n.text > m.a'], unplaced('m', 'n'));
    assert.deepEqual(chain.sort(), ['m 760 0', 'n 380 0']);
  });

  it('moves only nodes without coordinates if keepsPositions is set', () => {
    const options = { ...unplaced('n'), keepsPositions: true };
    assert.deepEqual(listMoves([join('m', 20, 20), join('n')], ['a.text > n.a'], options), ['n 380 0']);
  });

  it('fits an unplaced frame around its members', () => {
    const frame = node('f', 'utility:group', { childNodeIds: ['a'] });
    assert.deepEqual(listMoves([frame], [], unplaced('f')), ['f -40 -88']);
  });

  it('does not move a new node out of the frame that contains it', () => {
    const next = [node('f', 'utility:group', {}, { position: { x: 900, y: 0 } }), join('n', 940, 100)];
    assert.deepEqual(listMoves(next), []);
  });

  it('places 5,000 unconnected nodes at different positions', () => {
    const nodes = Array.from({ length: 5000 }, (_, index) => join(`n${index}`));
    const positions = listMoves(nodes, [], { unplaced: new Set(nodes.map(({ id }) => id)) });
    assert.equal(new Set(positions.map(position => position.split(' ').slice(1).join(' '))).size, 5000);
  });

  it('takes linear time for as many nodes as a request can have', () => {
    const newNodes = Array.from({ length: 60_000 }, (_, index) => join(`n${index}`));
    const usage = process.threadCpuUsage();
    listMoves(newNodes, [], unplaced(...newNodes.map(({ id }) => id)));
    const { user, system } = process.threadCpuUsage(usage);
    // 0.4 s; quadratic time takes 9 s.
    assert.ok(user + system < 3e6, `${(user + system) / 1e6} s`);
  });
});
