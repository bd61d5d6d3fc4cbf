// Decides which ports can be connected, for highlighting while connecting and for the palette.
import {
  type Catalog,
  type CatalogEntry,
  canJoin,
  type InputDef,
  type OutputDef,
} from '../../src/graph/catalog.ts';
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import type { Board, Change } from './board.ts';
import { findNode } from './board.ts';
import { portsOf } from './catalog.ts';
import { add, freeId, remove } from './edits.ts';

/** One end of a connection that is being made. */
export interface PortRef {
  readonly nodeId: string;
  /** `in-…` or `out-…`. */
  readonly handle: string;
}

export const isOutput = ({ handle }: PortRef): boolean => handle.startsWith('out-');

/** Whether an edge between the ports is valid: an output and an input of compatible types, without a cycle. */
export function canConnect(board: Board, catalog: Catalog, one: PortRef, other: PortRef): boolean {
  if (isOutput(one) === isOutput(other)) return false;
  const [source, target] = isOutput(one) ? [one, other] : [other, one];
  const from = findPort(board, catalog, source);
  const to = findPort(board, catalog, target) as InputDef | undefined;
  if (from === undefined || to === undefined) return false;
  const wanted = from.type === 'LIST' ? to.type : (to.itemType ?? to.type);
  return canJoin(from.type, wanted) && !reaches(board, target.nodeId, source.nodeId);
}

/** Connects the ports, replacing the input's previous edge. LIST inputs accept several edges. */
export function connect(board: Board, catalog: Catalog, one: PortRef, other: PortRef): readonly Change[] {
  const [source, target] = isOutput(one) ? [one, other] : [other, one];
  const to = findPort(board, catalog, target);
  const old = board.edges.filter(
    edge => edge.target === target.nodeId && edge.targetHandle === target.handle,
  );
  if (old.some(edge => edge.source === source.nodeId && edge.sourceHandle === source.handle)) return [];
  const cut = to?.type === 'LIST' ? [] : remove(board, { edges: old.map(({ id }) => id) });
  const rest = {
    ...board,
    edges: to?.type === 'LIST' ? board.edges : board.edges.filter(e => !old.includes(e)),
  };
  return [...cut, ...add(rest, { edges: [edgeBetween(rest, source, target)] })];
}

export function edgeBetween(board: Board, source: PortRef, target: PortRef): GraphEdge {
  return {
    id: freeId(board, `${source.nodeId}-${target.nodeId}`),
    source: source.nodeId,
    target: target.nodeId,
    sourceHandle: source.handle,
    targetHandle: target.handle,
  };
}

/** Returns the port of a node type that fits the open end of a connection, or undefined. */
export function fittingPort(
  catalog: Catalog,
  board: Board,
  entry: CatalogEntry,
  from: PortRef,
): string | undefined {
  const port = findPort(board, catalog, from);
  if (port === undefined) return undefined;
  if (isOutput(from)) {
    const fits = entry.inputs.filter(({ isPort }) => isPort);
    const found =
      fits.find(({ type }) => type === port.type) ??
      fits.find(to => canJoin(port.type, to.itemType ?? to.type));
    return found && `in-${found.id}`;
  }
  const outputs = entry.outputs.filter(({ isPort }) => isPort);
  const found =
    outputs.find(({ type }) => type === port.type) ?? outputs.find(out => canJoin(out.type, port.type));
  return found && `out-${found.id}`;
}

export function findPort(
  board: Board,
  catalog: Catalog,
  { nodeId, handle }: PortRef,
): InputDef | OutputDef | undefined {
  const node = findNode(board, nodeId);
  if (node === undefined) return undefined;
  const { inputs, outputs } = portsOf(catalog, node);
  const id = handle.replace(/^(?:in|out)-/, '');
  const ports: readonly (InputDef | OutputDef)[] = handle.startsWith('out-') ? outputs : inputs;
  return ports.find(port => port.isPort && port.id === id);
}

/** Whether one node feeds another, directly or through others. */
export function reaches(board: Board, from: string, to: string): boolean {
  const next = nextOf(board.edges);
  const seen = new Set([from]);
  for (const id of seen) {
    if (id === to) return true;
    for (const { target } of next.get(id) ?? []) seen.add(target);
  }
  return false;
}

const grouped = new WeakMap<readonly GraphEdge[], ReadonlyMap<string, readonly GraphEdge[]>>();

/** Groups edges by source, computed once per list because it is needed for every port. */
function nextOf(edges: readonly GraphEdge[]): ReadonlyMap<string, readonly GraphEdge[]> {
  const known = grouped.get(edges) ?? Map.groupBy(edges, ({ source }) => source);
  grouped.set(edges, known);
  return known;
}

/** Orders node ids from producers to consumers, then from top to bottom. This is the Tab order. */
export function wiringOrder(board: Board): readonly string[] {
  const depth = new Map<string, number>();
  const feeds = Map.groupBy(board.edges, ({ target }) => target);
  const visit = (id: string, path: ReadonlySet<string>): number => {
    const known = depth.get(id);
    if (known !== undefined || path.has(id)) return known ?? 0;
    const inner = new Set(path).add(id);
    const value = Math.max(0, ...(feeds.get(id) ?? []).map(({ source }) => visit(source, inner) + 1));
    depth.set(id, value);
    return value;
  };
  const byPlace = (node: GraphNode): readonly number[] => [
    visit(node.id, new Set()),
    node.position.y,
    node.position.x,
  ];
  return board.nodes
    .map(node => ({ id: node.id, place: byPlace(node) }))
    .sort((a, b) => compare(a.place, b.place))
    .map(({ id }) => id);
}

const compare = (one: readonly number[], other: readonly number[]): number =>
  one.map((value, index) => value - (other[index] ?? 0)).find(difference => difference !== 0) ?? 0;
