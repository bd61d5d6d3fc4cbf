// Decides which ports can be connected, connects them, and sorts connected nodes.
import {
  type Catalog,
  canFeed,
  type InputDef,
  type OutputDef,
  type ResolvedPorts,
} from '../../src/graph/catalog.ts';
import { withEdge } from '../../src/graph/edit.ts';
import { type EdgePorts, getSide, resolveEdges, toHandle, toPortId } from '../../src/graph/handles.ts';
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import { apply, type Board, type Change, findNode } from './board.ts';
import { getPorts } from './catalog.ts';
import { add, remove } from './edits.ts';

/** A port of a node, as one end of a connection. */
export interface PortRef {
  readonly nodeId: string;
  /** `in-…` or `out-…`. */
  readonly handle: string;
}

export const isOutput = ({ handle }: PortRef): boolean => getSide(handle) === 'out';

/** Returns whether an edge can connect the ports: an output and an input of compatible types, without a cycle. */
export const canConnect = (board: Board, catalog: Catalog, first: PortRef, second: PortRef): boolean =>
  checkConnection(board, catalog, first, second) === undefined;

/** Why a connection cannot end at a port. */
export type Rejection =
  | { readonly reason: 'side' | 'cycle' }
  /** The input takes other values than the output gives. `type` is that of the port where the connection would end. */
  | { readonly reason: 'takes' | 'gives'; readonly type: string };

/** Returns why the connection cannot go from the first port to the second. Undefined if it can, or if a port is unknown. */
export function findRejection(
  board: Board,
  catalog: Catalog,
  first: PortRef,
  second: PortRef,
): Rejection | undefined {
  if (first.nodeId === second.nodeId && first.handle === second.handle) return undefined;
  const rejection = checkConnection(board, catalog, first, second);
  return rejection === 'unknown port' ? undefined : rejection;
}

/** Returns why the connection cannot go from the first port to the second, or undefined if it can. */
function checkConnection(
  board: Board,
  catalog: Catalog,
  first: PortRef,
  second: PortRef,
): Rejection | 'unknown port' | undefined {
  if (isOutput(first) === isOutput(second)) return { reason: 'side' };
  const [source, target] = isOutput(first) ? [first, second] : [second, first];
  const from = findPort(board, catalog, source);
  const to = findPort(board, catalog, target) as InputDef | undefined;
  if (from === undefined || to === undefined) return 'unknown port';
  if (!fits(from, to))
    return second === target
      ? { reason: 'takes', type: to.itemType ?? to.type }
      : { reason: 'gives', type: from.type };
  return reaches(board, target.nodeId, source.nodeId) ? { reason: 'cycle' } : undefined;
}

/** Returns whether values of the output can go to the input. */
export function fits(from: Pick<InputDef, 'type'>, to: Pick<InputDef, 'type' | 'itemType'>): boolean {
  return canFeed(from.type, from.type === 'LIST' ? to.type : (to.itemType ?? to.type));
}

/** Connects the ports, replacing the input's previous edge. LIST inputs accept several edges. */
export function connectPorts(
  board: Board,
  catalog: Catalog,
  first: PortRef,
  second: PortRef,
): readonly Change[] {
  const [source, target] = isOutput(first) ? [first, second] : [second, first];
  const edge = {
    source: source.nodeId,
    target: target.nodeId,
    sourceHandle: source.handle,
    targetHandle: target.handle,
  };
  const edges = withEdge(board, edge, node => getPorts(catalog, node));
  if (edges === board.edges) return [];
  const remainingEdges = new Set(edges);
  const removals = remove(board, {
    edges: board.edges.filter(edge => !remainingEdges.has(edge)).map(({ id }) => id),
  });
  return [...removals, ...add(apply(board, removals), { edges: edges.slice(-1) })];
}

