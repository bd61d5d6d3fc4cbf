// Tests that the editor saves a board after pauses, and retries failed saves.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { add, remove } from '../../../editor/board/edits.ts';
import { ConnectionError } from '../../../sdk/src/errors.ts';
import {
  BOARD,
  createNode,
  createRefusal,
  createRemote,
  openBoard,
  type Remote,
  waitTurns,
} from './open-board.ts';

describe('Saver', () => {
  let remote: Remote;
  beforeEach(() => {
    remote = createRemote();
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => mock.timers.reset());

  it('saves once after a pause and reports "saved" only after the response', async () => {
    const { edit, states, store } = openBoard(remote);
    for (const text of ['h', 'he', 'hey']) edit('a', 'text', text);
    assert.deepEqual(remote.writes, []);
    assert.deepEqual(new Set(states), new Set(['unsaved']));
    mock.timers.tick(700);
    assert.equal(store.getState().save.kind, 'unsaved');
    await waitTurns();
    assert.equal(store.getState().save.kind, 'saved');
    assert.deepEqual(remote.writes, ['autosave']);
    assert.deepEqual(remote.board.nodes[0]?.data.config, { text: 'hey' });
  });

  it('saves within two seconds even without a pause', async () => {
    mock.timers.reset();
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const { edit } = openBoard(remote);
    for (let ms = 0; ms < 4000; ms += 100) {
      edit('a', 'text', `at ${ms}`);
      mock.timers.tick(100);
      await waitTurns();
    }
    assert.deepEqual(remote.writes, ['autosave', 'autosave']);
    assert.deepEqual(remote.board.nodes[0]?.data.config, { text: 'at 2700' });
  });

  it('does not save an empty board', async () => {
    const { saver, store } = openBoard(remote);
    store.actions.perform('Delete', remove(store.getState().board, { nodes: ['a', 'b'] }));
    saver.scheduleAutosave();
    mock.timers.tick(700);
    await waitTurns();
    assert.equal(store.getState().save.kind, 'empty');
    await assert.rejects(saver.flush(), /at least one node/);
    assert.deepEqual(remote.board, BOARD);
    store.actions.perform('Add', add(store.getState().board, { nodes: [createNode('c')] }));
    saver.scheduleAutosave();
    mock.timers.tick(700);
    await waitTurns();
    assert.equal(store.getState().save.kind, 'saved');
    assert.deepEqual(
      remote.board.nodes.map(({ id }) => id),
      ['c'],
    );
  });

  it('does not report "saved" while an older board is being saved', async () => {
    const { edit, saver, store } = openBoard(remote);
    edit('a', 'text', 'gone again');
    const writing = saver.flush('autosave');
    await Promise.resolve();
    store.actions.undo();
    saver.scheduleAutosave();
    assert.equal(saver.isDirty, false);
    assert.equal(store.getState().save.kind, 'saving');
    await writing;
    mock.timers.tick(700);
    await waitTurns();
    assert.equal(store.getState().save.kind, 'saved');
    assert.deepEqual(remote.board, BOARD);
  });

  it('never saves a board without a change', async () => {
    const { saver } = openBoard(remote);
    saver.scheduleAutosave();
    await saver.flush('autosave');
    mock.timers.tick(10_000);
    await waitTurns();
    assert.deepEqual(remote.writes, []);
  });

  it('does not repeat a save that a closed page sent', async () => {
    const remote = createRemote();
    const page = openBoard(remote);
    page.edit('a', 'value', 'mine');
    assert.equal(page.states.at(-1), 'unsaved');
    // The request of the page that ended arrives late.
    remote.set(page.store.getState().board);
    await page.saver.pullAndMerge();
    mock.timers.tick(10_000);
    await nextTurn();
    assert.equal(page.states.at(-1), 'saved');
    assert.deepEqual(remote.writes, []);
  });

  it('sends unsaved changes when the page closes', () => {
    const { edit, saver, exitWrites, store } = openBoard(remote);
    saver.saveAtExit();
    assert.deepEqual(exitWrites, []);
    edit('a', 'text', 'last');
    saver.saveAtExit();
    assert.deepEqual(exitWrites, [store.getState().board]);
  });

  it('keeps a board that the service refused and retries at the next change', async () => {
    const { edit, store, saver } = openBoard(remote);
    remote.failure = createRefusal(400, 'invalid_graph');
    edit('a', 'text', 'bad');
    await assert.rejects(saver.flush());
    assert.equal(store.getState().save.kind, 'refused');
    mock.timers.tick(60_000);
    await waitTurns();
    remote.failure = undefined;
    edit('a', 'text', 'good');
    mock.timers.tick(700);
    await waitTurns();
    assert.deepEqual(remote.writes, ['autosave']);
    assert.equal(store.getState().save.kind, 'saved');
  });

  it('saves the next change after a refusal or an empty board that followed an outage', async () => {
    const { edit, saver, store } = openBoard(remote);
    const disconnect = async (): Promise<void> => {
      remote.failure = new ConnectionError('no way');
      edit('a', 'text', 'unsaved');
      mock.timers.tick(700);
      await waitTurns();
      assert.equal(store.getState().save.kind, 'offline');
    };
    await disconnect();
    remote.failure = createRefusal(400, 'invalid_graph');
    mock.timers.tick(1000);
    await waitTurns();
    assert.equal(store.getState().save.kind, 'refused');
    remote.failure = undefined;
    edit('a', 'text', 'good');
    mock.timers.tick(700);
    await waitTurns();
    assert.equal(store.getState().save.kind, 'saved');

    await disconnect();
    store.actions.perform('Delete', remove(store.getState().board, { nodes: ['a', 'b'] }));
    saver.scheduleAutosave();
    mock.timers.tick(1000);
    await waitTurns();
    assert.equal(store.getState().save.kind, 'empty');
    remote.failure = undefined;
    store.actions.undo();
    saver.scheduleAutosave();
    mock.timers.tick(700);
    await waitTurns();
    assert.equal(store.getState().save.kind, 'saved');
  });

  it('retries with growing pauses while offline', async () => {
    const { edit, store } = openBoard(remote);
    remote.failure = new ConnectionError('no way');
    edit('a', 'text', 'one');
    for (const ms of [700, 1000, 2000]) {
      mock.timers.tick(ms);
      await waitTurns();
      assert.equal(store.getState().save.kind, 'offline');
      edit('b', 'text', `at ${ms}`);
    }
    remote.failure = undefined;
    mock.timers.tick(5000);
    await waitTurns();
    assert.equal(store.getState().save.kind, 'saved');
    assert.deepEqual(remote.writes, ['autosave']);
    assert.deepEqual(
      remote.board.nodes.map(({ data }) => data.config),
      [{ text: 'one' }, { text: 'at 2000' }],
    );
  });

  it('saves the next change after a change that could not be saved was undone', async () => {
    const { edit, saver, store } = openBoard(remote);
    remote.failure = new ConnectionError('no way');
    edit('a', 'text', 'gone again');
    mock.timers.tick(700);
    await waitTurns();
    store.actions.undo();
    saver.scheduleAutosave();
    assert.equal(store.getState().save.kind, 'saved');
    remote.failure = undefined;
    edit('a', 'text', 'new');
    mock.timers.tick(700);
    await waitTurns();
    assert.deepEqual(remote.writes, ['autosave']);
    assert.equal(store.getState().save.kind, 'saved');
  });

  it('saves the next change after a change was undone during a save that failed', async () => {
    const { edit, saver, store } = openBoard(remote);
    remote.failure = new ConnectionError('no way');
    edit('a', 'text', 'gone again');
    const failedSave = assert.rejects(saver.flush('autosave'));
    await Promise.resolve();
    store.actions.undo();
    saver.scheduleAutosave();
    await failedSave;
    mock.timers.tick(1000);
    await waitTurns();
    assert.equal(store.getState().save.kind, 'saved');
    remote.failure = undefined;
    edit('a', 'text', 'new');
    mock.timers.tick(700);
    await waitTurns();
    assert.deepEqual(remote.writes, ['autosave']);
  });

  it('waits for a pause after the first change that follows an undone change', async () => {
    mock.timers.reset();
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const { edit, saver, store } = openBoard(remote);
    edit('a', 'text', 'gone again');
    store.actions.undo();
    saver.scheduleAutosave();
    mock.timers.tick(5000);
    edit('a', 'text', 'new');
    mock.timers.tick(699);
    await waitTurns();
    assert.deepEqual(remote.writes, []);
    mock.timers.tick(1);
    await waitTurns();
    assert.deepEqual(remote.writes, ['autosave']);
  });

  it('retries a save that was stale again after every merge', async () => {
    const { edit, store } = openBoard(remote);
    remote.failure = createRefusal(409, 'stale_write');
    edit('a', 'text', 'mine');
    mock.timers.tick(700);
    await waitTurns();
    assert.equal(store.getState().save.kind, 'unsaved');
    remote.failure = undefined;
    mock.timers.tick(1000);
    await waitTurns();
    assert.deepEqual(remote.writes, ['autosave']);
    assert.equal(store.getState().save.kind, 'saved');
  });
});
