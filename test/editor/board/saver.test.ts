// Tests saving in the editor against an in-memory service that refuses stale writes like the real one, and drafts in
// IndexedDB.
import 'fake-indexeddb/auto';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { apply, type Board, findNode } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { applyTheirs } from '../../../editor/board/conflicts.ts';
import { type Draft, type DraftStep, type Drafts, openDrafts } from '../../../editor/board/drafts.ts';
import { add, computeChanges, remove, setConfig } from '../../../editor/board/edits.ts';
import { NO_HISTORY } from '../../../editor/board/history.ts';
import { type RemoteBoard, type SaveKind, Saver, type SaveState } from '../../../editor/board/saver.ts';
import { createBoardStore } from '../../../editor/board/store.ts';
import { ApiError, ConnectionError } from '../../../sdk/src/errors.ts';
import type { GraphNode } from '../../../src/graph/types.ts';

const node = (id: string, config = {}): GraphNode => ({
  id,
  type: 'standard',
  position: { x: 0, y: 0 },
  data: { label: id, category: 'input', nodeType: 'input:text', config },
});
const BOARD: Board = { fields: { name: 'A board' }, nodes: [node('a'), node('b')], edges: [] };
const refusal = (status: number, code: string): ApiError =>
  new ApiError({ status, headers: new Headers(), body: { error: `Refused: ${code}.`, code } });

/** Acts as the service for reads and writes of one workflow. */
function createRemote() {
  const remote = {
    version: 1,
    board: BOARD,
    writes: [] as SaveKind[],
    failure: undefined as Error | undefined,
    state: (): RemoteBoard => structuredClone({ board: remote.board, etag: `"${remote.version}"` }),
    set: (board: Board) => {
      remote.board = board;
      remote.version++;
    },
    write: async (board: Board, etag: string, kind: SaveKind): Promise<RemoteBoard> => {
      await nextTurn();
      if (remote.failure !== undefined) throw remote.failure;
      if (etag !== `"${remote.version}"`) throw refusal(409, 'stale_write');
      remote.writes.push(kind);
      remote.set(structuredClone(board));
      return remote.state();
    },
  };
  return remote;
}

function openBoard(remote: ReturnType<typeof createRemote>) {
  const store = createBoardStore({ board: remote.state().board });
  const states: SaveState['kind'][] = [];
  const exitWrites: Board[] = [];
  const saver = new Saver(remote.state(), {
    read: async () => remote.state(),
    write: remote.write,
    writeAtExit: board => exitWrites.push(board),
    getConflicts: () => store.getState().conflicts,
    getBoard: () => store.getState().board,
    mergeRemote: store.actions.mergeRemote,
    setSaveState: state => {
      store.actions.setSaveState(state);
      states.push(state.kind);
    },
  });
  const edit = (id: string, key: string, value: string): void => {
    store.actions.perform(
      'Change',
      setConfig(store.getState().board, createCatalog([]), id, { [key]: value }),
    );
    saver.notify();
  };
  return {
    store,
    saver,
    states,
    exitWrites,
    edit,
    config: (id: string) => findNode(store.getState().board, id)?.data.config,
  };
}

async function waitTurns(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await nextTurn();
}