/** Returns the first of the ports that fits the open end of a connection, or undefined. */
export function findFittingPort(
  catalog: Catalog,
  board: Board,
  ports: Pick<ResolvedPorts, 'inputs' | 'outputs'>,
  from: PortRef,
): string | undefined {
  const port = findPort(board, catalog, from);
  if (port === undefined) return undefined;
  if (isOutput(from)) {
    const inputs = ports.inputs.filter(({ isPort }) => isPort);
    const match = inputs.find(({ type }) => type === port.type) ?? inputs.find(input => fits(port, input));
    return match && toHandle('in', match.id);
  }
  const outputs = ports.outputs.filter(({ isPort }) => isPort);
  const match = outputs.find(({ type }) => type === port.type) ?? outputs.find(output => fits(output, port));
  return match && toHandle('out', match.id);
}

export function findPort(
  board: Board,
  catalog: Catalog,
  { nodeId, handle }: PortRef,
): InputDef | OutputDef | undefined {
  const node = findNode(board, nodeId);
  if (node === undefined) return undefined;
  const { inputs, outputs } = getPorts(catalog, node);
  const id = toPortId(handle);
  const ports: readonly (InputDef | OutputDef)[] = getSide(handle) === 'out' ? outputs : inputs;
  return ports.find(port => port.isPort && port.id === id);
}

/** An edge with the ports that a run connects. */
export type Wire = EdgePorts & { readonly edge: GraphEdge };

/** Returns the edges that connect ports. */
export const listWires = (board: Board, catalog: Catalog): readonly Wire[] => [
  ...resolveEdges(board.edges, id => {
    const node = findNode(board, id);
    return node && getPorts(catalog, node);
  }),
];

/** Returns the first edge to the input: one that names it, or else one without a handle that a run connects to it. */
export function findIncomingEdge(
  board: Board,
  catalog: Catalog,
  nodeId: string,
  portId: string,
): GraphEdge | undefined {
  const edges = board.edges.filter(({ target }) => target === nodeId);
  const namingEdge = edges.find(({ targetHandle }) => targetHandle === toHandle('in', portId));
  if (namingEdge !== undefined || edges.every(({ targetHandle }) => targetHandle)) return namingEdge;
  return listWires({ ...board, edges }, catalog).find(({ to }) => to.id === portId)?.edge;
}

/** Returns whether a path of edges leads from one node to the other. */
export function reaches(board: Board, from: string, to: string): boolean {
  const edgesBySource = groupBySource(board.edges);
  const visited = new Set([from]);
  for (const id of visited) {
    if (id === to) return true;
    for (const { target } of edgesBySource.get(id) ?? []) visited.add(target);
  }
  return false;
}

const groupsCache = new WeakMap<readonly GraphEdge[], ReadonlyMap<string, readonly GraphEdge[]>>();

/** Groups edges by source. Caches the groups of each list, because this function is called for every port. */
function groupBySource(edges: readonly GraphEdge[]): ReadonlyMap<string, readonly GraphEdge[]> {
  const groups = groupsCache.get(edges) ?? Map.groupBy(edges, ({ source }) => source);
  groupsCache.set(edges, groups);
  return groups;
}

/** Returns node ids in Tab order: from producers to consumers, then from top to bottom. */
export function getTabOrder(board: Board): readonly string[] {
  const depths = new Map<string, number>();
  const edgesByTarget = Map.groupBy(board.edges, ({ target }) => target);
  const getDepth = (id: string, path: ReadonlySet<string>): number => {
    const knownDepth = depths.get(id);
    if (knownDepth !== undefined || path.has(id)) return knownDepth ?? 0;
    const extendedPath = new Set(path).add(id);
    const incoming = edgesByTarget.get(id) ?? [];
    const depth = Math.max(0, ...incoming.map(({ source }) => getDepth(source, extendedPath) + 1));
    depths.set(id, depth);
    return depth;
  };
  const toSortKey = (node: GraphNode): readonly number[] => [
    getDepth(node.id, new Set()),
    node.position.y,
    node.position.x,
  ];
  return board.nodes
    .map(node => ({ id: node.id, sortKey: toSortKey(node) }))
    .sort((a, b) => compare(a.sortKey, b.sortKey))
    .map(({ id }) => id);
}

const compare = (a: readonly number[], b: readonly number[]): number =>
  a.map((value, index) => value - (b[index] ?? 0)).find(difference => difference !== 0) ?? 0;
