// Keeps open conflicts: until the user chooses, the board shows my value, and the service keeps theirs.
import { withoutItems } from '../../src/graph/edit.ts';
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { type Board, findEdgeIndex, findNode } from './board.ts';
import { type Conflict, isEqual, mergeNode } from './merge.ts';

/**
 * Returns the board that may be sent to the service: the board with their values in place of disputed ones. `remote` is
 * the service's board, from which a node that I removed is restored with its edges.
 */
export function withTheirs(board: Board, conflicts: readonly Conflict[], remote: Board): Board {
  if (conflicts.length === 0) return board;
  const items = conflicts.filter(({ path }) => path.length === 2);
  const idsOf = (list: string): readonly string[] =>
    items.flatMap(({ path: [of, id = ''] }) => (of === list ? [id] : []));
  // A node that I removed, and one that I removed while a value of it was disputed.
  const restored = new Set(
    conflicts.flatMap(({ path: [list, id = '', ...keys], theirs }) =>
      list === 'nodes' && (keys.length > 0 ? findNode(board, id) === undefined : theirs !== undefined)
        ? [id]
        : [],
    ),
  );
  const lostNodes = idsOf('nodes').filter(id => !restored.has(id));
  const kept = withoutItems(board, { nodes: lostNodes, edges: idsOf('edges') });
  const nodes = restore(kept.nodes, remote.nodes, ({ id }) => restored.has(id)).map(node =>
    setTheirs(node, conflicts),
  );
  const [ids, edgeIds] = [idSet(nodes), new Set(idsOf('edges'))];
  const isRestored = ({ id, source, target }: GraphEdge): boolean =>
    edgeIds.has(id) || restored.has(source) || restored.has(target);
  const edges = restore(kept.edges, remote.edges, isRestored).filter(
    ({ source, target }) => ids.has(source) && ids.has(target),
  );
  return { fields: setFields(board.fields, conflicts), nodes, edges };
}

/**
 * Returns the conflicts that are open after a merge: those that it found, and known ones whose values still differ.
 * `remote` is the service's board.
 */
export function stillOpen(
  known: readonly Conflict[],
  found: readonly Conflict[],
  board: Board,
  remote: Board,
): readonly Conflict[] {
  const kept = known.flatMap((conflict): Conflict[] => {
    const { path, base } = conflict;
    if (found.some(other => isWithin(path, other.path) || isWithin(other.path, path))) return [];
    if (path.length > 2 && !hasItem(remote, path)) return [];
    const theirs = valueAt(remote, path);
    const isNodeOfBoth =
      path[0] === 'nodes' && path.length === 2 && hasItem(board, path) && hasItem(remote, path);
    // They took their change back, so that mine is an ordinary change. An edge that would close a cycle stays disputed.
    const isWithdrawn = isEqual(theirs, base) && !(path[0] === 'edges' && theirs === undefined);
    return isNodeOfBoth || isWithdrawn ? [] : [{ ...conflict, theirs }];
  });
  // A question that is asked again keeps its ancestor, from which a withdrawn change is recognized.
  const bases = new Map(known.map(({ path, base }) => [path.join(' '), base]));
  const again = found.map(conflict => {
    const key = conflict.path.join(' ');
    return bases.has(key) ? { ...conflict, base: bases.get(key) } : conflict;
  });
  return differing([...kept, ...again], board);
}

/** Returns the conflicts whose value on the board still differs from theirs. */
function differing(conflicts: readonly Conflict[], board: Board): readonly Conflict[] {
  const open = conflicts.filter(({ path, theirs }) => !isEqual(valueAt(board, path), theirs));
  return open.length === conflicts.length ? conflicts : open;
}

/**
 * Returns the open conflicts of a board that the user changed. A node that I removed and restored, for example by undo,
 * gets their changes, because the conflict was about the whole node.
 */
export function reconcile(
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
  if (restored.size === 0) return { board, conflicts: differing(conflicts, board) };
  const nodes = board.nodes.map(node => restored.get(node.id) ?? node);
  return { board: { ...board, nodes }, conflicts: differing(open, { ...board, nodes }) };
}

/** Returns the board's value at the path of a conflict. */
export function valueAt(board: Board, [list, id = '', ...keys]: readonly string[]): unknown {
  if (list === 'fields') return board.fields[id as keyof Board['fields']];
  if (list === 'edges') return board.edges[findEdgeIndex(board, id) ?? -1];
  let value: unknown = findNode(board, id);
  for (const key of keys) value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  return value;
}

const hasItem = (board: Board, path: readonly string[]): boolean =>
  path[0] === 'fields' || valueAt(board, path.slice(0, 2)) !== undefined;

const isWithin = (path: readonly string[], outer: readonly string[]): boolean =>
  outer.every((key, index) => path[index] === key);

type Item = { readonly id: string };

const idSet = (items: readonly Item[]): ReadonlySet<string> => new Set(items.map(({ id }) => id));

/** Inserts the wanted items of `remote` that are missing, where they are there. */
function restore<T extends Item>(
  items: readonly T[],
  remote: readonly T[],
  isWanted: (item: T) => boolean,
): readonly T[] {
  const here = idSet(items);
  const restored = [...items];
  for (const [index, item] of remote.entries())
    if (!here.has(item.id) && isWanted(item)) restored.splice(Math.min(index, restored.length), 0, item);
  return restored;
}

function setTheirs(node: GraphNode, conflicts: readonly Conflict[]): GraphNode {
  return conflicts
    .filter(({ path: [list, id, ...keys] }) => list === 'nodes' && id === node.id && keys.length > 0)
    .reduce((changed, { path, theirs }) => setAt(changed, path.slice(2), theirs) as GraphNode, node);
}

function setFields(fields: Board['fields'], conflicts: readonly Conflict[]): Board['fields'] {
  return conflicts
    .filter(({ path }) => path[0] === 'fields')
    .reduce((changed, { path, theirs }) => setAt(changed, path.slice(1), theirs) as Board['fields'], fields);
}

function setAt(value: object, [key = '', ...rest]: readonly string[], next: unknown): object {
  const { [key]: before, ...others } = value as Readonly<Record<string, unknown>>;
  const after = rest.length === 0 ? next : setAt((before ?? {}) as object, rest, next);
  return after === undefined ? others : { ...value, [key]: after };
}
