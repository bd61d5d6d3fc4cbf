// Tests the drafts of boards in IndexedDB: unsaved steps, snapshots, and other tabs.
import 'fake-indexeddb/auto';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apply, type Board, findNode } from '../../../editor/board/board.ts';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { type Draft, type DraftStep, type Drafts, openDrafts } from '../../../editor/board/drafts.ts';
import { setConfig } from '../../../editor/board/edits.ts';
import { NO_HISTORY } from '../../../editor/board/history.ts';
import { createBoardStore } from '../../../editor/board/store.ts';
import { BOARD } from './open-board.ts';

describe('a draft', () => {
  const remote = Promise.resolve({ board: BOARD, etag: '"1"' });

  it('is visible only to its owner and for its workflow', async () => {
    // All tests of a process share a database, so each test has its own users.
    const [ownDrafts, otherDrafts] = [await openDrafts('usr_mine'), await openDrafts('usr_others')];
    const draft = {
      workflowId: 'wf_1',
      board: BOARD,
      history: NO_HISTORY,
      base: { board: BOARD, etag: '"1"' },
      atMs: 5,
    };
    await ownDrafts.save({ ...draft, seq: 0 });
    const { writer: _, ...storedDraft } = (await ownDrafts.find('wf_1', remote)) ?? {};
    assert.deepEqual(storedDraft, { ...draft, seq: 0, conflicts: [], sent: [], userId: 'usr_mine' });
    assert.equal(await otherDrafts.find('wf_1', remote), undefined);
    assert.equal(await ownDrafts.find('wf_2', remote), undefined);
    ownDrafts.close();
    otherDrafts.close();
  });

  it('contains the steps after its snapshot, including those of another tab', async () => {
    const [tab, otherTab] = [await openDrafts('usr_steps'), await openDrafts('usr_steps')];
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
    const draft = await tab.find('wf_1', remote);
    assert.deepEqual(draft?.board, store.getState().board);
    assert.deepEqual(draft?.history, store.getState().history);

    const changes = setConfig(BOARD, createCatalog([]), 'b', { text: 'elsewhere' });
    await otherTab.append({ workflowId: 'wf_1', seq: 1 }, { edit: { label: 'Type', changes, atMs: 9 } });
    const mergedDraft = await otherTab.find('wf_1', remote);
    assert.deepEqual(
      mergedDraft?.board.nodes.map(({ data }) => data.config),
      [{ text: 'two' }, { text: 'elsewhere' }],
    );
    tab.close();
    otherTab.close();
  });

  it('keeps a conflict after a save that left out the conflicting value', async () => {
    const drafts = await openDrafts('usr_conflict');
    const base = { board: BOARD, etag: '"1"' };
    await drafts.save({ workflowId: 'wf_1', board: BOARD, history: NO_HISTORY, base, atMs: 5, seq: 0 });
    const changes = setConfig(BOARD, createCatalog([]), 'a', { prompt: 'mine' });
    const path = ['nodes', 'a', 'data', 'config', 'prompt'];
    const conflict = { path, base: undefined, mine: 'mine', theirs: 'theirs' };
    const steps = [
      { edit: { label: 'Type', changes, atMs: 0 } },
      { kind: 'sent', conflicts: [conflict] },
      { kind: 'saved', etag: '"2"' },
    ] as const;
    for (const [index, step] of steps.entries())
      await drafts.append({ workflowId: 'wf_1', seq: index + 1 }, step);
    const draft = await drafts.find('wf_1', remote);
    assert.equal(draft && findNode(draft.board, 'a')?.data.config?.prompt, 'mine');
    assert.equal(draft && findNode(draft.base.board, 'a')?.data.config?.prompt, 'theirs');
    assert.deepEqual(draft?.conflicts, [conflict]);
    drafts.close();
  });

  describe('with a snapshot from another tab', () => {
    const WORKFLOW = { workflowId: 'wf_1' };
    const setText = (board: Board, text: string): Board =>
      apply(board, setConfig(board, createCatalog([]), 'a', { text }));
    const textOf = (draft: Draft | undefined): unknown => draft?.board.nodes[0]?.data.config?.text;
    const createTypeStep = (from: string | undefined, to: string): DraftStep => ({
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
      using user = await openTabs('usr_shadowed');
      const [closedTab, openTab, reopenedTab] = user.tabs;
      await closedTab.append({ ...WORKFLOW, seq: 1 }, createTypeStep(undefined, 'one'));
      await closedTab.append({ ...WORKFLOW, seq: 2 }, createTypeStep('one', 'two'));
      await user.saveSnapshot(openTab, BOARD);
      assert.equal(textOf(await reopenedTab.find('wf_1', remote)), 'two');
    });

    it('keeps what the user changed after the closed tab sent its steps', async () => {
      using user = await openTabs('usr_later');
      const [closedTab, openTab, reopenedTab] = user.tabs;
      await closedTab.append({ ...WORKFLOW, seq: 1 }, createTypeStep(undefined, 'one'));
      await user.saveSnapshot(openTab, setText(BOARD, 'later'));
      assert.equal(textOf(await reopenedTab.find('wf_1', remote)), 'later');
    });

    it('does not repeat saved steps', async () => {
      using user = await openTabs('usr_saved');
      const [closedTab, openTab, reopenedTab] = user.tabs;
      await closedTab.append({ ...WORKFLOW, seq: 1 }, createTypeStep(undefined, 'one'));
      await closedTab.append({ ...WORKFLOW, seq: 2 }, { kind: 'sent', conflicts: [] });
      await closedTab.append({ ...WORKFLOW, seq: 3 }, createTypeStep('one', 'two'));
      await closedTab.append({ ...WORKFLOW, seq: 4 }, { kind: 'saved', etag: '"2"' });
      // The user reverted the saved step.
      await user.saveSnapshot(openTab, BOARD);
      assert.equal(textOf(await reopenedTab.find('wf_1', remote)), undefined);
      await user.saveSnapshot(openTab, setText(BOARD, 'one'));
      assert.equal(textOf(await reopenedTab.find('wf_1', remote)), 'two');
    });

    it('does not repeat steps that the reopened tab applied', async () => {
      using user = await openTabs('usr_adopted');
      const [closedTab, openTab, reopenedTab] = user.tabs;
      await closedTab.append({ ...WORKFLOW, seq: 1 }, createTypeStep(undefined, 'one'));
      await user.saveSnapshot(openTab, BOARD);
      assert.equal(textOf(await reopenedTab.find('wf_1', remote)), 'one');
      // The user reverted the step.
      await user.saveSnapshot(reopenedTab, BOARD);
      assert.equal(textOf(await openTab.find('wf_1', remote)), undefined);
    });
  });
});
