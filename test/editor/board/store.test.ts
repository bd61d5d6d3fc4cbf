// Tests that a board of a user who may only view it does not change.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { setConfig } from '../../../editor/board/edits.ts';
import { createBoardStore } from '../../../editor/board/store.ts';
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
