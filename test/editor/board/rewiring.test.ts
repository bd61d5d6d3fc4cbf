// Tests inserting nodes into edges, detaching nodes from edges, and aligning nodes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { align, distribute } from '../../../editor/board/align.ts';
import { apply, type Board, invert } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { detachNodes, insertIntoEdge } from '../../../editor/board/rewiring.ts';
import type { GraphEdge, GraphNode } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const catalog = createCatalog(createNodeCatalog({ SANDBOX_MODELS: true } as never).entries);

const node = (id: string, nodeType: string): GraphNode => ({
  id,
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: id, category: 'utility', nodeType, config: {} },
});
const edge = (
  source: string,
  target: string,
  targetHandle: string,
  sourceHandle = 'out-text',
): GraphEdge => ({
  id: `${source}-${target}`,
  source,
  target,
  sourceHandle,
  targetHandle,
});
const JOIN = 'utility:prompt_concat';
const wires = ({ edges }: Board): readonly string[] =>
  edges.map(({ source, target, targetHandle }) => `${source} ${target} ${targetHandle}`);

describe('insertIntoEdge', () => {
  const board: Board = {
    fields: {},
    nodes: [node('a', 'input:text'), node('b', JOIN), node('c', JOIN), node('p', 'generate:sandbox')],
    edges: [edge('a', 'b', 'in-text2')],
  };

  it('connects the source to the node and the node to the target', () => {
    const [first] = board.edges;
    assert.ok(first);
    const changes = insertIntoEdge(board, catalog, first, 'c');
    assert.ok(changes);
    assert.deepEqual(wires(apply(board, changes)), ['a c in-text1', 'c b in-text2']);
    assert.deepEqual(apply(apply(board, changes), invert(changes)), board);
  });

  it('refuses an incompatible node and the ends of the edge', () => {
    const [first] = board.edges;
    assert.ok(first);
    assert.equal(insertIntoEdge(board, catalog, first, 'p'), undefined);
    assert.equal(insertIntoEdge(board, catalog, first, 'b'), undefined);
  });

  it('refuses a node that would close a cycle', () => {
    const circle = { ...board, edges: [...board.edges, edge('b', 'c', 'in-text1')] };
    const [first] = circle.edges;
    assert.ok(first);
    assert.equal(insertIntoEdge(circle, catalog, first, 'c'), undefined);
  });
});

describe('detach', () => {
  it('connects the neighbors of a detached node', () => {
    const board: Board = {
      fields: {},
      nodes: [node('a', 'input:text'), node('b', JOIN), node('c', JOIN), node('d', JOIN)],
      edges: [edge('a', 'b', 'in-text1'), edge('b', 'c', 'in-text1'), edge('b', 'd', 'in-text3')],
    };
    const changes = detachNodes(board, catalog, ['b']);
    assert.deepEqual(wires(apply(board, changes)), ['a c in-text1', 'a d in-text3']);
    assert.deepEqual(apply(apply(board, changes), invert(changes)), board);
  });

  it('leaves incompatible neighbors unconnected', () => {
    const board: Board = {
      fields: {},
      nodes: [node('a', 'input:text'), node('p', 'generate:sandbox'), node('q', 'image:resize')],
      edges: [edge('a', 'p', 'in-prompt'), edge('p', 'q', 'in-image', 'out-image')],
    };
    assert.deepEqual(wires(apply(board, detachNodes(board, catalog, ['p']))), []);
  });

  it('keeps edges between nodes that are detached together', () => {
    const board: Board = {
      fields: {},
      nodes: [node('a', 'input:text'), node('b', JOIN), node('c', JOIN), node('d', JOIN)],
      edges: [edge('a', 'b', 'in-text1'), edge('b', 'c', 'in-text1'), edge('c', 'd', 'in-text1')],
    };
    const remainingWires = wires(apply(board, detachNodes(board, catalog, ['b', 'c'])));
    assert.deepEqual(remainingWires, ['b c in-text1', 'a d in-text1']);
  });
});

describe('align and distribute', () => {
  const boxes = [
    { id: 'a', x: 10, y: 5, width: 100, height: 40 },
    { id: 'b', x: 300, y: 90, width: 50, height: 80 },
    { id: 'c', x: 120, y: 30, width: 60, height: 20 },
  ];

  it('align moves nodes to an edge or the center of their bounding box', () => {
    assert.deepEqual(
      [...align(boxes, 'left').values()].map(({ x }) => x),
      [10, 10, 10],
    );
    assert.deepEqual(
      [...align(boxes, 'right').values()].map(({ x }) => x),
      [250, 300, 290],
    );
    assert.deepEqual(
      [...align(boxes, 'center').values()].map(({ x }) => x),
      [130, 155, 150],
    );
    assert.deepEqual(
      [...align(boxes, 'bottom').values()].map(({ y }) => y),
      [130, 90, 150],
    );
  });

  it('distribute places nodes with equal gaps between the outer nodes', () => {
    const positions = distribute(boxes, 'horizontal');
    assert.deepEqual(
      ['a', 'c', 'b'].map(id => positions.get(id)?.x),
      [10, 175, 300],
    );
    assert.equal(distribute(boxes.slice(0, 2), 'vertical').size, 0);
  });
});
