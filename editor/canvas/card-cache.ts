// Converts the board to React Flow nodes with known sizes and handles, so that nothing has to be measured.

import { type Node, type NodeHandle, Position as Side } from '@xyflow/react';
import { findPassingInput, isBypassed } from '../../src/graph/bypass.ts';
import { getChangedSettings, getMainFields } from '../../src/graph/card-fields.ts';
import type { Catalog, CatalogEntry, InputDef, OutputDef } from '../../src/graph/catalog.ts';
import { isComponentCall } from '../../src/graph/components/calls.ts';
import { getDims, getPortOffset, NODE_BOX } from '../../src/graph/dims.ts';
import { getSide, type PortSide, toHandle, toPortId } from '../../src/graph/handles.ts';
import type { GraphEdge, GraphNode } from '../../src/graph/types.ts';
import type { Board } from '../board/board.ts';
import { getComponentName } from '../board/call.ts';
import { getPorts } from '../board/catalog.ts';
import { getControlKind } from '../board/control-kind.ts';
import { setDrawnSize } from '../board/node-size.ts';
import { listWires, type PortRef, type Wire } from '../board/wiring.ts';
import { messages as componentMessages } from '../component-messages.ts';
import { messages } from '../flow-messages.ts';
import { hasPreview, layoutCard } from './card-parts.ts';

export interface CardPort {
  /** `in-…` or `out-…`. */
  readonly handle: string;
  readonly label: string;
  readonly type: string;
  /** Whether an edge uses this port, but the node does not have it. */
  readonly isUnknown?: true;
}

export interface FlowNodeData extends Record<string, unknown> {
  readonly node: GraphNode;
  readonly entry: CatalogEntry | undefined;
  /** The name of the type, or of the component that the node calls. */
  readonly typeLabel: string;
  readonly inputs: readonly CardPort[];
  readonly outputs: readonly CardPort[];
  /** The outputs of a bypassed node, with the inputs whose values they pass on, by their index. */
  readonly passes: readonly { readonly input: number; readonly output: number }[];
  /** The fields that the node shows and no connection sets. */
  readonly fields: readonly InputDef[];
  /** Other settings that differ from their default. */
  readonly changed: readonly InputDef[];
}
export type FlowNode = Node<FlowNodeData, 'card' | 'note' | 'group'>;
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

