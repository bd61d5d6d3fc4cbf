// Tests the toast after an edit, which offers to undo that edit.
import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { setConfig } from '../../../editor/board/edits.ts';
import { createBoardStore } from '../../../editor/board/store.ts';
import { useToasts } from '../../../editor/lib/toasts.ts';
import { performWithToast } from '../../../editor/session/undo-toast.ts';
import { BOARD } from '../board/open-board.ts';

const CHANGES = setConfig(BOARD, createCatalog([]), 'a', { text: 'new' });
const OTHER_CHANGES = setConfig(BOARD, createCatalog([]), 'b', { text: 'other' });
const EDIT = { label: 'Change', changes: CHANGES, text: 'Changed' };
const getToasts = () => useToasts.getState().toasts;

beforeEach(() => useToasts.setState({ toasts: [] }));

it('undoes its edit', () => {
  const store = createBoardStore({ board: BOARD });
  performWithToast({ store, isReadOnly: false }, EDIT);
  assert.notDeepEqual(store.getState().board, BOARD);
  const [toast] = getToasts();
  assert.equal(toast?.text, 'Changed');
  toast.action?.run();
  assert.deepEqual(store.getState().board, BOARD);
});

it('offers no undo once another edit followed, or the edit was undone', () => {
  const store = createBoardStore({ board: BOARD });
  performWithToast({ store, isReadOnly: false }, EDIT);
  store.actions.select(['a']);
  assert.ok(getToasts()[0]?.action);
  performWithToast({ store, isReadOnly: false }, { ...EDIT, changes: OTHER_CHANGES });
  assert.deepEqual(
    getToasts().map(({ action }) => action !== undefined),
    [false, true],
  );
  store.actions.undo();
  assert.deepEqual(
    getToasts().map(({ text, action }) => [text, action]),
    [
      ['Changed', undefined],
      ['Changed', undefined],
    ],
  );
});

it('is not shown for edits that change nothing or that a read-only board rejects', () => {
  const store = createBoardStore({ board: BOARD }, () => undefined);
  performWithToast({ store, isReadOnly: true }, EDIT);
  performWithToast({ store, isReadOnly: false }, { ...EDIT, changes: [] });
  assert.deepEqual(getToasts(), []);
});
