// Expands calls of components: all of them for a run, or one of them for good.
import type { Catalog } from '../catalog.ts';
import { completeEdges } from '../complete.ts';
import { readChildIds } from '../edit.ts';
import { findLegacyParent } from '../layout/groups.ts';
import type { Graph, GraphEdge, GraphNode, Position } from '../types.ts';
import { isCall } from './calls.ts';
import { readComponentTree, type TreeOptions } from './component-tree.ts';
import { flattenTree } from './flatten.ts';

/**
 * Returns the plain graph that a run executes: the nodes of a call have the ids `<call>/<inner>`, and what is connected
 * to the call is connected to them. An input that outer edges feed disappears; others stay, with the value that the
 * call gives them. `workflowId` is that of the graph. Throws ComponentError.
 */
export function expandGraph(
  graph: Graph,
  catalog: Catalog,
  find: TreeOptions['find'],
  workflowId?: string,
): Graph {
  const tree = readComponentTree(graph, { catalog, isExpanded: isCall, find, workflowId });
  return tree.calls.size === 0 ? graph : flattenTree(tree, { catalog, isForRun: true });
}

/**
 * Returns the graph with one call replaced by the nodes of its component, under new ids, where the call was. Calls
 * inside the component stay calls. Throws ComponentError.
 */
export function unpackCall(graph: Graph, callId: string, inner: Graph, catalog: Catalog): Graph {
  const call = graph.nodes.find(node => node.id === callId);
  if (call === undefined) return graph;
  const find = (): Graph => inner;
  const tree = readComponentTree(graph, { catalog, isExpanded: node => node === call, find });
  const flat = flattenTree(tree, { catalog, isForRun: false });
  const kept = new Set(graph.nodes);
  const added = flat.nodes.filter(node => !kept.has(node));
  const ids = chooseIds(added, callId, new Set(graph.nodes.map(({ id }) => id)));
  const rename = (id: string): string => ids.get(id) ?? id;
  const inGroups = new Set(inner.nodes.flatMap(readChildIds));
  const topIds = added
    .filter(({ id }) => !inGroups.has(id.slice(callId.length + 1)))
    .map(({ id }) => rename(id));
  const shift = getShift(
    call.position,
    added.filter(node => findLegacyParent(node) === undefined),
  );
  const nodes = flat.nodes.map(node =>
    kept.has(node)
      ? withChildren(node, ids => ids.flatMap(id => (id === callId ? topIds : [id])))
      : moveInto(node, callId, rename, shift),
  );
  // Edges that name no port stay, too.
  const connected = new Set(flat.edges);
  const outerRest = graph.edges.filter(
    edge => !connected.has(edge) && edge.source !== callId && edge.target !== callId,
  );
  const wired = new Set(tree.calls.get(callId)?.tree.wires.map(({ edge }) => edge));
  const innerRest = inner.edges
    .filter(edge => !wired.has(edge))
    .map(edge => ({ ...edge, source: `${callId}/${edge.source}`, target: `${callId}/${edge.target}` }))
    .filter(({ source, target }) => ids.has(source) && ids.has(target));
  const edges = [...flat.edges, ...innerRest].map(edge => {
    if (!ids.has(edge.source) && !ids.has(edge.target)) return edge;
    const { id: _, ...unnamed } = edge;
    return { ...unnamed, source: rename(edge.source), target: rename(edge.target) };
  });
  return { nodes, edges: completeEdges([...edges, ...outerRest]) as readonly GraphEdge[] };
}

/** Returns new ids by path: the inner id if no node has it, else the path with a dash. */
function chooseIds(
  added: readonly GraphNode[],
  callId: string,
  taken: Set<string>,
): ReadonlyMap<string, string> {
  return new Map(
    added.map(({ id }) => {
      const innerId = id.slice(callId.length + 1);
      let freeId = innerId;
      for (let count = 1; taken.has(freeId); count++)
        freeId = count === 1 ? `${callId}-${innerId}` : `${callId}-${innerId}-${count}`;
      taken.add(freeId);
      return [id, freeId];
    }),
  );
}

/** Returns the way from the top left corner of the nodes to the position. */
function getShift({ x, y }: Position, nodes: readonly GraphNode[]): Position {
  if (nodes.length === 0) return { x: 0, y: 0 };
  const [left, top] = (['x', 'y'] as const).map(axis =>
    nodes.reduce((min, { position }) => Math.min(min, position[axis]), Number.POSITIVE_INFINITY),
  ) as [number, number];
  return { x: x - left, y: y - top };
}

function moveInto(
  node: GraphNode,
  callId: string,
  rename: (path: string) => string,
  shift: Position,
): GraphNode {
  const toId = (innerId: string): string => rename(`${callId}/${innerId}`);
  const parent = findLegacyParent(node);
  const { position } = node;
  const { parentNode: _, ...moved } = withChildren(node, ids => ids.map(toId));
  // The position in a legacy group is relative to the group.
  return parent === undefined
    ? { ...moved, id: rename(node.id), position: { x: position.x + shift.x, y: position.y + shift.y } }
    : { ...moved, id: rename(node.id), parentId: toId(parent) };
}

/** Changes the ids of the nodes inside a group. */
function withChildren(node: GraphNode, change: (ids: readonly string[]) => readonly string[]): GraphNode {
  const ids = readChildIds(node);
  const childNodeIds = change(ids);
  if (ids.length === 0 || ids.every((id, index) => id === childNodeIds[index])) return node;
  return { ...node, data: { ...node.data, config: { ...node.data.config, childNodeIds } } };
}
