// Rebases changes of one board onto another, so that undo after a merge does not revert changes of other users. Finds each
// change's item by id and applies only the change's own difference. Drops changes whose item no longer exists.
import { apply, type Board, type Change } from './board.ts';
import { isEqual, mergeItem } from './merge.ts';

/** Returns the changes adapted to this board. If a change and the board differ in the same value, the value of `winner` applies. */
export function rebase(
  board: Board,
  changes: readonly Change[],
  winner: 'changes' | 'board' = 'changes',
): readonly Change[] {
  const rebased: Change[] = [];
  let current = board;
  for (const change of changes) {
    const next = rebaseChange(current, change, winner);
    if (next === undefined) continue;
    rebased.push(next);
    current = apply(current, [next]);
  }
  return rebased;
}

function rebaseChange(board: Board, change: Change, winner: 'changes' | 'board'): Change | undefined {
  if (change.of === 'fields') {
    const before = board.fields[change.key];
    if (isEqual(before, change.after)) return undefined;
    if (winner === 'board' && !isEqual(before, change.before)) return undefined;
    const { before: _, ...rest } = change;
    return before === undefined ? rest : { ...rest, before };
  }
  const items: readonly { readonly id: string }[] = board[change.of];
  const id = change.before?.id ?? change.after?.id;
  const index = items[change.index]?.id === id ? change.index : items.findIndex(item => item.id === id);
  const item = items[index];
  if (change.before === undefined) return item === undefined ? rebaseAddition(board, change) : undefined;
  if (item === undefined) return undefined;
  const isUnchanged = isEqual(item, change.before);
  if (change.after === undefined)
    return winner === 'board' && !isUnchanged
      ? undefined
      : ({ of: change.of, index, before: item } as Change);
  const [first, second] = winner === 'board' ? [item, change.after] : [change.after, item];
  const after = isUnchanged ? change.after : mergeItem(change.before, first, second);
  return { of: change.of, index, before: item, after } as Change;
}

function rebaseAddition(board: Board, change: Exclude<Change, { of: 'fields' }>): Change | undefined {
  const index = Math.min(change.index, board[change.of].length);
  if (change.of === 'nodes') return { ...change, index };
  const ends = [change.after?.source, change.after?.target];
  const hasEnds = ends.every(end => board.nodes.some(({ id }) => id === end));
  return hasEnds ? { ...change, index } : undefined;
}
