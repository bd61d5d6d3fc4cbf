// Tests saves of a board that another user has changed: merged changes, and conflicts that the user decides.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import type { Board } from '../../../editor/board/board.ts';
import { applyTheirs } from '../../../editor/board/conflicts.ts';
import { add, computeChanges, remove } from '../../../editor/board/edits.ts';
import { BOARD, createNode, createRemote, openBoard, type Remote } from './open-board.ts';

describe('Saver with changes of another user', () => {
  let remote: Remote;
  beforeEach(() => {
    remote = createRemote();
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => mock.timers.reset());

  it('merges a stale save, so that both users have both changes', async () => {
    const [theirEditor, myEditor] = [openBoard(remote), openBoard(remote)];
    theirEditor.edit('a', 'text', 'theirs');
    await theirEditor.saver.flush();
    myEditor.edit('b', 'text', 'mine');
    await myEditor.saver.flush();
    assert.deepEqual(
      remote.board.nodes.map(({ data }) => data.config),
      [{ text: 'theirs' }, { text: 'mine' }],
    );
    await theirEditor.saver.pullAndMerge();
    assert.deepEqual(theirEditor.config('b'), { text: 'mine' });
    assert.equal(theirEditor.saver.isDirty, false);
  });

  it('does not send my value of a conflict before I choose it', async () => {
    const [theirEditor, myEditor] = [openBoard(remote), openBoard(remote)];
    theirEditor.edit('a', 'text', 'theirs');
    await theirEditor.saver.flush();
    myEditor.edit('a', 'text', 'mine');
    await myEditor.saver.flush();
    const [conflict] = myEditor.store.getState().conflicts;
    assert.deepEqual([conflict?.mine, conflict?.theirs], ['mine', 'theirs']);
    assert.deepEqual(myEditor.store.getState().save, { kind: 'conflicts', count: 1 });
    myEditor.edit('b', 'text', 'more');
    await myEditor.saver.flush();
    assert.deepEqual(
      remote.board.nodes.map(({ data }) => data.config),
      [{ text: 'theirs' }, { text: 'more' }],
    );
    assert.deepEqual(myEditor.config('a'), { text: 'mine' });
    await assert.rejects(myEditor.saver.flushOrThrowOnConflict(), /Choose which ones to keep/);
    myEditor.saver.saveAtExit();
    assert.deepEqual(myEditor.exitWrites, []);
    assert.ok(conflict);
    myEditor.store.actions.resolveConflict(conflict);
    await myEditor.saver.flushOrThrowOnConflict();
    assert.deepEqual(remote.board.nodes[0]?.data.config, { text: 'mine' });
    assert.equal(myEditor.store.getState().save.kind, 'saved');
  });

  it('updates a conflict to the newest value of the other user', async () => {
    const [theirEditor, myEditor] = [openBoard(remote), openBoard(remote)];
    myEditor.edit('a', 'text', 'mine');
    for (const text of ['theirs', 'newer theirs']) {
      theirEditor.edit('a', 'text', text);
      await theirEditor.saver.flush();
      await myEditor.saver.pullAndMerge();
      assert.deepEqual(
        myEditor.store.getState().conflicts.map(({ theirs }) => theirs),
        [text],
      );
    }
    theirEditor.edit('a', 'text', 'mine');
    await theirEditor.saver.flush();
    await myEditor.saver.pullAndMerge();
    assert.deepEqual(myEditor.store.getState().conflicts, []);
    assert.equal(myEditor.saver.isDirty, false);
  });

  it('keeps a node at the service that I removed and the other user changed', async () => {
    const edge = { id: 'e', source: 'a', target: 'b', sourceHandle: 'out-text', targetHandle: 'in-value' };
    remote.set({ ...BOARD, edges: [edge] });
    const [theirEditor, myEditor] = [openBoard(remote), openBoard(remote)];
    theirEditor.edit('a', 'text', 'theirs');
    await theirEditor.saver.flush();
    myEditor.store.actions.perform('Delete', remove(myEditor.store.getState().board, { nodes: ['a'] }));
    myEditor.edit('b', 'text', 'mine');
    await myEditor.saver.flush();
    assert.deepEqual(
      remote.board.nodes.map(({ data }) => data.config),
      [{ text: 'theirs' }, { text: 'mine' }],
    );
    assert.deepEqual(remote.board.edges, [edge]);
    const [conflict] = myEditor.store.getState().conflicts;
    assert.ok(conflict);
    myEditor.store.actions.resolveConflict(conflict);
    await myEditor.saver.flush();
    assert.deepEqual(
      remote.board.nodes.map(({ id }) => id),
      ['b'],
    );
  });

  it('does not restore a node at the service that the other user removed and I connected', async () => {
    const [theirEditor, myEditor] = [openBoard(remote), openBoard(remote)];
    theirEditor.store.actions.perform('Delete', remove(theirEditor.store.getState().board, { nodes: ['a'] }));
    await theirEditor.saver.flush();
    const edge = { id: 'e', source: 'a', target: 'b', sourceHandle: 'out-text', targetHandle: 'in-value' };
    myEditor.store.actions.perform('Connect', add(myEditor.store.getState().board, { edges: [edge] }));
    await myEditor.saver.flush();
    const idsOf = ({ nodes, edges }: Board): string[] => [...nodes, ...edges].map(({ id }) => id);
    assert.deepEqual(idsOf(remote.board), ['b']);
    assert.deepEqual(idsOf(myEditor.store.getState().board), ['a', 'b', 'e']);
    const [conflict] = myEditor.store.getState().conflicts;
    assert.ok(conflict);
    const { board } = myEditor.store.getState();
    const theirs = computeChanges(board, applyTheirs(board, [conflict], myEditor.saver.base.board));
    myEditor.store.actions.perform('Use theirs', theirs);
    assert.deepEqual(myEditor.store.getState().conflicts, []);
    assert.equal(myEditor.saver.isDirty, false);
    myEditor.store.actions.undo();
    await myEditor.saver.flush();
    assert.deepEqual(idsOf(remote.board), ['a', 'b', 'e']);
  });

  it('does not send a connection that closes a cycle with a connection of the other user', async () => {
    const [theirEditor, myEditor] = [openBoard(remote), openBoard(remote)];
    const connect = (source: string, target: string) => ({ id: source + target, source, target });
    theirEditor.store.actions.perform(
      'Connect',
      add(theirEditor.store.getState().board, { edges: [connect('a', 'b')] }),
    );
    await theirEditor.saver.flush();
    myEditor.store.actions.perform(
      'Connect',
      add(myEditor.store.getState().board, { edges: [connect('b', 'a')] }),
    );
    await myEditor.saver.flush();
    assert.deepEqual(remote.board.edges, [connect('a', 'b')]);
    assert.equal(myEditor.store.getState().conflicts.length, 1);
    // Still withheld when another change is merged.
    theirEditor.edit('a', 'text', 'later');
    await theirEditor.saver.flush();
    await myEditor.saver.pullAndMerge();
    myEditor.edit('b', 'text', 'mine');
    await myEditor.saver.flush();
    assert.deepEqual(remote.board.edges, [connect('a', 'b')]);
  });

  it('lets undo revert only own edits after a merge', async () => {
    const [myEditor, theirEditor] = [openBoard(remote), openBoard(remote)];
    theirEditor.edit('a', 'seed', '7');
    myEditor.store.actions.perform('Add', add(myEditor.store.getState().board, { nodes: [createNode('c')] }));
    myEditor.edit('a', 'text', 'mine');
    await myEditor.saver.flush();
    await theirEditor.saver.flush();
    await myEditor.saver.pullAndMerge();
    myEditor.store.actions.undo();
    assert.deepEqual(myEditor.config('a'), { seed: '7' });
    myEditor.store.actions.undo();
    assert.deepEqual(
      myEditor.store.getState().board.nodes.map(({ id }) => id),
      ['a', 'b'],
    );
    myEditor.store.actions.redo();
    myEditor.store.actions.redo();
    assert.deepEqual(myEditor.config('a'), { seed: '7', text: 'mine' });
  });
});
