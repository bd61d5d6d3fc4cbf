// Builds the changes of each kind of edit. None changes the board; new ids are random.
import { withBypass } from '../../src/graph/bypass.ts';
import type { Catalog } from '../../src/graph/catalog.ts';
import { withConfig, withoutItems } from '../../src/graph/edit.ts';
import { withInputNames, withLabel } from '../../src/graph/input-names.ts';
import type { GraphEdge, GraphNode, Json, NodeData, Position } from '../../src/graph/types.ts';
import {
  type Board,
  type Change,
  findEdgeIndex,
  findNode,
  findNodeIndex,
  type ItemChange,
  type MetadataKey,
} from './board.ts';
import { getPorts } from './catalog.ts';

/** Appends nodes and edges. New inputs get a name that no other input has. */
export function add(
  board: Board,
  {
    nodes = [],
    edges = [],
  }: { readonly nodes?: readonly GraphNode[]; readonly edges?: readonly GraphEdge[] },
): readonly Change[] {
  return [
    ...withInputNames(nodes, board.nodes).map(
      (after, offset): Change => ({ of: 'nodes', index: board.nodes.length + offset, after }),
    ),
    ...edges.map((after, offset): Change => ({ of: 'edges', index: board.edges.length + offset, after })),
  ];
}

/** Removes nodes and edges, and the edges of removed nodes. Groups drop removed children. */
export function remove(
  board: Board,
  removedIds: { readonly nodes?: readonly string[]; readonly edges?: readonly string[] },
): readonly Change[] {
  const remaining = withoutItems(board, removedIds);
  const nodes = new Map(remaining.nodes.map(node => [node.id, node]));
  const edges = new Set(remaining.edges);
  return [
    ...replaceNodes(board, [...nodes.keys()], node => nodes.get(node.id) ?? node),
    ...listRemovals('edges', board.edges, edge => !edges.has(edge)),
    ...listRemovals('nodes', board.nodes, ({ id }) => !nodes.has(id)),
  ];
}

/** Moves each node to its new position. */
export function move(board: Board, positions: ReadonlyMap<string, Position>): readonly Change[] {
  return replaceNodes(board, [...positions.keys()], node => {
    const { x, y } = positions.get(node.id) ?? node.position;
    return x === node.position.x && y === node.position.y ? node : { ...node, position: { x, y } };
  });
}

/** Resizes a node and drops its measured size. */
export function resize(
  board: Board,
  id: string,
  { width, height }: { readonly width: number; readonly height: number },
): readonly Change[] {
  return replaceNodes(board, [id], node => {
    const { measured: _, ...nodeWithoutMeasured } = node;
    const style = node.style as { readonly width?: unknown; readonly height?: unknown } | undefined;
    if (style?.width === width && style.height === height) return node;
    return { ...nodeWithoutMeasured, style: { ...style, width, height } } as GraphNode;
  });
}

/**
 * Sets config values of a node. `undefined` removes a value, which restores the default. null does the same, unless the
 * field allows null.
 */
export function setConfig(
  board: Board,
  catalog: Catalog,
  id: string,
  settings: Readonly<Record<string, Json | undefined>>,
): readonly Change[] {
  return replaceNodes(board, [id], node => {
    const isSame = Object.entries(settings).every(([key, value]) => node.data.config?.[key] === value);
    return isSame ? node : withConfig(node, settings, getPorts(catalog, node).inputs);
  });
}

/** Renames the label of a node. An input keeps its name. */
export const setLabel = (board: Board, id: string, label: string): readonly Change[] =>
  replaceNodes(board, [id], node => ({ ...node, data: withLabel(board.nodes, node, label) }));

/** Sets fields of a node's data other than config and label, such as note or color. */
export function setData(
  board: Board,
  id: string,
  fields: Readonly<Record<string, unknown>>,
): readonly Change[] {
  return replaceNodes(board, [id], node => ({ ...node, data: { ...node.data, ...fields } as NodeData }));
}

/** Bypasses the nodes, or restores them. */
export function setBypassed(board: Board, ids: readonly string[], bypassed: boolean): readonly Change[] {
  return replaceNodes(board, ids, node => withBypass(node, bypassed));
}

/** Sets the file of a media input, and removes its media id, which would take precedence. */
export function setMediaUrl(board: Board, id: string, url: string | undefined): readonly Change[] {
  return replaceNodes(board, [id], node => {
    const { mediaId: _, url: __, ...config } = node.data.config ?? {};
    return { ...node, data: { ...node.data, config: url === undefined ? config : { ...config, url } } };
  });
}

