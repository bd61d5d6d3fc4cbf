// Holds the state of an open board, which the canvas, inspector and toolbar read, and the actions that change it.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type Board, type Change, findEdgeIndex, findNodeIndex } from './board.ts';
import { type History, NO_HISTORY, perform, redo, undo } from './history.ts';
import type { Conflict } from './merge.ts';
import type { SaveState } from './saver.ts';

export interface BoardState {
  readonly board: Board;
  readonly history: History;
  /** Ids of the selected nodes and edges. The selection is not part of the board. */
  readonly selection: ReadonlySet<string>;
  /** Values that this user and someone else both changed, until the user chooses one. */
  readonly conflicts: readonly Conflict[];
  readonly save: SaveState;
}

export interface BoardActions {
  /** Applies one edit, undone as one step. `key` joins consecutive edits, such as typing into one field. */
  perform(label: string, changes: readonly Change[], key?: string): void;
  undo(): void;
  redo(): void;
  select(ids: Iterable<string>): void;
  /** Applies changes by others. Undo does not revert them. */
  mergeRemote(board: Board, conflicts: readonly Conflict[]): void;
  resolveConflict(conflict: Conflict): void;
  setSaveState(save: SaveState): void;
}

export type BoardStore = StoreApi<BoardState> & { readonly actions: BoardActions };

/** `start` may contain the history of a draft that survived a reload. */
export function createBoardStore(start: { readonly board: Board; readonly history?: History }): BoardStore {
  const store = createStore<BoardState>(() => ({
    board: start.board,
    history: start.history ?? NO_HISTORY,
    selection: new Set<string>(),
    conflicts: [],
    save: { kind: 'saved' },
  }));
  const { getState: get, setState: set } = store;
  const withBoard = (board: Board): Partial<BoardState> => ({
    board,
    selection: pruneSelection(get().selection, board),
  });
  const setEditState = (next: { readonly board: Board; readonly history: History }): void =>
    set({ ...withBoard(next.board), history: next.history });
  return Object.assign(store, {
    actions: {
      perform: (label: string, changes: readonly Change[], key?: string) => {
        if (changes.length > 0) setEditState(perform(get(), { label, changes, key, atMs: Date.now() }));
      },
      undo: () => setEditState(undo(get())),
      redo: () => setEditState(redo(get())),
      select: (ids: Iterable<string>) => set({ selection: new Set(ids) }),
      mergeRemote: (board: Board, conflicts: readonly Conflict[]) =>
        set({ ...withBoard(board), conflicts: [...get().conflicts, ...conflicts] }),
      resolveConflict: (conflict: Conflict) =>
        set({ conflicts: get().conflicts.filter(other => other !== conflict) }),
      setSaveState: (save: SaveState) => set({ save }),
    },
  });
}

function pruneSelection(selection: ReadonlySet<string>, board: Board): ReadonlySet<string> {
  const isKnown = (id: string): boolean =>
    findNodeIndex(board, id) !== undefined || findEdgeIndex(board, id) !== undefined;
  const remaining = [...selection].filter(isKnown);
  return remaining.length === selection.size ? selection : new Set(remaining);
}