/** Caches cards and edges: unchanged nodes keep their object identity, so that React renders only changed nodes. */
export class CardCache {
  readonly #catalog: Catalog;
  readonly #cards = new WeakMap<GraphNode, { readonly resultHeight: number; readonly card: FlowNode }>();
  readonly #fittedCards = new WeakMap<FlowNode, { readonly resultHeight: number; readonly card: FlowNode }>();
  readonly #dataCache = new WeakMap<object, { readonly ports: string; readonly data: FlowNodeData }>();
  readonly #resolvedEdges = new WeakMap<GraphEdge, CachedEdge>();
  readonly #selectedCards = new WeakMap<FlowNode, FlowNode>();
  #usedPorts: ReadonlyMap<string, UsedPorts> = new Map();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Returns the card of each node. Call this method after `resolveEdges`, which finds the ports that edges use. */
  toFlowNodes(
    nodes: readonly GraphNode[],
    resultHeights: ReadonlyMap<string, number> = new Map(),
  ): readonly FlowNode[] {
    const cards = nodes.map(node => this.#getCard(node, resultHeights.get(node.id) ?? 0));
    if (resultHeights.size === 0) return cards;
    return cards.map(card => {
      const wanted = resultHeights.get(card.id);
      const height = wanted === undefined ? undefined : fitResult(card, cards, wanted);
      return height === wanted || height === undefined ? card : this.#getFittedCard(card, height);
    });
  }

  /** Returns the card with a shorter result, which does not cover the card below. */
  #getFittedCard(card: FlowNode, resultHeight: number): FlowNode {
    const cached = this.#fittedCards.get(card);
    const fitted =
      cached?.resultHeight === resultHeight
        ? cached.card
        : toCard(this.#catalog, card.data.node, card.data, resultHeight);
    this.#fittedCards.set(card, { resultHeight, card: fitted });
    // The layout leaves space for the whole result.
    setDrawnSize(card.data.node, toSize(fitted), toSize(card));
    return fitted;
  }

  resolveEdges({ nodes, edges }: Pick<Board, 'nodes' | 'edges'>): readonly ResolvedEdge[] {
    const byId = new Map(nodes.map(node => [node.id, node]));
    const hasHandles = edges.every(edge => edge.sourceHandle && edge.targetHandle);
    const wires = hasHandles ? [] : listWires({ fields: {}, nodes, edges }, this.#catalog);
    const wireByEdge = new Map(wires.map(wire => [wire.edge, wire]));
    const cachedEdges = edges.flatMap(edge => this.#resolve(edge, byId, wireByEdge.get(edge)));
    this.#updateUsedPorts(cachedEdges, byId);
    return cachedEdges.map(({ resolvedEdge }) => resolvedEdge);
  }

  /** Returns the React Flow node of a card. */
  withSelected(card: FlowNode, isSelected: boolean): FlowNode {
    if (!isSelected) return card;
    const selectedCard = this.#selectedCards.get(card) ?? { ...card, selected: true };
    this.#selectedCards.set(card, selectedCard);
    return selectedCard;
  }

  #getCard(node: GraphNode, resultHeight: number): FlowNode {
    const cachedCard = this.#cards.get(node);
    if (cachedCard?.resultHeight === resultHeight) return cachedCard.card;
    const used = this.#usedPorts.get(node.id) ?? NO_PORTS;
    const ports = used.key;
    const cached = this.#dataCache.get(node.data);
    // A moved node keeps its port objects, so that React does not render its card again.
    const data = cached?.ports === ports ? { ...cached.data, node } : toData(this.#catalog, node, used);
    if (cached?.ports !== ports) this.#dataCache.set(node.data, { ports, data });
    const card = toCard(this.#catalog, node, data, resultHeight);
    setDrawnSize(node, toSize(card));
    this.#cards.set(node, { resultHeight, card });
    return card;
  }

  // Drops the cached cards of nodes whose connected or missing ports changed.
  #updateUsedPorts(cachedEdges: readonly CachedEdge[], byId: ReadonlyMap<string, GraphNode>): void {
    const ports = new Map<string, { connected: string[]; missing: string[] }>();
    const getUsedPorts = (id: string): { connected: string[]; missing: string[] } => {
      const entry = ports.get(id) ?? { connected: [], missing: [] };
      ports.set(id, entry);
      return entry;
    };
    for (const { resolvedEdge, missingPorts } of cachedEdges) {
      getUsedPorts(resolvedEdge.target).connected.push(resolvedEdge.targetHandle);
      for (const { nodeId, handle } of missingPorts) getUsedPorts(nodeId).missing.push(handle);
    }
    const usedPorts = new Map(
      [...ports].map(([id, { connected, missing }]) => {
        const unique = [...new Set(missing)];
        return [id, { connected, missing: unique, key: `${connected.join()} ${unique.join()}` }];
      }),
    );
    for (const id of new Set([...this.#usedPorts.keys(), ...usedPorts.keys()])) {
      const node = byId.get(id);
      const isSame = this.#usedPorts.get(id)?.key === usedPorts.get(id)?.key;
      if (node !== undefined && !isSame) this.#cards.delete(node);
    }
    this.#usedPorts = usedPorts;
  }

  // Resolves an edge. The cache depends on the data of both nodes and on the ports, not on positions.
  #resolve(
    edge: GraphEdge,
    byId: ReadonlyMap<string, GraphNode>,
    wire: Wire | undefined,
  ): readonly CachedEdge[] {
    const [source, target] = [byId.get(edge.source), byId.get(edge.target)];
    if (source === undefined || target === undefined) return [];
    const sourceHandle = edge.sourceHandle || (wire && toHandle('out', wire.from.id)) || MISSING_OUT;
    const targetHandle = edge.targetHandle || (wire && toHandle('in', wire.to.id)) || MISSING_IN;
    const key = [source.data, target.data, sourceHandle, targetHandle];
    const cachedEdge = this.#resolvedEdges.get(edge);
    if (cachedEdge?.key.every((part, index) => part === key[index])) return [cachedEdge];
    const { outputs } = getPorts(this.#catalog, source);
    const type = outputs.find(({ id }) => toHandle('out', id) === sourceHandle)?.type ?? 'ANY';
    const { id } = edge;
    const resolvedEdge = { id, source: source.id, target: target.id, sourceHandle, targetHandle, type };
    const missingPorts = findMissingPorts(this.#catalog, resolvedEdge, source, target);
    const resolved = { resolvedEdge, key, missingPorts };
    this.#resolvedEdges.set(edge, resolved);
    return [resolved];
  }
}

const toSize = ({
  width = 0,
  height = 0,
}: FlowNode): { readonly width: number; readonly height: number } => ({
  width,
  height,
});

/** Minimum height of a result, even if the result covers a card. */
const MIN_RESULT = 162;
const CARD_GAP = 12;

/** Returns the height of a result up to the nearest card below, at least `MIN_RESULT` and at most `wanted`. */
function fitResult(card: FlowNode, cards: readonly FlowNode[], wanted: number): number {
  if (wanted <= MIN_RESULT) return wanted;
  const { x, y } = card.position;
  const { width, height } = toSize(card);
  const top = y + height - wanted;
  let bottom = y + height;
  for (const other of cards) {
    const start = other.position.y - CARD_GAP;
    const isBelow = start >= top && start < bottom && other !== card && other.type !== 'group';
    if (isBelow && other.position.x < x + width && other.position.x + toSize(other).width > x) bottom = start;
  }
  return Math.max(MIN_RESULT, wanted - (y + height - bottom));
}

/** The ports of a node that edges use: inputs, and ports that the node does not have. */
interface UsedPorts {
  readonly connected: readonly string[];
  readonly missing: readonly string[];
  /** Identifies this combination of ports. */
  readonly key: string;
}
const NO_PORTS: UsedPorts = { connected: [], missing: [], key: ' ' };

interface CachedEdge {
  readonly resolvedEdge: ResolvedEdge;
  /** The data of both nodes, and the handles. */
  readonly key: readonly unknown[];
  readonly missingPorts: readonly PortRef[];
}

const FLOW_NODE_TYPES: Readonly<Record<string, 'note' | 'group'>> = {
  stickyNote: 'note',
  groupFrame: 'group',
};
const GROUP_Z = -10;

function toCard(catalog: Catalog, node: GraphNode, data: FlowNodeData, resultHeight: number): FlowNode {
  const { width, height: givenHeight, source } = getDims(node, catalog);
  const type = FLOW_NODE_TYPES[data.entry?.customNodeType ?? node.type] ?? 'card';
  const result = Math.max(resultHeight, resultHeight === 0 && hasPreview(data) ? NODE_BOX.preview : 0);
  const content = type === 'card' ? layoutCard(data).resultY + result + NODE_BOX.padding : givenHeight;
  // A stored size may be too small for the card's content.
  const height = source === 'estimated' ? content : Math.max(givenHeight, content);
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
    domAttributes: { 'data-node-id': node.id, tabIndex: -1 } as NonNullable<FlowNode['domAttributes']>,
    // Presses on the background of a group go to the board.
    ...(type === 'group' ? { zIndex: GROUP_Z, style: { pointerEvents: 'none' } } : {}),
  };
}

function toData(catalog: Catalog, node: GraphNode, { connected, missing }: UsedPorts): FlowNodeData {
  const { inputs, outputs } = getPorts(catalog, node);
  const portsIn = inputs.filter(({ isPort }) => isPort).map(port => toPort('in', port));
  const portsOut = outputs.filter(({ isPort }) => isPort).map(port => toPort('out', port));
  const fields = getMainFields(inputs).filter(field => FACE_CONTROLS.has(getControlKind(field) ?? ''));
  const entry = catalog.find(node.data.nodeType);
  return {
    node,
    entry,
    typeLabel: getTypeLabel(node, entry),
    inputs: [...portsIn, ...toUnknownPorts(missing, 'in')],
    outputs: [...portsOut, ...toUnknownPorts(missing, 'out')],
    passes: isBypassed(node) ? listPasses(inputs, outputs, connected) : [],
    fields: fields.filter(({ id, isPort }) => !isPort || !connected.includes(toHandle('in', id))),
    changed: getChangedSettings(node.data, inputs, fields),
  };
}

function listPasses(
  inputs: readonly InputDef[],
  outputs: readonly OutputDef[],
  connected: readonly string[],
): FlowNodeData['passes'] {
  const countConnections = ({ id }: InputDef) =>
    connected.filter(handle => handle === toHandle('in', id)).length;
  const ports = inputs.filter(({ isPort }) => isPort);
  return outputs
    .filter(({ isPort }) => isPort)
    .flatMap((port, output) => {
      const passing = findPassingInput(port, ports, countConnections);
      return passing === undefined ? [] : [{ input: ports.indexOf(passing), output }];
    });
}

/** Names the component only if the label of the node does not. */
function getTypeLabel({ data }: GraphNode, entry: CatalogEntry | undefined): string {
  if (entry === undefined) return messages.flow.unknownType(data.nodeType);
  const component = isComponentCall({ data }) ? getComponentName({ data }) : '';
  return component === '' || component === data.label
    ? entry.label
    : componentMessages.node.typeOf(component);
}

/** The controls that fit on a node. Other controls need the space of the inspector. */
const FACE_CONTROLS: ReadonlySet<string> = new Set([
  'text',
  'number',
  'choice',
  'flag',
  'json',
  'list',
  'media',
]);

const toPort = (side: PortSide, { id, label, type }: InputDef | OutputDef): CardPort => ({
  handle: toHandle(side, id),
  label,
  type,
});

const toUnknownPorts = (handles: readonly string[], side: PortSide): CardPort[] =>
  handles
    .filter(handle => getSide(handle) === side)
    .map(handle => ({ handle, label: toPortId(handle), type: 'ANY', isUnknown: true }));

function toHandles(ports: readonly CardPort[], type: 'source' | 'target', width: number): NodeHandle[] {
  return ports.map(({ handle }, index) => ({
    id: handle,
    type,
    position: type === 'target' ? Side.Left : Side.Right,
    x: (type === 'target' ? 0 : width) - PORT_PX / 2,
    y: getPortOffset(index) - PORT_PX / 2,
    width: PORT_PX,
    height: PORT_PX,
  }));
}

const MISSING_OUT = toHandle('out', '?');
const MISSING_IN = toHandle('in', '?');

/** Returns the ports that the edge uses and its nodes lack. Cards show these ports, so that every edge is visible. */
function findMissingPorts(
  catalog: Catalog,
  resolvedEdge: ResolvedEdge,
  source: GraphNode,
  target: GraphNode,
): readonly PortRef[] {
  const has = (ports: readonly { id: string; isPort: boolean }[], side: PortSide, handle: string): boolean =>
    ports.some(port => port.isPort && toHandle(side, port.id) === handle);
  const [sourceHandle, targetHandle] = [resolvedEdge.sourceHandle, resolvedEdge.targetHandle];
  return [
    ...(has(getPorts(catalog, source).outputs, 'out', sourceHandle)
      ? []
      : [{ nodeId: source.id, handle: sourceHandle }]),
    ...(has(getPorts(catalog, target).inputs, 'in', targetHandle)
      ? []
      : [{ nodeId: target.id, handle: targetHandle }]),
  ];
}
