// Merges two people's changes of a board (three-way): by node, by edge, and within a node by position, label and config
// key. Changes of only one side are applied. If both sides changed a value differently, mine stays for now and the
// conflict is reported.
import type { Board } from './board.ts';

/** A value that both sides changed. `path` locates it: ["nodes", id, "config", "prompt"], ["fields", "name"]. */
export interface Conflict {
  readonly path: readonly string[];
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Merged {
  readonly board: Board;
  readonly conflicts: readonly Conflict[];
}

/** `base` is the common ancestor: the version last read from, or written to, the service. */
export function mergeBoards(base: Board, mine: Board, theirs: Board): Merged {
  const conflicts: Conflict[] = [];
  const nodes = mergeItems(['nodes'], base.nodes, mine.nodes, theirs.nodes, conflicts);
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = mergeItems(['edges'], base.edges, mine.edges, theirs.edges, conflicts).filter(edge => {
    const hasEnds = ids.has(edge.source) && ids.has(edge.target);
    if (!hasEnds) conflicts.push(conflict(['edges', edge.id], undefined, edge, undefined));
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
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isSame(item, other[index]))
    );
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every(key => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}

/** Returns `next` with the equal items of `known` reused, which makes later comparisons cheap. */
export function shareItems(known: Board, next: Board): Board {
  return { ...next, nodes: share(known.nodes, next.nodes), edges: share(known.edges, next.edges) };
}

function share<T extends Item>(known: readonly T[], next: readonly T[]): readonly T[] {
  const here = byId(known);
  return next.map(item => {
    const own = here.get(item.id);
    return own !== undefined && isSame(own, item) ? own : item;
  });
}

type Item = { readonly id: string };
type Fields = Readonly<Record<string, unknown>>;

// In my order, followed by the items that they added.
function mergeItems<T extends Item>(
  path: readonly string[],
  base: readonly T[],
  mine: readonly T[],
  theirs: readonly T[],
  conflicts: Conflict[],
): readonly T[] {
  const [was, has] = [byId(base), byId(theirs)];
  const kept = mine.flatMap((item): T[] => {
    const [before, other] = [was.get(item.id), has.get(item.id)];
    if (other === undefined) {
      if (before === undefined || !isSame(before, item)) {
        if (before !== undefined) conflicts.push(conflict([...path, item.id], before, item, undefined));
        return [item];
      }
      return [];
    }
    return [mergeObjects([...path, item.id], before ?? {}, item, other, conflicts) as T];
  });
  const here = byId(mine);
  const added = theirs.filter(item => {
    if (here.has(item.id)) return false;
    const before = was.get(item.id);
    if (before !== undefined && !isSame(before, item))
      conflicts.push(conflict([...path, item.id], before, undefined, item));
    return before === undefined;
  });
  return [...kept, ...added];
}

/** Objects that are merged key by key. Everything else is merged as one value. */
const NESTED = new Set(['data', 'config', 'params']);

function mergeObjects(
  path: readonly string[],
  base: Fields,
  mine: Fields,
  theirs: Fields,
  conflicts: Conflict[],
): Fields {
  if (isSame(mine, theirs) || isSame(base, theirs)) return mine;
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
  if (isSame(mine, theirs) || isSame(base, theirs)) return mine;
  if (isSame(base, mine)) return theirs;
  if (NESTED.has(path.at(-1) ?? '') && isObject(mine) && isObject(theirs))
    return mergeObjects(path, isObject(base) ? base : {}, mine, theirs, conflicts);
  conflicts.push(conflict(path, base, mine, theirs));
  return mine;
}

function conflict(path: readonly string[], base: unknown, mine: unknown, theirs: unknown): Conflict {
  return { path, base, mine, theirs };
}

function byId<T extends Item>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map(item => [item.id, item]));
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
