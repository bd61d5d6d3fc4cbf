// Holds the state of an open board, which the canvas, inspector and toolbar read, and the actions that change it.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type Board, type Change, findEdgeIndex, findNodeIndex, invert } from './board.ts';
import { updateConflicts } from './conflicts.ts';
import { withoutFirstNote } from './first-note.ts';
import {
  type EditState,
  type History,
  type HistoryStep,
  NO_HISTORY,
  perform,
  redo,
  undo,
} from './history.ts';
import type { Conflict } from './merge.ts';
import type { SaveState } from './saver.ts';

export interface BoardState {
  readonly board: Board;
  readonly history: History;
  /** Ids of the selected nodes and edges. The selection is not part of the board. */
  readonly selection: ReadonlySet<string>;
  /** Values that this user and another person both changed, until the user resolves the conflict. */
  readonly conflicts: readonly Conflict[];
  readonly save: SaveState;
  /** The user's last action, for the draft. */
  readonly lastStep: HistoryStep | undefined;
  /** The latest change that another person, tab or program made. The page highlights it. */
  readonly changeOfOthers: { readonly before: Board; readonly after: Board } | undefined;
}

/** Who made the changes that the service returned. A response to a save contains only changes that the save caused. */
export type ChangeSource = 'own save' | 'others';

export interface BoardActions {
  /** Applies changes as one undo step. Consecutive calls with the same `key` are joined, such as typing into one field. */
  perform(label: string, changes: readonly Change[], key?: string): void;
  undo(): void;
  redo(): void;
  select(ids: Iterable<string>): void;
  /** Replaces the board by one with the service's changes, which undo does not revert, and sets the open conflicts. */
  mergeRemote(board: Board, conflicts: readonly Conflict[], origin: ChangeSource): void;
  resolveConflict(conflict: Conflict): void;
  setSaveState(save: SaveState): void;
}

export type BoardStore = StoreApi<BoardState> & { readonly actions: BoardActions };

/**
 * Creates the store. `start` may contain the history and the conflicts of a draft. `rejectEdit` makes the board read-only:
 * it is called instead of each edit.
 */
export function createBoardStore(
  start: Pick<BoardState, 'board'> & Partial<Pick<BoardState, 'history' | 'conflicts'>>,
  rejectEdit?: () => void,
): BoardStore {
  const store = createStore<BoardState>(() => ({
    board: start.board,
    history: start.history ?? NO_HISTORY,
    selection: new Set<string>(),
    conflicts: start.conflicts ?? [],
    save: { kind: 'saved' },
    lastStep: undefined,
    changeOfOthers: undefined,
  }));
  const { getState: get, setState: set } = store;
  const withBoard = (board: Board): Partial<BoardState> => ({
    ...updateConflicts(board, get().conflicts),
    selection: pruneSelection(get().selection, board),
  });
  const setEditState = ({ board, history }: EditState, lastStep: HistoryStep): void =>
    set({ ...withBoard(board), history, lastStep });
  return Object.assign(store, {
    actions: {
      perform: (label: string, changes: readonly Change[], key?: string) => {
        if (changes.length === 0) return;
        if (rejectEdit !== undefined) return rejectEdit();
        const edit = { label, changes: withoutFirstNote(get().board, changes), key, atMs: Date.now() };
        setEditState(perform(get(), edit), { edit });
      },
      // A draft has the history of edits that were made, and saved, while the user could edit.
      undo: () => {
        if (rejectEdit !== undefined) return rejectEdit();
        const undone = undo(get());
        setEditState(undone, { kind: 'undo', changes: invert(undone.history.future.at(-1)?.changes ?? []) });
      },
      redo: () => {
        if (rejectEdit !== undefined) return rejectEdit();
        const redone = redo(get());
        setEditState(redone, { kind: 'redo', changes: redone.history.past.at(-1)?.changes ?? [] });
      },
      select: (ids: Iterable<string>) => set({ selection: new Set(ids) }),
      mergeRemote: (board: Board, conflicts: readonly Conflict[], origin: ChangeSource) =>
        set({
          board,
          selection: pruneSelection(get().selection, board),
          conflicts,
          ...(origin === 'others' ? { changeOfOthers: { before: get().board, after: board } } : {}),
        }),
      resolveConflict: (conflict: Conflict) =>
        set({ conflicts: get().conflicts.filter(other => other !== conflict) }),
      setSaveState: (save: SaveState) => set({ save }),
    },
  });
}

function pruneSelection(selection: ReadonlySet<string>, board: Board): ReadonlySet<string> {
  const exists = (id: string): boolean =>
    findNodeIndex(board, id) !== undefined || findEdgeIndex(board, id) !== undefined;
  const remaining = [...selection].filter(exists);
  return remaining.length === selection.size ? selection : new Set(remaining);
}
