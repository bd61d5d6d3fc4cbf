// Rebases changes that were made on one board onto another: after a merge, undo must not revert what others did. Each
// change finds its item by id and applies only its own difference. Changes whose item is gone are dropped.
import { apply, type Board, type Change } from './board.ts';
import { isSame, mergeItem } from './merge.ts';

/** Returns changes with the meaning of `changes` on this board, or the same changes if nothing else happened to it. */
export function rebase(board: Board, changes: readonly Change[]): readonly Change[] {
  const fitted: Change[] = [];
  let current = board;
  for (const change of changes) {
    const next = rebaseOne(current, change);
    if (next === undefined) continue;
    fitted.push(next);
    current = apply(current, [next]);
  }
  return fitted;
}

function rebaseOne(board: Board, change: Change): Change | undefined {
  if (change.of === 'fields') {
    const before = board.fields[change.key];
    if (isSame(before, change.after)) return undefined;
    const { before: _, ...rest } = change;
    return before === undefined ? rest : { ...rest, before };
  }
  const items: readonly { readonly id: string }[] = board[change.of];
  const id = change.before?.id ?? change.after?.id;
  const index = items[change.index]?.id === id ? change.index : items.findIndex(item => item.id === id);
  const found = items[index];
  if (change.before === undefined) return found === undefined ? rebaseAddition(board, change) : undefined;
  if (found === undefined) return undefined;
  if (change.after === undefined) return { of: change.of, index, before: found } as Change;
  const after = isSame(found, change.before) ? change.after : mergeItem(change.before, change.after, found);
  return { of: change.of, index, before: found, after } as Change;
}

function rebaseAddition(board: Board, change: Exclude<Change, { of: 'fields' }>): Change | undefined {
  const index = Math.min(change.index, board[change.of].length);
  if (change.of === 'nodes') return { ...change, index };
  const ends = [change.after?.source, change.after?.target];
  const hasEnds = ends.every(end => board.nodes.some(({ id }) => id === end));
  return hasEnds ? { ...change, index } : undefined;
}
