// Tests that a board of a user who may only view it does not change, and that the note of a new workflow is removed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { add, setConfig } from '../../../editor/board/edits.ts';
import { createBoardStore } from '../../../editor/board/store.ts';
import { FIRST_NOTE } from '../../../editor/lib/first-note.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { BOARD } from './open-board.ts';

const CHANGE = setConfig(BOARD, createCatalog([]), 'a', { text: 'new' });

it('rejects edits, and undoing and repeating those of a restored draft', () => {
  const earlier = createBoardStore({ board: BOARD });
  earlier.actions.perform('Change', CHANGE);
  const edited = earlier.getState();
  earlier.actions.undo();
  const undone = earlier.getState();
  for (const { board, history } of [edited, undone]) {
    let rejections = 0;
    const store = createBoardStore({ board, history }, () => {
      rejections++;
    });
    store.actions.perform('Change', CHANGE);
    store.actions.undo();
    store.actions.redo();
    assert.equal(rejections, 3);
    assert.equal(store.getState().board, board);
  }
});

describe('the note of a new workflow', () => {
  const note: GraphNode = FIRST_NOTE;
  const text: GraphNode = {
    ...note,
    id: 'text',
    type: 'basedNode',
    data: { ...note.data, nodeType: 'input:text', config: {} },
  };
  const open = (first: GraphNode) =>
    createBoardStore({ board: { fields: {}, nodes: [JSON.parse(JSON.stringify(first))], edges: [] } });
  const addTo = (store: ReturnType<typeof open>, node: GraphNode): readonly string[] => {
    store.actions.perform('Add', add(store.getState().board, { nodes: [node] }));
    return store.getState().board.nodes.map(({ id }) => id);
  };

  it('is removed with the edit that adds the first other node, and returns with its undo', () => {
    const store = open(note);
    assert.deepEqual(addTo(store, text), ['text']);
    store.actions.undo();
    assert.deepEqual(store.getState().board.nodes, [note]);
    store.actions.redo();
    assert.deepEqual(
      store.getState().board.nodes.map(({ id }) => id),
      ['text'],
    );
  });

  it('stays if it was changed, or if only another note is added', () => {
    const changed = { ...note, data: { ...note.data, config: { text: 'For the spring campaign' } } };
    assert.deepEqual(addTo(open(changed), text), ['note', 'text']);
    assert.deepEqual(addTo(open(note), { ...note, id: 'other' }), ['note', 'other']);
  });
});
