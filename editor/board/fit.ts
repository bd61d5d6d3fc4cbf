// Changes that were made on one board, for another: after a merge, undo must not take back what others did. Each change is
// found again by id, its difference alone is applied, and what has lost its ground is left out.
import { apply, type Board, type Change } from './board.ts';
import { isSame, mergeItem } from './merge.ts';

/** The changes that have the meaning of `changes` on this board; the same ones where nothing else happened to it. */
export function fit(board: Board, changes: readonly Change[]): readonly Change[] {
  const fitted: Change[] = [];
  let current = board;
  for (const change of changes) {
    const next = fitOne(current, change);
    if (next === undefined) continue;
    fitted.push(next);
    current = apply(current, [next]);
  }
  return fitted;
}

function fitOne(board: Board, change: Change): Change | undefined {
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
  if (change.before === undefined) return found === undefined ? fitAddition(board, change) : undefined;
  if (found === undefined) return undefined;
  if (change.after === undefined) return { of: change.of, index, before: found } as Change;
  const after = isSame(found, change.before) ? change.after : mergeItem(change.before, change.after, found);
  return { of: change.of, index, before: found, after } as Change;
}

function fitAddition(board: Board, change: Exclude<Change, { of: 'fields' }>): Change | undefined {
  const index = Math.min(change.index, board[change.of].length);
  if (change.of === 'nodes') return { ...change, index };
  const ends = [change.after?.source, change.after?.target];
  const hasEnds = ends.every(end => board.nodes.some(({ id }) => id === end));
  return hasEnds ? { ...change, index } : undefined;
}
