// Defines the board (the workflow as the editor holds it) and the changes that modify it.
import type { GraphEdge, GraphNode, Json } from '../../src/graph/types.ts';

/** The fields of a workflow, other than its graph, that the editor changes. */
export const METADATA_KEYS = ['name', 'description', 'tags'] as const;
export type MetadataKey = (typeof METADATA_KEYS)[number];

/** Plain data. Unknown properties of nodes and edges are preserved. */
export interface Board {
  readonly fields: Readonly<Partial<Record<MetadataKey, Json>>>;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/**
 * Adds an item (`before` absent), removes it (`after` absent) or replaces it. `index` is the item's position in the list
 * at the time of the change, so that undo restores the exact order.
 */
export type Change =
  | ItemChange<'nodes', GraphNode>
  | ItemChange<'edges', GraphEdge>
  | { readonly of: 'fields'; readonly key: MetadataKey; readonly before?: Json; readonly after?: Json };

export interface ItemChange<Of extends 'nodes' | 'edges', Item> {
  readonly of: Of;
  readonly index: number;
  readonly before?: Item;
  readonly after?: Item;
}

/** Applies the changes in order. Throws if the item to replace or remove is not at its index, which is a bug in the caller. */
export function apply(board: Board, changes: readonly Change[]): Board {
  const next = { fields: { ...board.fields }, nodes: [...board.nodes], edges: [...board.edges] };
  for (const change of changes) {
    if (change.of === 'fields') setField(next.fields, change.key, change.after);
    else if (change.of === 'nodes') setItem(next.nodes, change);
    else setItem(next.edges, change);
  }
  const changedParts = new Set(changes.map(({ of }) => of));
  return {
    fields: changedParts.has('fields') ? next.fields : board.fields,
    nodes: changedParts.has('nodes') ? next.nodes : board.nodes,
    edges: changedParts.has('edges') ? next.edges : board.edges,
  };
}

/** Returns the changes that undo `changes`. */
export function invert(changes: readonly Change[]): readonly Change[] {
  return changes.toReversed().map(change => {
    const { before, after, ...rest } = change;
    return {
      ...rest,
      ...(after === undefined ? {} : { before: after }),
      ...(before === undefined ? {} : { after: before }),
    } as Change;
  });
}

/** Finds a node by id, with a map built once per list of nodes. */
export function findNode(board: Board, id: string): GraphNode | undefined {
  const index = findNodeIndex(board, id);
  return index === undefined ? undefined : board.nodes[index];
}

/** Returns the index of a node in `nodes`. */
export function findNodeIndex(board: Board, id: string): number | undefined {
  return findIndexById(board.nodes, id);
}

/** Returns the index of an edge in `edges`. */
export function findEdgeIndex(board: Board, id: string): number | undefined {
  return findIndexById(board.edges, id);
}

const indexes = new WeakMap<readonly object[], ReadonlyMap<string, number>>();

function findIndexById(items: readonly { readonly id: string }[], id: string): number | undefined {
  let index = indexes.get(items);
  if (index === undefined) {
    index = new Map(items.map((item, position) => [item.id, position]));
    indexes.set(items, index);
  }
  return index.get(id);
}

function setField(
  fields: Partial<Record<MetadataKey, Json>>,
  key: MetadataKey,
  value: Json | undefined,
): void {
  if (value === undefined) delete fields[key];
  else fields[key] = value;
}

function setItem<Item extends { readonly id: string }>(
  items: Item[],
  { index, before, after }: ItemChange<'nodes' | 'edges', Item>,
): void {
  if (before !== undefined && items[index]?.id !== before.id)
    throw new RangeError(`Expected ${before.id} at index ${index} but found ${items[index]?.id}.`);
  items.splice(index, before === undefined ? 0 : 1, ...(after === undefined ? [] : [after]));
}
