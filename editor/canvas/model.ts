// Converts the board to React Flow nodes with known sizes and handles, so that nothing has to be measured.
import { type Node, type NodeHandle, Position as Side } from '@xyflow/react';
import type { Catalog, CatalogEntry, InputDef, OutputDef } from '../../src/graph/catalog.ts';
import { estimateDims, portOffset } from '../../src/graph/dims.ts';
import { resolveEdgePorts } from '../../src/graph/handles.ts';
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import type { Board } from '../board/board.ts';
import { getPorts } from '../board/catalog.ts';
import type { PortRef } from '../board/wiring.ts';

export interface CardPort {
  /** `in-…` or `out-…`. */
  readonly handle: string;
  readonly label: string;
  readonly type: string;
  /** The node does not have this port, but an edge uses it. */
  readonly isUnknown?: true;
}

export interface CardData extends Record<string, unknown> {
  readonly node: GraphNode;
  readonly entry: CatalogEntry | undefined;
  readonly inputs: readonly CardPort[];
  readonly outputs: readonly CardPort[];
  readonly fields: readonly InputDef[];
}
export type CardNode = Node<CardData, 'card' | 'note' | 'group'>;
/** An edge with its ports, declared or inferred, and the type that flows through it. */
export interface ResolvedEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly sourceHandle: string;
  readonly targetHandle: string;
  readonly type: string;
}

export const PORT_PX = 14;

