// Tests where input nodes are added for the ports of a node: in a column, in the order of the ports.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { apply, type Board, findNode } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { placeInputNode, removeEmptyInput } from '../../../editor/board/placement.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const catalog = createCatalog(createNodeCatalog({} as never).entries);
const PORTS = ['hook', 'product', 'price', 'cta'].map(id => ({ id, label: id, type: 'TEXT' as const }));
const video: GraphNode = {
  id: 'video',
  type: 'basedNode',
  position: { x: 1000, y: 100 },
  data: { label: 'Video', category: 'video', nodeType: 'video:renderer', config: {}, inputs: PORTS },
};

function addInputs(...ids: readonly string[]): Board {
  let board: Board = { fields: {}, nodes: [video], edges: [] };
  for (const id of ids) {
    const input = { ...PORTS.find(port => port.id === id), isPort: true } as Parameters<
      typeof placeInputNode
    >[2];
    const store = { getState: () => ({ board }) } as Parameters<typeof placeInputNode>[0]['store'];
    board = apply(board, placeInputNode({ catalog, store }, video, input, 'text'));
  }
  return board;
}

const listByPosition = ({ nodes }: Board): readonly string[] =>
  nodes
    .filter(({ id }) => id !== 'video')
    .toSorted((a, b) => a.position.y - b.position.y)
    .map(({ data }) => data.label);

it('forms a column in the order of the ports, in whichever order they are added', () => {
  for (const order of [
    ['hook', 'product', 'price', 'cta'],
    ['cta', 'price', 'product', 'hook'],
  ]) {
    const board = addInputs(...order);
    assert.deepEqual(listByPosition(board), ['hook', 'product', 'price', 'cta']);
    assert.equal(new Set(board.nodes.map(({ position }) => position.x)).size, 2);
  }
  const mixed = addInputs('hook', 'cta', 'price');
  assert.equal(new Set(mixed.nodes.map(({ position }) => position.x)).size, 2);
});

it('removes an emptied input node only if it was added for the port', () => {
  const board = addInputs('hook', 'cta');
  const hook = board.nodes.find(({ data }) => data.label === 'hook');
  assert.ok(hook);
  const input = { id: 'hook', label: 'hook', type: 'TEXT', isPort: true } as const;
  const after = apply(board, removeEmptyInput(board, hook, input) ?? []);
  assert.equal(findNode(after, hook.id), undefined);
  assert.equal(after.edges.length, 1);
  assert.equal(removeEmptyInput(board, { ...hook, data: { ...hook.data, label: 'Mine' } }, input), undefined);
  const shared = { ...board, edges: [...board.edges, { id: 'more', source: hook.id, target: 'video' }] };
  assert.equal(removeEmptyInput(shared, hook, input), undefined);
});
