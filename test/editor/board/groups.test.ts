// Tests grouping and ungrouping of nodes on the editor's board.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { apply, type Board, findNode } from '../../../editor/board/board.ts';
import { ungroupNodes } from '../../../editor/board/groups.ts';
import { getChildIds } from '../../../src/graph/edit.ts';
import type { GraphNode } from '../../../src/graph/types.ts';

const node = (id: string, nodeType: string, config = {}): GraphNode => ({
  id,
  type: 'standard',
  position: { x: 0, y: 0 },
  data: { label: id, category: 'utility', nodeType, config },
});
const group = (id: string, childNodeIds: readonly string[]) => node(id, 'utility:group', { childNodeIds });
const text = (id: string) => node(id, 'input:text');
const boardOf = (...nodes: readonly GraphNode[]): Board => ({ fields: {}, nodes, edges: [] });
/** Returns the ids of the nodes in each group that stays. */
const ungroup = (board: Board, ids: readonly string[]): Readonly<Record<string, readonly string[]>> => {
  const after = apply(board, ungroupNodes(board, ids));
  for (const id of ids) assert.equal(findNode(after, id), undefined);
  return Object.fromEntries(
    after.nodes
      .filter(({ data }) => data.nodeType === 'utility:group')
      .map(each => [each.id, getChildIds(each)]),
  );
};

it('nodes of an ungrouped group move to the group around it', () => {
  const board = boardOf(group('outer', ['a', 'inner']), group('inner', ['b']), text('a'), text('b'));
  assert.deepEqual(ungroup(board, ['inner']), { outer: ['a', 'b'] });
});

it('nodes of several nested groups move to the nearest group that stays', () => {
  const board = boardOf(
    group('outer', ['middle']),
    group('middle', ['a', 'inner']),
    group('inner', ['b']),
    text('a'),
    text('b'),
  );
  assert.deepEqual(ungroup(board, ['middle', 'inner']), { outer: ['a', 'b'] });
  assert.deepEqual(ungroup(board, ['inner', 'outer']), { middle: ['a', 'b'] });
});

it('groups that contain each other are removed', () => {
  assert.deepEqual(ungroup(boardOf(group('a', ['b']), group('b', ['a'])), ['a', 'b']), {});
});