describe('Saver', () => {
  let remote: ReturnType<typeof createRemote>;
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
    saver.notify();
    mock.timers.tick(700);
    await waitTurns();
    assert.equal(store.getState().save.kind, 'empty');
    await assert.rejects(saver.flush(), /at least one node/);
    assert.deepEqual(remote.board, BOARD);
    store.actions.perform('Add', add(store.getState().board, { nodes: [node('c')] }));
    saver.notify();
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
    saver.notify();
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
    saver.notify();
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
    await page.saver.refresh();
    mock.timers.tick(10_000);
    await nextTurn();
    assert.equal(page.states.at(-1), 'saved');
    assert.deepEqual(remote.writes, []);
  });

  it('merges a stale save, so that both users have both changes', async () => {
    const [one, two] = [openBoard(remote), openBoard(remote)];
    one.edit('a', 'text', 'one');
    await one.saver.flush();
    two.edit('b', 'text', 'two');
    await two.saver.flush();
    assert.deepEqual(
      remote.board.nodes.map(({ data }) => data.config),
      [{ text: 'one' }, { text: 'two' }],
    );
    await one.saver.refresh();
    assert.deepEqual(one.config('b'), { text: 'two' });
    assert.equal(one.saver.isDirty, false);
  });

  it('does not send my value of a conflict before I choose it', async () => {
    const [one, two] = [openBoard(remote), openBoard(remote)];
    one.edit('a', 'text', 'one');
    await one.saver.flush();
    two.edit('a', 'text', 'two');
    await two.saver.flush();
    const [conflict] = two.store.getState().conflicts;
    assert.deepEqual([conflict?.mine, conflict?.theirs], ['two', 'one']);
    assert.deepEqual(two.store.getState().save, { kind: 'conflicts', count: 1 });
    two.edit('b', 'text', 'more');
    await two.saver.flush();
    assert.deepEqual(
      remote.board.nodes.map(({ data }) => data.config),
      [{ text: 'one' }, { text: 'more' }],
    );
    assert.deepEqual(two.config('a'), { text: 'two' });
    await assert.rejects(two.saver.flushWithoutConflicts(), /Choose which ones to keep/);
    two.saver.saveAtExit();
    assert.deepEqual(two.exitWrites, []);
    assert.ok(conflict);
    two.store.actions.resolveConflict(conflict);
    await two.saver.flushWithoutConflicts();
    assert.deepEqual(remote.board.nodes[0]?.data.config, { text: 'two' });
    assert.equal(two.store.getState().save.kind, 'saved');
  });

  it('updates a conflict to the newest value of the other user', async () => {
    const [one, two] = [openBoard(remote), openBoard(remote)];
    two.edit('a', 'text', 'two');
    for (const text of ['one', 'newer']) {
      one.edit('a', 'text', text);
      await one.saver.flush();
      await two.saver.refresh();
      assert.deepEqual(
        two.store.getState().conflicts.map(({ theirs }) => theirs),
        [text],
      );
    }
    one.edit('a', 'text', 'two');
    await one.saver.flush();
    await two.saver.refresh();
    assert.deepEqual(two.store.getState().conflicts, []);
    assert.equal(two.saver.isDirty, false);
  });

  it('keeps a node at the service that I removed and the other user changed', async () => {
    const edge = { id: 'e', source: 'a', target: 'b', sourceHandle: 'out-text', targetHandle: 'in-value' };
    remote.set({ ...BOARD, edges: [edge] });
    const [one, two] = [openBoard(remote), openBoard(remote)];
    one.edit('a', 'text', 'one');
    await one.saver.flush();
    two.store.actions.perform('Delete', remove(two.store.getState().board, { nodes: ['a'] }));
    two.edit('b', 'text', 'two');
    await two.saver.flush();
    assert.deepEqual(
      remote.board.nodes.map(({ data }) => data.config),
      [{ text: 'one' }, { text: 'two' }],
    );
    assert.deepEqual(remote.board.edges, [edge]);
    const [conflict] = two.store.getState().conflicts;
    assert.ok(conflict);
    two.store.actions.resolveConflict(conflict);
    await two.saver.flush();
    assert.deepEqual(
      remote.board.nodes.map(({ id }) => id),
      ['b'],
    );
  });

  it('does not restore a node at the service that the other user removed and I connected', async () => {
    const [one, two] = [openBoard(remote), openBoard(remote)];
    one.store.actions.perform('Delete', remove(one.store.getState().board, { nodes: ['a'] }));
    await one.saver.flush();
    const edge = { id: 'e', source: 'a', target: 'b', sourceHandle: 'out-text', targetHandle: 'in-value' };
    two.store.actions.perform('Connect', add(two.store.getState().board, { edges: [edge] }));
    await two.saver.flush();
    const idsOf = ({ nodes, edges }: Board): string[] => [...nodes, ...edges].map(({ id }) => id);
    assert.deepEqual(idsOf(remote.board), ['b']);
    assert.deepEqual(idsOf(two.store.getState().board), ['a', 'b', 'e']);
    const [conflict] = two.store.getState().conflicts;
    assert.ok(conflict);
    const { board } = two.store.getState();
    const theirs = computeChanges(board, applyTheirs(board, [conflict], two.saver.base.board));
    two.store.actions.perform('Use theirs', theirs);
    assert.deepEqual(two.store.getState().conflicts, []);
    assert.equal(two.saver.isDirty, false);
    two.store.actions.undo();
    await two.saver.flush();
    assert.deepEqual(idsOf(remote.board), ['a', 'b', 'e']);
  });

  it('does not send a connection that closes a cycle with a connection of the other user', async () => {
    const [one, two] = [openBoard(remote), openBoard(remote)];
    const connect = (source: string, target: string) => ({ id: source + target, source, target });
    one.store.actions.perform('Connect', add(one.store.getState().board, { edges: [connect('a', 'b')] }));
    await one.saver.flush();
    two.store.actions.perform('Connect', add(two.store.getState().board, { edges: [connect('b', 'a')] }));
    await two.saver.flush();
    assert.deepEqual(remote.board.edges, [connect('a', 'b')]);
    assert.equal(two.store.getState().conflicts.length, 1);
    // Still withheld when another change is merged.
    one.edit('a', 'text', 'later');
    await one.saver.flush();
    await two.saver.refresh();
    two.edit('b', 'text', 'mine');
    await two.saver.flush();
    assert.deepEqual(remote.board.edges, [connect('a', 'b')]);
  });

  it('sends unsaved changes when the page closes', () => {
    const { edit, saver, exitWrites, store } = openBoard(remote);
    saver.saveAtExit();
    assert.deepEqual(exitWrites, []);
    edit('a', 'text', 'last');
    saver.saveAtExit();
    assert.deepEqual(exitWrites, [store.getState().board]);
  });

  it('lets undo revert only own edits after a merge', async () => {
    const [one, two] = [openBoard(remote), openBoard(remote)];
    two.edit('a', 'seed', '7');
    one.store.actions.perform('Add', add(one.store.getState().board, { nodes: [node('c')] }));
    one.edit('a', 'text', 'one');
    await one.saver.flush();
    await two.saver.flush();
    await one.saver.refresh();
    one.store.actions.undo();
    assert.deepEqual(one.config('a'), { seed: '7' });
    one.store.actions.undo();
    assert.deepEqual(
      one.store.getState().board.nodes.map(({ id }) => id),
      ['a', 'b'],
    );
    one.store.actions.redo();
    one.store.actions.redo();
    assert.deepEqual(one.config('a'), { seed: '7', text: 'one' });
  });

  it('keeps a board that the service refused and retries at the next change', async () => {
    const { edit, store, saver } = openBoard(remote);
    remote.failure = refusal(400, 'invalid_graph');
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
    saver.notify();
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
    saver.notify();
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
    saver.notify();
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
    remote.failure = refusal(409, 'stale_write');
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

describe('a draft', () => {
  const remote = Promise.resolve({ board: BOARD, etag: '"1"' });

  it('is visible only to its owner and for its workflow', async () => {
    // Other test files store drafts of usr_1 in this process.
    const [mine, others] = [await openDrafts('usr_mine'), await openDrafts('usr_others')];
    const draft = {
      workflowId: 'wf_1',
      board: BOARD,
      history: NO_HISTORY,
      base: { board: BOARD, etag: '"1"' },
      atMs: 5,
    };
    await mine.save({ ...draft, seq: 0 });
    const { writer: _, ...found } = (await mine.find('wf_1', remote)) ?? {};
    assert.deepEqual(found, { ...draft, seq: 0, conflicts: [], sent: [], userId: 'usr_mine' });
    assert.equal(await others.find('wf_1', remote), undefined);
    assert.equal(await mine.find('wf_2', remote), undefined);
    mine.close();
    others.close();
  });

  it('contains the steps after its snapshot, including those of another tab', async () => {
    const [tab, other] = [await openDrafts('usr_steps'), await openDrafts('usr_steps')];
    const store = createBoardStore({ board: BOARD });
    const base = { board: BOARD, etag: '"1"' };
    const saveSnapshot = (seq: number): Promise<void> => {
      const { board, history } = store.getState();
      return tab.save({ workflowId: 'wf_1', board, history, base, atMs: 5, seq });
    };
    let seq = 0;
    const performStep = async (perform: () => void): Promise<void> => {
      perform();
      const { lastStep } = store.getState();
      assert.ok(lastStep);
      await tab.append({ workflowId: 'wf_1', seq: ++seq }, lastStep);
    };
    const type = (text: string) => () =>
      store.actions.perform('Type', setConfig(store.getState().board, createCatalog([]), 'a', { text }));
    await performStep(type('one'));
    await saveSnapshot(seq);
    await performStep(type('two'));
    await performStep(type('three'));
    await performStep(() => store.actions.undo());
    const savedTab = await tab.find('wf_1', remote);
    assert.deepEqual(savedTab?.board, store.getState().board);
    assert.deepEqual(savedTab?.history, store.getState().history);

    const changes = setConfig(BOARD, createCatalog([]), 'b', { text: 'elsewhere' });
    await other.append({ workflowId: 'wf_1', seq: 1 }, { edit: { label: 'Type', changes, atMs: 9 } });
    const both = await other.find('wf_1', remote);
    assert.deepEqual(
      both?.board.nodes.map(({ data }) => data.config),
      [{ text: 'two' }, { text: 'elsewhere' }],
    );
    tab.close();
    other.close();
  });

  describe('with a snapshot from another tab', () => {
    const WORKFLOW = { workflowId: 'wf_1' };
    const setText = (board: Board, text: string): Board =>
      apply(board, setConfig(board, createCatalog([]), 'a', { text }));
    const textOf = (draft: Draft | undefined): unknown => draft?.board.nodes[0]?.data.config?.text;
    const typed = (from: string | undefined, to: string): DraftStep => ({
      edit: {
        label: 'Type',
        changes: setConfig(from === undefined ? BOARD : setText(BOARD, from), createCatalog([]), 'a', {
          text: to,
        }),
        atMs: 0,
      },
    });

    /** Opens the drafts of a new user in three tabs. */
    async function openTabs(userId: string): Promise<{
      readonly tabs: readonly [Drafts, Drafts, Drafts];
      saveSnapshot(tab: Drafts, board: Board): Promise<void>;
      [Symbol.dispose](): void;
    }> {
      const tabs = [await openDrafts(userId), await openDrafts(userId), await openDrafts(userId)] as const;
      return {
        tabs,
        saveSnapshot: async (tab, board) => {
          const draft = { ...WORKFLOW, board, history: NO_HISTORY, base: { board: BOARD, etag: '"1"' } };
          // The steps are older than the snapshot.
          await tab.save({ ...draft, atMs: Date.now() + 1, seq: 0 });
        },
        [Symbol.dispose]: () => {
          for (const tab of tabs) tab.close();
        },
      };
    }

    it('contains the unsaved steps of a closed tab', async () => {
      using opened = await openTabs('usr_shadowed');
      const [closed, open, reopened] = opened.tabs;
      await closed.append({ ...WORKFLOW, seq: 1 }, typed(undefined, 'one'));
      await closed.append({ ...WORKFLOW, seq: 2 }, typed('one', 'two'));
      await opened.saveSnapshot(open, BOARD);
      assert.equal(textOf(await reopened.find('wf_1', remote)), 'two');
    });

    it('keeps what the user changed after the closed tab sent its steps', async () => {
      using opened = await openTabs('usr_later');
      const [closed, open, reopened] = opened.tabs;
      await closed.append({ ...WORKFLOW, seq: 1 }, typed(undefined, 'one'));
      await opened.saveSnapshot(open, setText(BOARD, 'later'));
      assert.equal(textOf(await reopened.find('wf_1', remote)), 'later');
    });

    it('does not repeat saved steps', async () => {
      using opened = await openTabs('usr_saved');
      const [closed, open, reopened] = opened.tabs;
      await closed.append({ ...WORKFLOW, seq: 1 }, typed(undefined, 'one'));
      await closed.append({ ...WORKFLOW, seq: 2 }, { kind: 'sent', conflicts: [] });
      await closed.append({ ...WORKFLOW, seq: 3 }, typed('one', 'two'));
      await closed.append({ ...WORKFLOW, seq: 4 }, { kind: 'saved', etag: '"2"' });
      // The user reverted the saved step.
      await opened.saveSnapshot(open, BOARD);
      assert.equal(textOf(await reopened.find('wf_1', remote)), undefined);
      await opened.saveSnapshot(open, setText(BOARD, 'one'));
      assert.equal(textOf(await reopened.find('wf_1', remote)), 'two');
    });

    it('does not repeat steps that the reopened tab applied', async () => {
      using opened = await openTabs('usr_adopted');
      const [closed, open, reopened] = opened.tabs;
      await closed.append({ ...WORKFLOW, seq: 1 }, typed(undefined, 'one'));
      await opened.saveSnapshot(open, BOARD);
      assert.equal(textOf(await reopened.find('wf_1', remote)), 'one');
      // The user reverted the step.
      await opened.saveSnapshot(reopened, BOARD);
      assert.equal(textOf(await open.find('wf_1', remote)), undefined);
    });
  });
});
