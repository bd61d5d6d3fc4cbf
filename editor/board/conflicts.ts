// Manages open conflicts. Until the user resolves a conflict, the board shows the user's value and the service keeps
// the other person's.
import { withoutItems } from '../../src/graph/edit.ts';
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { type Board, findEdgeIndex, findNode } from './board.ts';
import { type Conflict, isEqual, mergeNode } from './merge.ts';

/**
 * Returns the board that may be sent to the service: the other person's values replace the user's values in conflict.
 * Nodes in conflict that the user removed are restored, with their edges, from `remote`, the service's board.
 */
export function applyTheirs(board: Board, conflicts: readonly Conflict[], remote: Board): Board {
  if (conflicts.length === 0) return board;
  const items = conflicts.filter(({ path }) => path.length === 2);
  const listIds = (list: string): readonly string[] =>
    items.flatMap(({ path: [of, id = ''] }) => (of === list ? [id] : []));
  // Nodes that the user removed, although the other person changed them or one of their values is in conflict.
  const restored = new Set(
    conflicts.flatMap(({ path: [list, id = '', ...keys], theirs }) =>
      list === 'nodes' && (keys.length > 0 ? findNode(board, id) === undefined : theirs !== undefined)
        ? [id]
        : [],
    ),
  );
  const removedNodes = listIds('nodes').filter(id => !restored.has(id));
  const remaining = withoutItems(board, { nodes: removedNodes, edges: listIds('edges') });
  const nodes = insertMissing(remaining.nodes, remote.nodes, ({ id }) => restored.has(id)).map(node =>
    applyTheirsToNode(node, conflicts),
  );
  const [ids, edgeIds] = [toIdSet(nodes), new Set(listIds('edges'))];
  const isRestored = ({ id, source, target }: GraphEdge): boolean =>
    edgeIds.has(id) || restored.has(source) || restored.has(target);
  const edges = insertMissing(remaining.edges, remote.edges, isRestored).filter(
    ({ source, target }) => ids.has(source) && ids.has(target),
  );
  return { fields: applyTheirsToFields(board.fields, conflicts), nodes, edges };
}

/**
 * Returns the conflicts that are open after a merge: those that the merge detected, and earlier ones whose values still
 * differ. `remote` is the service's board.
 */
export function findOpenConflicts(
  previous: readonly Conflict[],
  detected: readonly Conflict[],
  board: Board,
  remote: Board,
): readonly Conflict[] {
  const stillOpen = previous.flatMap((conflict): Conflict[] => {
    const { path, base } = conflict;
    if (detected.some(other => isWithin(path, other.path) || isWithin(other.path, path))) return [];
    if (path.length > 2 && !hasItem(remote, path)) return [];
    const theirs = getValueAt(remote, path);
    const isNodeOfBoth =
      path[0] === 'nodes' && path.length === 2 && hasItem(board, path) && hasItem(remote, path);
    // If the other person reverted their change, only the user's change is left. An edge that would close a cycle stays in conflict.
    const isWithdrawn = isEqual(theirs, base) && !(path[0] === 'edges' && theirs === undefined);
    return isNodeOfBoth || isWithdrawn ? [] : [{ ...conflict, theirs }];
  });
  // A conflict that is detected again keeps its original base, so that a reverted change is recognized.
  const bases = new Map(previous.map(({ path, base }) => [path.join(' '), base]));
  const redetected = detected.map(conflict => {
    const key = conflict.path.join(' ');
    return bases.has(key) ? { ...conflict, base: bases.get(key) } : conflict;
  });
  return dropResolved([...stillOpen, ...redetected], board);
}

/** Drops conflicts whose value on the board equals the other person's. */
function dropResolved(conflicts: readonly Conflict[], board: Board): readonly Conflict[] {
  const open = conflicts.filter(({ path, theirs }) => !isEqual(getValueAt(board, path), theirs));
  return open.length === conflicts.length ? conflicts : open;
}

/**
 * Updates the conflicts after the user changed the board. If the user restores a removed node, such as by undo, merges the
 * other person's changes into the node, because the conflict was about the whole node.
 */
export function updateConflicts(
  board: Board,
  conflicts: readonly Conflict[],
): { readonly board: Board; readonly conflicts: readonly Conflict[] } {
  const restored = new Map<string, GraphNode>();
  const open = conflicts.flatMap((conflict): readonly Conflict[] => {
    const { path, base, theirs } = conflict;
    const node = path[0] === 'nodes' && path.length === 2 ? findNode(board, path[1] ?? '') : undefined;
    if (node === undefined || theirs === undefined) return [conflict];
    const merged = mergeNode(base as GraphNode | undefined, node, theirs as GraphNode);
    restored.set(node.id, merged.node);
    return merged.conflicts;
  });
  if (restored.size === 0) return { board, conflicts: dropResolved(conflicts, board) };
  const nodes = board.nodes.map(node => restored.get(node.id) ?? node);
  return { board: { ...board, nodes }, conflicts: dropResolved(open, { ...board, nodes }) };
}

/** Returns the board's value at the path of a conflict. */
export function getValueAt(board: Board, [list, id = '', ...keys]: readonly string[]): unknown {
  if (list === 'fields') return board.fields[id as keyof Board['fields']];
  if (list === 'edges') return board.edges[findEdgeIndex(board, id) ?? -1];
  let value: unknown = findNode(board, id);
  for (const key of keys) value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  return value;
}

const hasItem = (board: Board, path: readonly string[]): boolean =>
  path[0] === 'fields' || getValueAt(board, path.slice(0, 2)) !== undefined;

const isWithin = (path: readonly string[], outer: readonly string[]): boolean =>
  outer.every((key, index) => path[index] === key);

type Item = { readonly id: string };

const toIdSet = (items: readonly Item[]): ReadonlySet<string> => new Set(items.map(({ id }) => id));

/** Inserts the missing items that `isIncluded` selects, at their index in `remote`. */
function insertMissing<T extends Item>(
  items: readonly T[],
  remote: readonly T[],
  isIncluded: (item: T) => boolean,
): readonly T[] {
  const presentIds = toIdSet(items);
  const restored = [...items];
  for (const [index, item] of remote.entries())
    if (!presentIds.has(item.id) && isIncluded(item))
      restored.splice(Math.min(index, restored.length), 0, item);
  return restored;
}

function applyTheirsToNode(node: GraphNode, conflicts: readonly Conflict[]): GraphNode {
  return conflicts
    .filter(({ path: [list, id, ...keys] }) => list === 'nodes' && id === node.id && keys.length > 0)
    .reduce((changed, { path, theirs }) => setValueAt(changed, path.slice(2), theirs) as GraphNode, node);
}

function applyTheirsToFields(fields: Board['fields'], conflicts: readonly Conflict[]): Board['fields'] {
  return conflicts
    .filter(({ path }) => path[0] === 'fields')
    .reduce(
      (changed, { path, theirs }) => setValueAt(changed, path.slice(1), theirs) as Board['fields'],
      fields,
    );
}

function setValueAt(value: object, [key = '', ...rest]: readonly string[], next: unknown): object {
  const { [key]: before, ...others } = value as Readonly<Record<string, unknown>>;
  const after = rest.length === 0 ? next : setValueAt((before ?? {}) as object, rest, next);
  return after === undefined ? others : { ...value, [key]: after };
}
