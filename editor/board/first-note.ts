// Removes the note of a new workflow with the edit that adds its first other node.
import type { GraphNode } from '../../src/graph/types.ts';
import { FIRST_NOTE } from '../lib/first-note.ts';
import { apply, type Board, type Change } from './board.ts';
import { remove } from './edits.ts';
import { isEqual } from './merge.ts';

/** The types of nodes that only annotate a board. */
export const ANNOTATION_TYPES: ReadonlySet<string> = new Set(['stickyNote', 'groupFrame']);

const isFirstNote = ({ id, type, data }: GraphNode): boolean =>
  id === FIRST_NOTE.id && type === FIRST_NOTE.type && isEqual(data, FIRST_NOTE.data);

/** Returns the changes, which also remove the note if nobody has changed it and they add a node that is no annotation. */
export function withoutFirstNote(board: Board, changes: readonly Change[]): readonly Change[] {
  const [note] = board.nodes;
  if (board.nodes.length !== 1 || note === undefined || !isFirstNote(note)) return changes;
  const after = apply(board, changes);
  const isReplaced = after.nodes.some(({ type }) => !ANNOTATION_TYPES.has(type));
  if (!isReplaced || !after.nodes.includes(note)) return changes;
  return [...changes, ...remove(after, { nodes: [note.id] })];
}