/** Replaces each node with the result of `change`, unless `change` returns the same object. */
export function replaceNodes(
  board: Board,
  ids: readonly string[],
  change: (node: GraphNode) => GraphNode,
): readonly Change[] {
  return ids.flatMap((id): Change[] => {
    const index = findNodeIndex(board, id);
    const before = index === undefined ? undefined : board.nodes[index];
    if (index === undefined || before === undefined) return [];
    const after = change(before);
    return after === before ? [] : [{ of: 'nodes', index, before, after }];
  });
}

/** Replaces an edge with the result of `change`. */
export function replaceEdge(
  board: Board,
  id: string,
  change: (edge: GraphEdge) => GraphEdge,
): readonly Change[] {
  const index = findEdgeIndex(board, id);
  const before = index === undefined ? undefined : board.edges[index];
  return index === undefined || before === undefined
    ? []
    : [{ of: 'edges', index, before, after: change(before) }];
}

/** Sets a field of the workflow itself. */
export function setField(board: Board, key: MetadataKey, after: Json): readonly Change[] {
  return changeField(board.fields[key], after, key);
}

/** Returns the preferred id if no node or edge has it, otherwise the id with a number. */
export function findFreeId(
  board: Board,
  preferred: string,
  takenIds: ReadonlySet<string> = new Set(),
): string {
  const isTaken = (id: string): boolean =>
    takenIds.has(id) || findNode(board, id) !== undefined || findEdgeIndex(board, id) !== undefined;
  if (!isTaken(preferred)) return preferred;
  const stem = preferred.replace(/-\d+$/, '');
  for (let number = 2; ; number++) if (!isTaken(`${stem}-${number}`)) return `${stem}-${number}`;
}

/** Returns an id with a random suffix, so that items that two people add at the same time have different ids. */
export function makeNewId(board: Board, stem: string, takenIds?: ReadonlySet<string>): string {
  return findFreeId(board, `${stem}-${Math.random().toString(36).slice(2, 7)}`, takenIds);
}

/** Returns the changes that turn the first board into the second, whose common items have the same order. */
export function computeChanges(before: Board, after: Board): readonly Change[] {
  const ids = { nodes: toIdSet(after.nodes), edges: toIdSet(after.edges) };
  const fields = [...new Set([...Object.keys(before.fields), ...Object.keys(after.fields)])] as MetadataKey[];
  return [
    ...fields.flatMap(key => changeField(before.fields[key], after.fields[key], key)),
    ...listRemovals('edges', before.edges, ({ id }) => !ids.edges.has(id)),
    ...listRemovals('nodes', before.nodes, ({ id }) => !ids.nodes.has(id)),
    ...listReplacements('nodes', before.nodes, after.nodes),
    ...listReplacements('edges', before.edges, after.edges),
  ];
}

const toIdSet = (items: readonly { readonly id: string }[]): ReadonlySet<string> =>
  new Set(items.map(({ id }) => id));

function changeField(before: Json | undefined, after: Json | undefined, key: MetadataKey): readonly Change[] {
  if (before === after) return [];
  return [
    {
      of: 'fields',
      key,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    },
  ];
}

interface Items {
  readonly nodes: GraphNode;
  readonly edges: GraphEdge;
}

/** Lists replaced and inserted items from first to last. Removals must be applied before them. */
function listReplacements<Of extends keyof Items>(
  of: Of,
  before: readonly Items[Of][],
  after: readonly Items[Of][],
): readonly ItemChange<Of, Items[Of]>[] {
  const beforeById = new Map(before.map(item => [item.id, item]));
  return after.flatMap((item, index) => {
    const previous = beforeById.get(item.id);
    if (previous === item) return [];
    return [{ of, index, ...(previous === undefined ? {} : { before: previous }), after: item }];
  });
}

// Lists removed items from last to first, so that each index is valid when its change applies.
function listRemovals<Of extends keyof Items>(
  of: Of,
  items: readonly Items[Of][],
  isRemoved: (item: Items[Of]) => boolean,
): readonly ItemChange<Of, Items[Of]>[] {
  return items
    .map((before, index) => ({ of, index, before }))
    .filter(({ before }) => isRemoved(before))
    .toReversed();
}

/** Replaces all nodes and edges. */
export function replaceAll(
  board: Board,
  { nodes, edges }: { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] },
): readonly Change[] {
  const all = (): boolean => true;
  return [
    ...listRemovals('edges', board.edges, all),
    ...listRemovals('nodes', board.nodes, all),
    ...nodes.map((after, index): Change => ({ of: 'nodes', index, after })),
    ...edges.map((after, index): Change => ({ of: 'edges', index, after })),
  ];
}
