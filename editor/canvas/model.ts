// Converts the board to React Flow nodes with known sizes and handles, so that nothing has to be measured.
import { type Node, type NodeHandle, Position as Side } from '@xyflow/react';
import type { Catalog, CatalogEntry, InputDef, OutputDef } from '../../src/graph/catalog.ts';
import { estimateDims, portOffset } from '../../src/graph/dims.ts';
import { joinPorts } from '../../src/graph/handles.ts';
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import type { Board } from '../board/board.ts';
import { getPorts } from '../board/catalog.ts';
import type { PortRef } from '../board/wiring.ts';

export interface ShownPort {
  /** `in-…` or `out-…`. */
  readonly handle: string;
  readonly label: string;
  readonly type: string;
  /** An edge uses this port, but the node does not have it. */
  readonly isUnknown?: true;
}

export interface CardData extends Record<string, unknown> {
  readonly node: GraphNode;
  readonly entry: CatalogEntry | undefined;
  readonly inputs: readonly ShownPort[];
  readonly outputs: readonly ShownPort[];
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

/** Caches what it creates: unchanged nodes keep their identity, so that only changed nodes are rendered again. */
export class Model {
  readonly #catalog: Catalog;
  readonly #cards = new WeakMap<GraphNode, CardNode>();
  readonly #datas = new WeakMap<object, { readonly lost: string; readonly data: CardData }>();
  readonly #resolvedEdges = new WeakMap<GraphEdge, CachedEdge>();
  readonly #chosen = new WeakMap<CardNode, CardNode>();
  #lost: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Call after `resolvedEdges`, which determines the additional ports that nodes show. */
  cards(nodes: readonly GraphNode[]): readonly CardNode[] {
    return nodes.map(node => this.#cardOf(node));
  }

  resolvedEdges({ nodes, edges }: Pick<Board, 'nodes' | 'edges'>): readonly ResolvedEdge[] {
    const byId = new Map(nodes.map(node => [node.id, node]));
    const kept = edges.flatMap(edge => this.#resolve(edge, byId));
    this.#markLost(kept, byId);
    return kept.map(({ resolvedEdge }) => resolvedEdge);
  }

  /** Returns the React Flow node of a card. */
  shown(card: CardNode, isSelected: boolean): CardNode {
    if (!isSelected) return card;
    const known = this.#chosen.get(card) ?? { ...card, selected: true };
    this.#chosen.set(card, known);
    return known;
  }

  #cardOf(node: GraphNode): CardNode {
    const known = this.#cards.get(node);
    if (known !== undefined) return known;
    const lost = this.#lost.get(node.id)?.join() ?? '';
    const last = this.#datas.get(node.data);
    // Moved nodes keep their port objects, so that their cards are not rendered again.
    const data =
      last?.lost === lost
        ? { ...last.data, node }
        : toData(this.#catalog, node, this.#lost.get(node.id) ?? []);
    if (last?.lost !== lost) this.#datas.set(node.data, { lost, data });
    const card = toCard(this.#catalog, node, data);
    this.#cards.set(node, card);
    return card;
  }

  // Creates a new card if the set of missing ports that edges use has changed.
  #markLost(kept: readonly CachedEdge[], byId: ReadonlyMap<string, GraphNode>): void {
    const groups = Map.groupBy(
      kept.flatMap(({ lost }) => lost),
      ({ nodeId }) => nodeId,
    );
    const found = new Map(
      [...groups].map(([id, ports]) => [id, [...new Set(ports.map(({ handle }) => handle))]]),
    );
    for (const id of new Set([...this.#lost.keys(), ...found.keys()])) {
      const node = byId.get(id);
      const isSame = this.#lost.get(id)?.join() === found.get(id)?.join();
      if (node !== undefined && !isSame) this.#cards.delete(node);
    }
    this.#lost = found;
  }

  // An edge depends on the definitions of its nodes, not on their positions.
  #resolve(edge: GraphEdge, byId: ReadonlyMap<string, GraphNode>): CachedEdge[] {
    const [source, target] = [byId.get(edge.source), byId.get(edge.target)];
    if (source === undefined || target === undefined) return [];
    const ends = [source.data, target.data] as const;
    const known = this.#resolvedEdges.get(edge);
    if (known?.ends.every((end, index) => end === ends[index])) return [known];
    const resolvedEdge = resolveEdge(this.#catalog, edge, source, target);
    const kept = { resolvedEdge, ends, lost: findMissingPorts(this.#catalog, resolvedEdge, source, target) };
    this.#resolvedEdges.set(edge, kept);
    return [kept];
  }
}

interface CachedEdge {
  readonly resolvedEdge: ResolvedEdge;
  /** The inputs that the cached value was computed from. */
  readonly ends: readonly unknown[];
  readonly lost: readonly PortRef[];
}

const SHELLS: Readonly<Record<string, 'note' | 'group'>> = { stickyNote: 'note', groupFrame: 'group' };
const GROUP_Z = -10;

function toCard(catalog: Catalog, node: GraphNode, data: CardData): CardNode {
  const { width, height } = estimateDims(node, catalog);
  const type = SHELLS[data.entry?.customNodeType ?? node.type] ?? 'card';
  return {
    id: node.id,
    type,
    position: node.position,
    data,
    width,
    height,
    measured: { width, height },
    handles: [...handlesOf(data.inputs, 'target', width), ...handlesOf(data.outputs, 'source', width)],
    ariaRole: 'group',
    ariaLabel: node.data.label,
    domAttributes: { 'data-node-id': node.id, tabIndex: -1 } as NonNullable<CardNode['domAttributes']>,
    // The background of a frame belongs to the board.
    ...(type === 'group' ? { zIndex: GROUP_Z, style: { pointerEvents: 'none' } } : {}),
  };
}

function toData(catalog: Catalog, node: GraphNode, lost: readonly string[]): CardData {
  const { inputs, outputs } = getPorts(catalog, node);
  const portsIn = inputs.filter(({ isPort }) => isPort).map(port => toPort('in-', port));
  const portsOut = outputs.filter(({ isPort }) => isPort).map(port => toPort('out-', port));
  return {
    node,
    entry: catalog.find(node.data.nodeType),
    inputs: [...portsIn, ...unknown(lost, 'in-')],
    outputs: [...portsOut, ...unknown(lost, 'out-')],
    fields: inputs.filter(({ isPort }) => !isPort),
  };
}

const toPort = (prefix: 'in-' | 'out-', { id, label, type }: InputDef | OutputDef): ShownPort => ({
  handle: prefix + id,
  label,
  type,
});

const unknown = (handles: readonly string[], prefix: string): ShownPort[] =>
  handles
    .filter(handle => handle.startsWith(prefix))
    .map(handle => ({ handle, label: handle.slice(prefix.length), type: 'ANY', isUnknown: true }));

function handlesOf(ports: readonly ShownPort[], type: 'source' | 'target', width: number): NodeHandle[] {
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
    edge.sourceHandle && edge.targetHandle ? undefined : joinPorts(edge, from, to, new Set<string>());
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

/** Returns handles that the edge uses and its nodes lack. They are drawn too, so that every edge is visible. */
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
