// Merges two people's changes of a board (three-way): by node, by edge, and within a node by position, label and config
// key. Changes of only one side are applied. If both sides changed a value differently, the merged board keeps mine and
// the conflict is reported.
import { type GraphEdge, type GraphNode, isObject, type UnknownObject } from '../../src/graph/types.ts';
import type { Board } from './board.ts';

/**
 * A value that both sides changed. `path` locates the value, such as ["nodes", id, "data", "config", "prompt"] or
 * ["fields", "name"]. The path of a whole node or edge is ["nodes", id] or ["edges", id]. An undefined value is absent.
 */
export interface Conflict {
  readonly path: readonly string[];
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface MergeResult {
  readonly board: Board;
  readonly conflicts: readonly Conflict[];
}

/** Merges two versions. `base` is the common ancestor: the version last read from or saved to the service. */
export function mergeBoards(base: Board, mine: Board, theirs: Board): MergeResult {
  const conflicts: Conflict[] = [];
  const nodes = mergeNodes(base, mine, theirs, conflicts);
  const edges = mergeEdges(base, mine, theirs, { nodes, conflicts });
  const fields = mergeObjects(['fields'], base.fields, mine.fields, theirs.fields, conflicts);
  return { board: { fields: fields as Board['fields'], nodes, edges }, conflicts };
}

/** Merges one node. `base` is undefined if both sides added it. */
export function mergeNode(
  base: GraphNode | undefined,
  mine: GraphNode,
  theirs: GraphNode,
): { readonly node: GraphNode; readonly conflicts: readonly Conflict[] } {
  const conflicts: Conflict[] = [];
  const node = mergeObjects(['nodes', mine.id], base ?? {}, mine, theirs, conflicts) as unknown as GraphNode;
  return { node, conflicts };
}

/** Applies the changes from `base` to `mine` to `theirs`. If both sides changed a value, `mine` wins. */
export function mergeItem<T extends { readonly id: string }>(base: T, mine: T, theirs: T): T {
  return mergeObjects(
    [],
    base as UnknownObject,
    mine as UnknownObject,
    theirs as UnknownObject,
    [],
  ) as unknown as T;
}

/** Returns whether two JSON values are equal, regardless of key order. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => isEqual(item, b[index]))
    );
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(key => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  );
}

/** Returns `next`, reusing the objects of `previous` for equal items, which makes later comparisons cheap. */
export function shareItems(previous: Board, next: Board): Board {
  return {
    ...next,
    nodes: shareEqualItems(previous.nodes, next.nodes),
    edges: shareEqualItems(previous.edges, next.edges),
  };
}

function shareEqualItems<T extends Item>(previous: readonly T[], next: readonly T[]): readonly T[] {
  const previousById = byId(previous);
  return next.map(item => {
    const previousItem = previousById.get(item.id);
    return previousItem !== undefined && isEqual(previousItem, item) ? previousItem : item;
  });
}

type Item = { readonly id: string };

// Merges nodes in my order, followed by the nodes that the other person added. The removal of a node conflicts with a
// change of the node and with a new edge at the node.
function mergeNodes(base: Board, mine: Board, theirs: Board, conflicts: Conflict[]): readonly GraphNode[] {
  const [baseById, theirsById] = [byId(base.nodes), byId(theirs.nodes)];
  const [connectedByMe, connectedByThem] = [findNewlyConnected(base, mine), findNewlyConnected(base, theirs)];
  const myNodes = mine.nodes.flatMap((node): GraphNode[] => {
    const path = ['nodes', node.id];
    const [before, other] = [baseById.get(node.id), theirsById.get(node.id)];
    if (other !== undefined)
      return [mergeObjects(path, before ?? {}, node, other, conflicts) as unknown as GraphNode];
    if (before === undefined) return [node];
    if (isEqual(before, node) && !connectedByMe.has(node.id)) return [];
    conflicts.push({ path, base: before, mine: node, theirs: undefined });
    return [node];
  });
  const mineById = byId(mine.nodes);
  const added = theirs.nodes.filter(node => {
    if (mineById.has(node.id)) return false;
    const before = baseById.get(node.id);
    if (before === undefined) return true;
    if (!isEqual(before, node) || connectedByThem.has(node.id))
      conflicts.push({ path: ['nodes', node.id], base: before, mine: undefined, theirs: node });
    return false;
  });
  return [...myNodes, ...added];
}

/** Returns the ids of nodes at edges that were added or changed. */
function findNewlyConnected(base: Board, { edges }: Board): ReadonlySet<string> {
  const baseById = byId(base.edges);
  return new Set(
    edges.flatMap(edge => (isEqual(baseById.get(edge.id), edge) ? [] : [edge.source, edge.target])),
  );
}

interface MergedNodes {
  readonly nodes: readonly GraphNode[];
  readonly conflicts: Conflict[];
}

// Merges each edge as one value, because its source and target must fit each other.
function mergeEdges(
  base: Board,
  mine: Board,
  theirs: Board,
  { nodes, conflicts }: MergedNodes,
): readonly GraphEdge[] {
  const [baseById, mineById, theirsById] = [byId(base.edges), byId(mine.edges), byId(theirs.edges)];
  // Nodes that the other person removed. They stay until the conflict is resolved. A longer path is a removed setting.
  const nodesRemovedByThem = new Set(
    conflicts
      .filter(({ theirs: value, path }) => value === undefined && path.length === 2)
      .map(({ path }) => path[1]),
  );
  const myEdges = mine.edges.flatMap((edge): GraphEdge[] => {
    const [before, other] = [baseById.get(edge.id), theirsById.get(edge.id)];
    if (isEqual(before, edge)) {
      if (other !== undefined) return [other];
      // They removed the edge with its node.
      return nodesRemovedByThem.has(edge.source) || nodesRemovedByThem.has(edge.target) ? [edge] : [];
    }
    if (!isEqual(before, other) && !isEqual(edge, other))
      conflicts.push({ path: ['edges', edge.id], base: before, mine: edge, theirs: other });
    return [edge];
  });
  const added = theirs.edges.filter(edge => {
    if (mineById.has(edge.id)) return false;
    const before = baseById.get(edge.id);
    if (before !== undefined && !isEqual(before, edge))
      conflicts.push({ path: ['edges', edge.id], base: before, mine: undefined, theirs: edge });
    return before === undefined;
  });
  const ids = byId(nodes);
  const merged = [...myEdges, ...added].filter(({ source, target }) => ids.has(source) && ids.has(target));
  // Neither side has a cycle of its own.
  if (theirs.edges.some(edge => !isEqual(baseById.get(edge.id), edge)))
    conflicts.push(...findCycleConflicts(merged, theirsById));
  return merged;
}

/**
 * Returns a conflict for each edge that I added or reconnected and that closes a cycle with their edges. The conflict has
 * no base, because it stays open even if they reconnect their edges as before.
 */
function findCycleConflicts(
  edges: readonly GraphEdge[],
  theirsById: ReadonlyMap<string, GraphEdge>,
): readonly Conflict[] {
  const allowed = edges.filter(edge => isEqual(edge, theirsById.get(edge.id)));
  return edges.flatMap((edge): Conflict[] => {
    const theirs = theirsById.get(edge.id);
    if (isEqual(edge, theirs)) return [];
    if (reaches(allowed, edge.target, edge.source))
      return [{ path: ['edges', edge.id], base: undefined, mine: edge, theirs }];
    allowed.push(edge);
    return [];
  });
}

/** Returns whether a path of edges leads from one node to the other. */
function reaches(edges: readonly GraphEdge[], from: string, to: string): boolean {
  const next = Map.groupBy(edges, ({ source }) => source);
  const seen = new Set([from]);
  for (const id of seen) for (const { target } of next.get(id) ?? []) seen.add(target);
  return seen.has(to);
}

/** Objects that are merged key by key. Everything else is merged as one value. */
const MERGED_BY_KEY = new Set(['data', 'config', 'params']);

function mergeObjects(
  path: readonly string[],
  base: UnknownObject,
  mine: UnknownObject,
  theirs: UnknownObject,
  conflicts: Conflict[],
): UnknownObject {
  if (isEqual(mine, theirs) || isEqual(base, theirs)) return mine;
  const merged: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const value = mergeValue([...path, key], base[key], mine[key], theirs[key], conflicts);
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}

function mergeValue(
  path: readonly string[],
  base: unknown,
  mine: unknown,
  theirs: unknown,
  conflicts: Conflict[],
): unknown {
  if (isEqual(mine, theirs) || isEqual(base, theirs)) return mine;
  if (isEqual(base, mine)) return theirs;
  if (MERGED_BY_KEY.has(path.at(-1) ?? '') && isObject(mine) && isObject(theirs))
    return mergeObjects(path, isObject(base) ? base : {}, mine, theirs, conflicts);
  conflicts.push({ path, base, mine, theirs });
  return mine;
}

function byId<T extends Item>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map(item => [item.id, item]));
}
