// What people do to a board, as changes: pure functions from a board and a wish to the changes that fulfil it.
import type { GraphEdge, GraphNode, Json, JsonObject, NodeData, Position } from '../../src/graph/types.ts';
import { type Board, type Change, type Field, findNode, indexOfEdge, indexOfNode } from './board.ts';

/** Nodes and edges at the end of their lists. */
export function add(
  board: Board,
  {
    nodes = [],
    edges = [],
  }: { readonly nodes?: readonly GraphNode[]; readonly edges?: readonly GraphEdge[] },
): readonly Change[] {
  return [
    ...nodes.map((after, place): Change => ({ of: 'nodes', index: board.nodes.length + place, after })),
    ...edges.map((after, place): Change => ({ of: 'edges', index: board.edges.length + place, after })),
  ];
}

/** Without these nodes and edges, and without the edges of these nodes. Groups forget their lost children. */
export function remove(
  board: Board,
  { nodes = [], edges = [] }: { readonly nodes?: readonly string[]; readonly edges?: readonly string[] },
): readonly Change[] {
  const lost = new Set(nodes);
  const cut = new Set(edges);
  const isLost = (edge: GraphEdge): boolean =>
    cut.has(edge.id) || lost.has(edge.source) || lost.has(edge.target);
  const orphaned = board.nodes
    .filter(node => !lost.has(node.id) && childrenOf(node).some(child => lost.has(child)))
    .map(node => node.id);
  return [
    ...replaceNodes(board, orphaned, node => ({
      ...node,
      data: {
        ...node.data,
        config: { ...node.data.config, childNodeIds: childrenOf(node).filter(child => !lost.has(child)) },
      },
    })),
    ...removals(board.edges, isLost).map((change): Change => ({ of: 'edges', ...change })),
    ...removals(board.nodes, node => lost.has(node.id)).map((change): Change => ({ of: 'nodes', ...change })),
  ];
}

/** Each node at its new place. */
export function move(board: Board, positions: ReadonlyMap<string, Position>): readonly Change[] {
  return replaceNodes(board, [...positions.keys()], node => {
    const { x, y } = positions.get(node.id) ?? node.position;
    return x === node.position.x && y === node.position.y ? node : { ...node, position: { x, y } };
  });
}

/** A node of another size; what was measured of it no longer counts. */
export function resize(
  board: Board,
  id: string,
  { width, height }: { readonly width: number; readonly height: number },
): readonly Change[] {
  return replaceNodes(board, [id], node => {
    const { measured: _, ...kept } = node;
    const style = node.style as { readonly width?: unknown; readonly height?: unknown } | undefined;
    if (style?.width === width && style.height === height) return node;
    return { ...kept, style: { ...style, width, height } } as GraphNode;
  });
}

/** One setting of a node; undefined takes it out, so that the default applies again. */
export function setConfig(board: Board, id: string, key: string, value: Json | undefined): readonly Change[] {
  return replaceNodes(board, [id], node => {
    const { [key]: before, ...rest } = node.data.config ?? {};
    if (value === undefined && before === undefined) return node;
    const config: JsonObject = value === undefined ? rest : { ...node.data.config, [key]: value };
    return { ...node, data: { ...node.data, config } };
  });
}

/** Fields of a node's data other than its settings: label, note, colour. */
export function setData(
  board: Board,
  id: string,
  fields: Readonly<Record<string, unknown>>,
): readonly Change[] {
  return replaceNodes(board, [id], node => ({ ...node, data: { ...node.data, ...fields } as NodeData }));
}

/** A node as `change` makes it, in its place. The same object back means no change. */
export function replaceNodes(
  board: Board,
  ids: readonly string[],
  change: (node: GraphNode) => GraphNode,
): readonly Change[] {
  return ids.flatMap((id): Change[] => {
    const index = indexOfNode(board, id);
    const before = index === undefined ? undefined : board.nodes[index];
    if (index === undefined || before === undefined) return [];
    const after = change(before);
    return after === before ? [] : [{ of: 'nodes', index, before, after }];
  });
}

/** An edge as `change` makes it, in its place. */
export function replaceEdge(
  board: Board,
  id: string,
  change: (edge: GraphEdge) => GraphEdge,
): readonly Change[] {
  const index = indexOfEdge(board, id);
  const before = index === undefined ? undefined : board.edges[index];
  return index === undefined || before === undefined
    ? []
    : [{ of: 'edges', index, before, after: change(before) }];
}

/** A field of the workflow itself. */
export function setField(board: Board, key: Field, after: Json): readonly Change[] {
  const before = board.fields[key];
  return before === after ? [] : [{ of: 'fields', key, after, ...(before === undefined ? {} : { before }) }];
}

/** An id that no node or edge of the board has: the wish itself, or the wish with a number. */
export function freeId(board: Board, wish: string, taken: ReadonlySet<string> = new Set()): string {
  const isTaken = (id: string): boolean =>
    taken.has(id) || findNode(board, id) !== undefined || indexOfEdge(board, id) !== undefined;
  if (!isTaken(wish)) return wish;
  const stem = wish.replace(/-\d+$/, '');
  for (let number = 2; ; number++) if (!isTaken(`${stem}-${number}`)) return `${stem}-${number}`;
}

/** The nodes inside a group frame. */
export function childrenOf(node: GraphNode): readonly string[] {
  const childNodeIds = node.data.config?.childNodeIds;
  return Array.isArray(childNodeIds) ? childNodeIds.filter(id => typeof id === 'string') : [];
}

// From the last to the first, so that each index is right at its moment.
function removals<Item>(
  items: readonly Item[],
  isLost: (item: Item) => boolean,
): readonly { readonly index: number; readonly before: Item }[] {
  return items
    .map((before, index) => ({ before, index }))
    .filter(({ before }) => isLost(before))
    .toReversed();
}

/** Other nodes and edges in place of all that there are. */
export function replaceAll(
  board: Board,
  { nodes, edges }: { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] },
): readonly Change[] {
  const all = (): boolean => true;
  return [
    ...removals(board.edges, all).map((change): Change => ({ of: 'edges', ...change })),
    ...removals(board.nodes, all).map((change): Change => ({ of: 'nodes', ...change })),
    ...add({ fields: board.fields, nodes: [], edges: [] }, { nodes, edges }),
  ];
}
