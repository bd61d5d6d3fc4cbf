// Holds the state of an open board, which the canvas, inspector and toolbar read, and the actions that change it.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type Board, type Change, indexOfEdge, indexOfNode } from './board.ts';
import { type History, NO_HISTORY, perform, redo, undo } from './history.ts';
import type { Conflict } from './merge.ts';
import type { SaveState } from './saver.ts';

export interface BoardState {
  readonly board: Board;
  readonly history: History;
  /** Ids of the selected nodes and edges. Selecting does not change the board. */
  readonly selection: ReadonlySet<string>;
  /** Values that this user and another both changed, until one is chosen. */
  readonly conflicts: readonly Conflict[];
  readonly save: SaveState;
}

export interface BoardActions {
  /** Applies one edit, undone as one step. `key` joins consecutive edits, such as typing into one field. */
  perform(label: string, changes: readonly Change[], key?: string): void;
  undo(): void;
  redo(): void;
  select(ids: Iterable<string>): void;
  /** Applies changes of others. Undo does not revert them. */
  mergeRemote(board: Board, conflicts: readonly Conflict[]): void;
  settle(conflict: Conflict): void;
  report(save: SaveState): void;
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
  const show = (board: Board): Partial<BoardState> => ({
    board,
    selection: keepKnown(get().selection, board),
  });
  const step = (moment: { readonly board: Board; readonly history: History }): void =>
    set({ ...show(moment.board), history: moment.history });
  return Object.assign(store, {
    actions: {
      perform: (label: string, changes: readonly Change[], key?: string) => {
        if (changes.length > 0) step(perform(get(), { label, changes, key, atMs: Date.now() }));
      },
      undo: () => step(undo(get())),
      redo: () => step(redo(get())),
      select: (ids: Iterable<string>) => set({ selection: new Set(ids) }),
      mergeRemote: (board: Board, conflicts: readonly Conflict[]) =>
        set({ ...show(board), conflicts: [...get().conflicts, ...conflicts] }),
      settle: (conflict: Conflict) => set({ conflicts: get().conflicts.filter(other => other !== conflict) }),
      report: (save: SaveState) => set({ save }),
    },
  });
}

function keepKnown(selection: ReadonlySet<string>, board: Board): ReadonlySet<string> {
  const isKnown = (id: string): boolean =>
    indexOfNode(board, id) !== undefined || indexOfEdge(board, id) !== undefined;
  const known = [...selection].filter(isKnown);
  return known.length === selection.size ? selection : new Set(known);
}
