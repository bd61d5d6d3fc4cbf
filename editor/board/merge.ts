// Merges two versions of a board three-way: by node, by edge, and within a node by position, label and config key. A
// change of one side is applied. If both sides changed a value differently, the merge keeps mine and reports a conflict.
import type { Board } from './board.ts';

/** A value that both sides changed. `path` locates it: ["nodes", id, "config", "prompt"], ["fields", "name"]. */
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

/** `base` is the common ancestor: the version last read from or saved to the service. */
export function mergeBoards(base: Board, mine: Board, theirs: Board): MergeResult {
  const conflicts: Conflict[] = [];
  const nodes = mergeItems(['nodes'], base.nodes, mine.nodes, theirs.nodes, conflicts);
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = mergeItems(['edges'], base.edges, mine.edges, theirs.edges, conflicts).filter(edge => {
    const hasEnds = ids.has(edge.source) && ids.has(edge.target);
    if (!hasEnds) conflicts.push(toConflict(['edges', edge.id], undefined, edge, undefined));
    return hasEnds;
  });
  const fields = mergeObjects(['fields'], base.fields, mine.fields, theirs.fields, conflicts);
  return { board: { fields: fields as Board['fields'], nodes, edges }, conflicts };
}

/** Applies the difference between `base` and `mine` to theirs. Mine wins if both changed a value. */
export function mergeItem<T extends { readonly id: string }>(base: T, mine: T, theirs: T): T {
  return mergeObjects([], base as Fields, mine as Fields, theirs as Fields, []) as unknown as T;
}

/** Whether two JSON values are equal, regardless of key order. */
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
type Fields = Readonly<Record<string, unknown>>;

// Returns the items in my order, followed by the items that they added.
function mergeItems<T extends Item>(
  path: readonly string[],
  base: readonly T[],
  mine: readonly T[],
  theirs: readonly T[],
  conflicts: Conflict[],
): readonly T[] {
  const [baseById, theirsById] = [byId(base), byId(theirs)];
  const mineMerged = mine.flatMap((item): T[] => {
    const [before, theirItem] = [baseById.get(item.id), theirsById.get(item.id)];
    if (theirItem === undefined) {
      if (before === undefined || !isEqual(before, item)) {
        if (before !== undefined) conflicts.push(toConflict([...path, item.id], before, item, undefined));
        return [item];
      }
      return [];
    }
    return [mergeObjects([...path, item.id], before ?? {}, item, theirItem, conflicts) as T];
  });
  const mineById = byId(mine);
  const addedByThem = theirs.filter(item => {
    if (mineById.has(item.id)) return false;
    const before = baseById.get(item.id);
    if (before !== undefined && !isEqual(before, item))
      conflicts.push(toConflict([...path, item.id], before, undefined, item));
    return before === undefined;
  });
  return [...mineMerged, ...addedByThem];
}

/** Keys of objects that are merged key by key. Other values are merged as a whole. */
const NESTED = new Set(['data', 'config', 'params']);

function mergeObjects(
  path: readonly string[],
  base: Fields,
  mine: Fields,
  theirs: Fields,
  conflicts: Conflict[],
): Fields {
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
  if (NESTED.has(path.at(-1) ?? '') && isObject(mine) && isObject(theirs))
    return mergeObjects(path, isObject(base) ? base : {}, mine, theirs, conflicts);
  conflicts.push(toConflict(path, base, mine, theirs));
  return mine;
}

function toConflict(path: readonly string[], base: unknown, mine: unknown, theirs: unknown): Conflict {
  return { path, base, mine, theirs };
}

function byId<T extends Item>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map(item => [item.id, item]));
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
