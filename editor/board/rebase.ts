// Rebases changes of one board onto another, so that undo after a merge does not revert changes of other users. Finds each
// change's item by id and applies only the change's own difference. Drops changes whose item no longer exists.
import { apply, type Board, type Change } from './board.ts';
import { isEqual, mergeItem } from './merge.ts';

/** Returns the changes adapted to this board. */
export function rebase(board: Board, changes: readonly Change[]): readonly Change[] {
  const rebased: Change[] = [];
  let current = board;
  for (const change of changes) {
    const next = rebaseChange(current, change);
    if (next === undefined) continue;
    rebased.push(next);
    current = apply(current, [next]);
  }
  return rebased;
}

function rebaseChange(board: Board, change: Change): Change | undefined {
  if (change.of === 'fields') {
    const before = board.fields[change.key];
    if (isEqual(before, change.after)) return undefined;
    const { before: _, ...rest } = change;
    return before === undefined ? rest : { ...rest, before };
  }
  const items: readonly { readonly id: string }[] = board[change.of];
  const id = change.before?.id ?? change.after?.id;
  const index = items[change.index]?.id === id ? change.index : items.findIndex(item => item.id === id);
  const item = items[index];
  if (change.before === undefined) return item === undefined ? rebaseAddition(board, change) : undefined;
  if (item === undefined) return undefined;
  if (change.after === undefined) return { of: change.of, index, before: item } as Change;
  const after = isEqual(item, change.before) ? change.after : mergeItem(change.before, change.after, item);
  return { of: change.of, index, before: item, after } as Change;
}

function rebaseAddition(board: Board, change: Exclude<Change, { of: 'fields' }>): Change | undefined {
  const index = Math.min(change.index, board[change.of].length);
  if (change.of === 'nodes') return { ...change, index };
  const ends = [change.after?.source, change.after?.target];
  const hasEnds = ends.every(end => board.nodes.some(({ id }) => id === end));
  return hasEnds ? { ...change, index } : undefined;
}
