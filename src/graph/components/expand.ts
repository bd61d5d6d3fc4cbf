// Expands calls of components: all calls for a run, or one call permanently.
import { isBypassed } from '../bypass.ts';
import type { Catalog } from '../catalog.ts';
import { completeEdges } from '../complete.ts';
import { getChildIds } from '../edit.ts';
import { findLegacyParent } from '../layout/groups.ts';
import type { Graph, GraphEdge, GraphNode, Position } from '../types.ts';
import { isComponentCall } from './calls.ts';
import { readComponentTree, type TreeOptions } from './component-tree.ts';
import { flattenTree, measureEdges } from './flatten.ts';

/** A graph without calls. */
export interface ExpandedGraph {
  readonly graph: Graph;
  /** At least the size of the graph as JSON text. */
  readonly characters: number;
}

/**
 * Returns the graph that a run executes. The nodes of a component get the ids `<call>/<inner>`, and the edges of the
 * call connect them directly. Input nodes that outer edges feed disappear. Other input nodes stay, with the value
 * that the call sets. Bypassed calls stay calls, which a plan leaves out. Throws ComponentError.
 */
export function expandGraph(graph: Graph, options: Omit<TreeOptions, 'isExpanded'>): ExpandedGraph {
  const isExpanded = (node: GraphNode): boolean => isComponentCall(node) && !isBypassed(node);
  const tree = readComponentTree(graph, { ...options, isExpanded });
  const { characters, calls } = tree;
  if (calls.size === 0) return { graph, characters };
  const flatGraph = flattenTree(tree, { catalog: options.catalog, isForRun: true });
  return { graph: flatGraph, characters: characters + measureEdges(flatGraph.edges) };
}

/**
 * Returns the graph with one call replaced by the nodes of its component, under new ids, where the call was. Calls
 * inside the component stay calls. Throws ComponentError.
 */
export function unpackCall(graph: Graph, callId: string, inner: Graph, catalog: Catalog): Graph {
  const call = graph.nodes.find(node => node.id === callId);
  if (call === undefined) return graph;
  const tree = readComponentTree(graph, {
    catalog,
    isExpanded: node => node === call,
    findGraph: () => inner,
    // A graph with one call is at most twice as large as a stored graph.
    measure: () => 0,
  });
  const flatGraph = flattenTree(tree, { catalog, isForRun: false });
  const outerNodes = new Set(graph.nodes);
  const innerNodes = flatGraph.nodes.filter(node => !outerNodes.has(node));
  const ids = chooseIds(innerNodes, callId, new Set(graph.nodes.map(({ id }) => id)));
  const rename = (id: string): string => ids.get(id) ?? id;
  const groupedIds = new Set(inner.nodes.flatMap(getChildIds));
  const topLevelIds = innerNodes
    .filter(({ id }) => !groupedIds.has(id.slice(callId.length + 1)))
    .map(({ id }) => rename(id));
  const offset = getOffset(
    call.position,
    innerNodes.filter(node => findLegacyParent(node) === undefined),
  );
  const nodes = flatGraph.nodes.map(node =>
    outerNodes.has(node)
      ? mapChildIds(node, ids => ids.flatMap(id => (id === callId ? topLevelIds : [id])))
      : toOuterNode(node, callId, rename, offset),
  );
  // Edges that connect no ports stay too.
  const flatEdges = new Set(flatGraph.edges);
  const otherOuterEdges = graph.edges.filter(
    edge => !flatEdges.has(edge) && edge.source !== callId && edge.target !== callId,
  );
  const connectedEdges = new Set(tree.calls.get(callId)?.tree.connectedEdges.map(({ edge }) => edge));
  const otherInnerEdges = inner.edges
    .filter(edge => !connectedEdges.has(edge))
    .map(edge => ({ ...edge, source: `${callId}/${edge.source}`, target: `${callId}/${edge.target}` }))
    .filter(({ source, target }) => ids.has(source) && ids.has(target));
  const edges = [...flatGraph.edges, ...otherInnerEdges].map(edge => {
    if (!ids.has(edge.source) && !ids.has(edge.target)) return edge;
    const { id: _, ...unnamed } = edge;
    return { ...unnamed, source: rename(edge.source), target: rename(edge.target) };
  });
  return { nodes, edges: completeEdges([...edges, ...otherOuterEdges]) as readonly GraphEdge[] };
}

/** Returns the new id of each node by its path: the inner id if it is free, else `<call>-<inner>`. */
function chooseIds(
  innerNodes: readonly GraphNode[],
  callId: string,
  usedIds: Set<string>,
): ReadonlyMap<string, string> {
  return new Map(
    innerNodes.map(({ id }) => {
      const innerId = id.slice(callId.length + 1);
      let freeId = innerId;
      for (let count = 1; usedIds.has(freeId); count++)
        freeId = count === 1 ? `${callId}-${innerId}` : `${callId}-${innerId}-${count}`;
      usedIds.add(freeId);
      return [id, freeId];
    }),
  );
}

/** Returns the offset that moves the top left corner of the nodes to the position. */
function getOffset({ x, y }: Position, nodes: readonly GraphNode[]): Position {
  if (nodes.length === 0) return { x: 0, y: 0 };
  const [left, top] = (['x', 'y'] as const).map(axis =>
    nodes.reduce((min, { position }) => Math.min(min, position[axis]), Number.POSITIVE_INFINITY),
  ) as [number, number];
  return { x: x - left, y: y - top };
}

function toOuterNode(
  node: GraphNode,
  callId: string,
  rename: (path: string) => string,
  offset: Position,
): GraphNode {
  const toId = (innerId: string): string => rename(`${callId}/${innerId}`);
  const parent = findLegacyParent(node);
  const { position } = node;
  const { parentNode: _, ...moved } = mapChildIds(node, ids => ids.map(toId));
  // The position in a legacy group is relative to the group.
  return parent === undefined
    ? { ...moved, id: rename(node.id), position: { x: position.x + offset.x, y: position.y + offset.y } }
    : { ...moved, id: rename(node.id), parentId: toId(parent) };
}

/** Returns the group with changed ids of the nodes inside it. */
function mapChildIds(node: GraphNode, change: (ids: readonly string[]) => readonly string[]): GraphNode {
  const ids = getChildIds(node);
  const childNodeIds = change(ids);
  if (ids.length === 0 || ids.every((id, index) => id === childNodeIds[index])) return node;
  return { ...node, data: { ...node.data, config: { ...node.data.config, childNodeIds } } };
}