/** Caches its results: unchanged nodes keep their object identity, so that React renders only changed nodes. */
export class Model {
  readonly #catalog: Catalog;
  readonly #cards = new WeakMap<GraphNode, CardNode>();
  readonly #dataCache = new WeakMap<object, { readonly missingPorts: string; readonly data: CardData }>();
  readonly #resolvedEdges = new WeakMap<GraphEdge, CachedEdge>();
  readonly #selectedCards = new WeakMap<CardNode, CardNode>();
  #missingPorts: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Call after `resolvedEdges`, which finds the missing ports that nodes show. */
  cards(nodes: readonly GraphNode[]): readonly CardNode[] {
    return nodes.map(node => this.#getCard(node));
  }

  resolvedEdges({ nodes, edges }: Pick<Board, 'nodes' | 'edges'>): readonly ResolvedEdge[] {
    const byId = new Map(nodes.map(node => [node.id, node]));
    const cachedEdges = edges.flatMap(edge => this.#resolve(edge, byId));
    this.#updateMissingPorts(cachedEdges, byId);
    return cachedEdges.map(({ resolvedEdge }) => resolvedEdge);
  }

  /** Returns the React Flow node of a card. */
  toFlowNode(card: CardNode, isSelected: boolean): CardNode {
    if (!isSelected) return card;
    const selectedCard = this.#selectedCards.get(card) ?? { ...card, selected: true };
    this.#selectedCards.set(card, selectedCard);
    return selectedCard;
  }

  #getCard(node: GraphNode): CardNode {
    const cachedCard = this.#cards.get(node);
    if (cachedCard !== undefined) return cachedCard;
    const missingPorts = this.#missingPorts.get(node.id)?.join() ?? '';
    const cached = this.#dataCache.get(node.data);
    // A moved node keeps its port objects, so that React does not render its card again.
    const data =
      cached?.missingPorts === missingPorts
        ? { ...cached.data, node }
        : toData(this.#catalog, node, this.#missingPorts.get(node.id) ?? []);
    if (cached?.missingPorts !== missingPorts) this.#dataCache.set(node.data, { missingPorts, data });
    const card = toCard(this.#catalog, node, data);
    this.#cards.set(node, card);
    return card;
  }

  // Drops the cached card of each node whose set of missing ports changed.
  #updateMissingPorts(cachedEdges: readonly CachedEdge[], byId: ReadonlyMap<string, GraphNode>): void {
    const portsByNode = Map.groupBy(
      cachedEdges.flatMap(({ missingPorts }) => missingPorts),
      ({ nodeId }) => nodeId,
    );
    const missingPorts = new Map(
      [...portsByNode].map(([id, ports]) => [id, [...new Set(ports.map(({ handle }) => handle))]]),
    );
    for (const id of new Set([...this.#missingPorts.keys(), ...missingPorts.keys()])) {
      const node = byId.get(id);
      const isSame = this.#missingPorts.get(id)?.join() === missingPorts.get(id)?.join();
      if (node !== undefined && !isSame) this.#cards.delete(node);
    }
    this.#missingPorts = missingPorts;
  }

  // The cache depends on the data of both nodes, not on their positions.
  #resolve(edge: GraphEdge, byId: ReadonlyMap<string, GraphNode>): CachedEdge[] {
    const [source, target] = [byId.get(edge.source), byId.get(edge.target)];
    if (source === undefined || target === undefined) return [];
    const ends = [source.data, target.data] as const;
    const cachedEdge = this.#resolvedEdges.get(edge);
    if (cachedEdge?.ends.every((end, index) => end === ends[index])) return [cachedEdge];
    const resolvedEdge = resolveEdge(this.#catalog, edge, source, target);
    const resolved = {
      resolvedEdge,
      ends,
      missingPorts: findMissingPorts(this.#catalog, resolvedEdge, source, target),
    };
    this.#resolvedEdges.set(edge, resolved);
    return [resolved];
  }
}

interface CachedEdge {
  readonly resolvedEdge: ResolvedEdge;
  /** The data of both nodes that the edge was resolved with. */
  readonly ends: readonly unknown[];
  readonly missingPorts: readonly PortRef[];
}

const COMPONENT_TYPES: Readonly<Record<string, 'note' | 'group'>> = {
  stickyNote: 'note',
  groupFrame: 'group',
};
const GROUP_Z = -10;

function toCard(catalog: Catalog, node: GraphNode, data: CardData): CardNode {
  const { width, height } = estimateDims(node, catalog);
  const type = COMPONENT_TYPES[data.entry?.customNodeType ?? node.type] ?? 'card';
  return {
    id: node.id,
    type,
    position: node.position,
    data,
    width,
    height,
    measured: { width, height },
    handles: [...toHandles(data.inputs, 'target', width), ...toHandles(data.outputs, 'source', width)],
    ariaRole: 'group',
    ariaLabel: node.data.label,
    domAttributes: { 'data-node-id': node.id, tabIndex: -1 } as NonNullable<CardNode['domAttributes']>,
    // Presses on the background of a group go to the board.
    ...(type === 'group' ? { zIndex: GROUP_Z, style: { pointerEvents: 'none' } } : {}),
  };
}

function toData(catalog: Catalog, node: GraphNode, missingPorts: readonly string[]): CardData {
  const { inputs, outputs } = getPorts(catalog, node);
  const portsIn = inputs.filter(({ isPort }) => isPort).map(port => toPort('in-', port));
  const portsOut = outputs.filter(({ isPort }) => isPort).map(port => toPort('out-', port));
  return {
    node,
    entry: catalog.find(node.data.nodeType),
    inputs: [...portsIn, ...toUnknownPorts(missingPorts, 'in-')],
    outputs: [...portsOut, ...toUnknownPorts(missingPorts, 'out-')],
    fields: inputs.filter(({ isPort }) => !isPort),
  };
}

const toPort = (prefix: 'in-' | 'out-', { id, label, type }: InputDef | OutputDef): CardPort => ({
  handle: prefix + id,
  label,
  type,
});

const toUnknownPorts = (handles: readonly string[], prefix: string): CardPort[] =>
  handles
    .filter(handle => handle.startsWith(prefix))
    .map(handle => ({ handle, label: handle.slice(prefix.length), type: 'ANY', isUnknown: true }));

function toHandles(ports: readonly CardPort[], type: 'source' | 'target', width: number): NodeHandle[] {
  return ports.map(({ handle }, index) => ({
    id: handle,
    type,
    position: type === 'target' ? Side.Left : Side.Right,
    x: (type === 'target' ? 0 : width) - PORT_PX / 2,
    y: portOffset(index) - PORT_PX / 2,
    width: PORT_PX,
    height: PORT_PX,
  }));
}

function resolveEdge(catalog: Catalog, edge: GraphEdge, source: GraphNode, target: GraphNode): ResolvedEdge {
  const [from, to] = [getPorts(catalog, source), getPorts(catalog, target)];
  const joint =
    edge.sourceHandle && edge.targetHandle ? undefined : resolveEdgePorts(edge, from, to, new Set<string>());
  const sourceHandle = edge.sourceHandle || (joint && `out-${joint.from.id}`) || MISSING_OUT;
  const targetHandle = edge.targetHandle || (joint && `in-${joint.to.id}`) || MISSING_IN;
  const type = from.outputs.find(({ id }) => `out-${id}` === sourceHandle)?.type ?? 'ANY';
  return {
    id: edge.id,
    source: edge.source,
    target: edge.target,
    sourceHandle,
    targetHandle,
    type,
  };
}

const MISSING_OUT = 'out-?';
const MISSING_IN = 'in-?';

/** Returns the ports that the edge uses and its nodes lack. Cards show them, so that every edge is visible. */
function findMissingPorts(
  catalog: Catalog,
  resolvedEdge: ResolvedEdge,
  source: GraphNode,
  target: GraphNode,
): readonly PortRef[] {
  const has = (ports: readonly { id: string; isPort: boolean }[], prefix: string, handle: string): boolean =>
    ports.some(port => port.isPort && prefix + port.id === handle);
  const [out, into] = [resolvedEdge.sourceHandle, resolvedEdge.targetHandle];
  return [
    ...(has(getPorts(catalog, source).outputs, 'out-', out) ? [] : [{ nodeId: source.id, handle: out }]),
    ...(has(getPorts(catalog, target).inputs, 'in-', into) ? [] : [{ nodeId: target.id, handle: into }]),
  ];
}
