// Tests copying and pasting nodes with and without the connections from other nodes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apply, type Board } from '../../../editor/board/board.ts';
import { parsePastedText, paste, toClipboardText } from '../../../editor/board/clipboard.ts';
import type { GraphNode } from '../../../src/graph/types.ts';

const node = (id: string, x: number): GraphNode => ({
  id,
  type: 'basedNode',
  position: { x, y: 0 },
  data: { label: id, category: 'utility', nodeType: 'utility:prompt_concat', config: {} },
});
const edge = (source: string, target: string, targetHandle: string) => ({
  id: `${source}-${target}-${targetHandle}`,
  source,
  target,
  sourceHandle: 'out-text',
  targetHandle,
});
const board: Board = {
  fields: {},
  nodes: [node('a', 0), node('b', 300), node('c', 600), node('d', 900)],
  edges: [
    edge('a', 'b', 'in-text2'),
    edge('a', 'b', 'in-text1'),
    edge('b', 'c', 'in-text1'),
    edge('c', 'd', 'in-text1'),
  ],
};

const pasteOf = (target: Board, keepsIncoming: boolean) => {
  const copied = parsePastedText(toClipboardText(board, new Set(['c', 'b'])) ?? '');
  assert.ok(copied);
  const { changes, ids } = paste(target, copied, { x: 10, y: 20 }, { keepsIncoming });
  const pasted = apply(target, changes);
  const names = new Map(ids.map((id, index) => [id, `new ${index}`]));
  const wires = pasted.edges
    .filter(({ target }) => names.has(target))
    .map(
      ({ source, target, targetHandle }) =>
        `${names.get(source) ?? source} ${names.get(target)} ${targetHandle}`,
    );
  const positions = ids.map(id => pasted.nodes.find(node => node.id === id)?.position);
  return { wires, positions };
};

describe('pasted nodes', () => {
  it('keep the order and the distances of the copied ones', () => {
    const { wires, positions } = pasteOf(board, false);
    assert.deepEqual(wires, ['new 0 new 1 in-text1']);
    assert.deepEqual(positions, [
      { x: 310, y: 20 },
      { x: 610, y: 20 },
    ]);
  });

  it('keep their connections from other nodes on request, in their order', () => {
    assert.deepEqual(pasteOf(board, true).wires, [
      'new 0 new 1 in-text1',
      'a new 0 in-text2',
      'a new 0 in-text1',
    ]);
  });

  it('lose connections from nodes that the board does not have', () => {
    assert.deepEqual(pasteOf({ fields: {}, nodes: [], edges: [] }, true).wires, ['new 0 new 1 in-text1']);
  });

  it('are read from text with damaged connections, without them', () => {
    const text = toClipboardText(board, new Set(['b'])) ?? '';
    const damaged = JSON.stringify({ ...JSON.parse(text), incoming: [{ source: 1 }] });
    const copied = parsePastedText(damaged);
    assert.deepEqual([copied?.nodes.length, copied?.incoming], [1, undefined]);
  });
});
