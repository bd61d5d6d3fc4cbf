// Implements undo and redo with lists of invertible changes. The history is plain data, so that a draft can store it.
import { apply, type Board, type Change, invert } from './board.ts';
import { rebase } from './rebase.ts';

/** The changes of one user action. They are undone together. */
export interface Edit {
  /** Shown to the user, such as "Move 3 nodes". */
  readonly label: string;
  readonly changes: readonly Change[];
  /** Consecutive edits with the same key are joined, such as typing into a field or pressing arrow keys. */
  readonly key?: string | undefined;
  readonly atMs: number;
}

export interface History {
  readonly past: readonly Edit[];
  readonly future: readonly Edit[];
}

export interface EditState {
  readonly board: Board;
  readonly history: History;
}

/** An action of the user: an edit, or an undo or redo with the changes that it made. */
export type HistoryStep =
  | { readonly edit: Edit }
  | { readonly kind: 'undo' | 'redo'; readonly changes: readonly Change[] };

export const NO_HISTORY: History = { past: [], future: [] };
export const MAX_EDITS = 500;
/** Edits with the same key are joined if they are at most this far apart. */
const JOIN_WITHIN_MS = 1000;

/** Applies an edit and clears the redo list. An edit without changes does nothing. */
export function perform({ board, history }: EditState, edit: Edit): EditState {
  if (edit.changes.length === 0) return { board, history };
  const last = history.past.at(-1);
  const isContinuation =
    last !== undefined &&
    edit.key !== undefined &&
    edit.key === last.key &&
    edit.atMs - last.atMs <= JOIN_WITHIN_MS;
  const past = isContinuation
    ? [...history.past.slice(0, -1), { ...edit, changes: joinChanges(last.changes, edit.changes) }]
    : [...history.past, edit].slice(-MAX_EDITS);
  return { board: apply(board, edit.changes), history: { past, future: [] } };
}

/** Undoes the last edit. Returns the same state if there is none. */
export function undo({ board, history }: EditState): EditState {
  const edit = history.past.at(-1);
  if (edit === undefined) return { board, history };
  const changes = rebase(board, invert(edit.changes));
  const undone = { ...edit, changes: invert(changes) };
  return {
    board: apply(board, changes),
    history: { past: history.past.slice(0, -1), future: [...history.future, undone] },
  };
}

/** Redoes the edit that was undone last. */
export function redo({ board, history }: EditState): EditState {
  const edit = history.future.at(-1);
  if (edit === undefined) return { board, history };
  const changes = rebase(board, edit.changes);
  return {
    board: apply(board, changes),
    history: { past: [...history.past, { ...edit, changes }], future: history.future.slice(0, -1) },
  };
}

// Joins replacements of the same item, so that typing a long text remains one change.
function joinChanges(earlier: readonly Change[], later: readonly Change[]): readonly Change[] {
  const joined = [...earlier];
  for (const change of later) {
    const last = joined.at(-1);
    if (last !== undefined && canJoin(last, change))
      joined[joined.length - 1] = { ...last, ...pickAfter(change) } as Change;
    else joined.push(change);
  }
  return joined;
}

function pickAfter(change: Change): Pick<Change, 'after'> {
  return change.after === undefined ? {} : { after: change.after };
}

function canJoin(earlier: Change, later: Change): boolean {
  if (earlier.after === undefined || later.before === undefined || later.after === undefined) return false;
  if (earlier.of === 'fields' || later.of === 'fields')
    return earlier.of === 'fields' && later.of === 'fields' && earlier.key === later.key;
  return earlier.of === later.of && earlier.index === later.index && earlier.after.id === later.after.id;
}
