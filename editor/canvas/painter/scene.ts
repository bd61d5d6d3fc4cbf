// Computes the geometry of nodes and edges without the DOM, for painting, hit tests and guides.

import { NODE_BOX } from '../../../src/graph/dims.ts';
import { getChildIds } from '../../../src/graph/edit.ts';
import { getSide } from '../../../src/graph/handles.ts';
import { getBoundingBox, type Rect } from '../../../src/graph/rects.ts';
import type { Position } from '../../../src/graph/types.ts';
import { type FlowNode, PORT_PX, type ResolvedEdge } from '../card-cache.ts';

/** A visible node and its box. */
export interface SceneNode extends Rect {
  readonly id: string;
  readonly card: FlowNode;
}

/** An edge between visible nodes. */
export interface SceneEdge {
  readonly id: string;
  readonly resolvedEdge: ResolvedEdge;
  readonly source: SceneNode;
  readonly target: SceneNode;
  /** Offsets of both ends from the top left corners of their nodes. */
  readonly from: Position;
  readonly to: Position;
}

export interface BoardScene {
  /** In paint order: group frames first. */
  readonly nodes: readonly SceneNode[];
  readonly byId: ReadonlyMap<string, SceneNode>;
  readonly edges: readonly SceneEdge[];
}

/** Positions of nodes while they are dragged. */
export type Positions = ReadonlyMap<string, Position>;
export const NO_POSITIONS: Positions = new Map();

/**
 * Creates the scene. Groups in `collapsed` show only their header: their nodes are hidden, and the edges of these nodes
 * end at the header.
 */
export function createScene(
  cards: readonly FlowNode[],
  resolvedEdges: readonly ResolvedEdge[],
  collapsed: ReadonlySet<string> = new Set(),
): BoardScene {
  const collapsedGroups = mapToCollapsedGroups(cards, collapsed);
  const nodes = cards
    .filter(({ id }) => !collapsedGroups.has(id))
    .map(card => toSceneNode(collapsed.has(card.id) ? { ...card, height: NODE_BOX.header } : card));
  const byId = new Map(nodes.map(node => [node.id, node]));
  const findEnd = (
    id: string,
    handle: string,
  ): { readonly node: SceneNode; readonly offset: Position } | undefined => {
    const node = byId.get(collapsedGroups.get(id) ?? id);
    if (node === undefined) return undefined;
    if (!collapsedGroups.has(id)) return { node, offset: getHandleOffset(node.card, handle) };
    return { node, offset: { x: getSide(handle) === 'in' ? 0 : node.width, y: node.height / 2 } };
  };
  const edges = resolvedEdges.flatMap((resolvedEdge): SceneEdge[] => {
    const [source, target] = [
      findEnd(resolvedEdge.source, resolvedEdge.sourceHandle),
      findEnd(resolvedEdge.target, resolvedEdge.targetHandle),
    ];
    if (source === undefined || target === undefined || source.node === target.node) return [];
    return [
      {
        id: resolvedEdge.id,
        resolvedEdge,
        source: source.node,
        target: target.node,
        from: source.offset,
        to: target.offset,
      },
    ];
  });
  const isGroup = ({ card }: SceneNode): boolean => card.type === 'group';
  return {
    nodes: [...nodes.filter(isGroup), ...nodes.filter(node => !isGroup(node))],
    byId,
    edges,
  };
}

/** Maps each node inside a collapsed group to its outermost collapsed group. */
function mapToCollapsedGroups(
  cards: readonly FlowNode[],
  collapsed: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const collapsedGroups = new Map<string, string>();
  if (collapsed.size === 0) return collapsedGroups;
  const byId = new Map(cards.map(card => [card.id, card]));
  for (const root of collapsed) {
    const idsInGroup = new Set([root]);
    // The loop also visits ids added during iteration, because groups can be nested.
    for (const id of idsInGroup) {
      const card = byId.get(id);
      for (const child of card === undefined ? [] : getChildIds(card.data.node)) idsInGroup.add(child);
    }
    for (const id of idsInGroup) if (id !== root) collapsedGroups.set(id, root);
  }
  // A collapsed group may be inside of another one.
  for (const [id, owner] of collapsedGroups) collapsedGroups.set(id, collapsedGroups.get(owner) ?? owner);
  return collapsedGroups;
}

const toSceneNode = (card: FlowNode): SceneNode => ({
  id: card.id,
  card,
  x: card.position.x,
  y: card.position.y,
  width: card.width ?? 0,
  height: card.height ?? 0,
});

/** Returns the offset of a port from the top left corner of its node. */
export function getHandleOffset({ handles = [] }: FlowNode, id: string): Position {
  const handle = handles.find(handle => handle.id === id);
  return handle === undefined ? { x: 0, y: 0 } : { x: handle.x + PORT_PX / 2, y: handle.y + PORT_PX / 2 };
}

/** A cubic Bézier curve with horizontal tangents at both ends. */
export interface Bezier {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  /** Horizontal distance of the control points: right of the start, left of the end. */
  readonly controlOffset: number;
}

export function toBezier({ source, target, from, to }: SceneEdge, positions: Positions): Bezier {
  const start = positions.get(source.id) ?? source;
  const end = positions.get(target.id) ?? target;
  return createBezier({ x: start.x + from.x, y: start.y + from.y }, { x: end.x + to.x, y: end.y + to.y });
}

export function createBezier(from: Position, to: Position): Bezier {
  const gap = to.x - from.x;
  const controlOffset = gap >= 0 ? gap / 2 : 6.25 * Math.sqrt(-gap);
  return { x1: from.x, y1: from.y, x2: to.x, y2: to.y, controlOffset };
}

/** Returns the bounding box of the nodes in `ids`, or of all nodes. */
export function getBounds({ nodes, byId }: BoardScene, ids?: readonly string[]): Rect | undefined {
  return getBoundingBox(ids === undefined ? nodes : ids.flatMap(id => byId.get(id) ?? []));
}

export const intersects = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

export const contains = (outer: Rect, inner: Rect): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

export function grow({ x, y, width, height }: Rect, margin: number): Rect {
  return { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin };
}

/**
 * Returns whether two scenes look the same, except for the content of the nodes that `ignoresContent` selects. Mounted
 * nodes are ignored, so that typing into one does not repaint a thousand other nodes.
 */
export function isSameDrawing(
  a: BoardScene,
  b: BoardScene,
  ignoresContent: (id: string) => boolean,
): boolean {
  if (a.nodes.length !== b.nodes.length || a.edges.length !== b.edges.length) return false;
  const isSameNode = (node: SceneNode, other: SceneNode | undefined): boolean =>
    node.id === other?.id &&
    node.x === other.x &&
    node.y === other.y &&
    node.width === other.width &&
    node.height === other.height &&
    (node.card.data.node.data === other.card.data.node.data || ignoresContent(node.id));
  const isSameEdge = (edge: SceneEdge, other: SceneEdge | undefined): boolean =>
    edge.id === other?.id &&
    edge.resolvedEdge.type === other.resolvedEdge.type &&
    edge.from.x === other.from.x &&
    edge.from.y === other.from.y &&
    edge.to.x === other.to.x &&
    edge.to.y === other.to.y;
  return (
    a.nodes.every((node, index) => isSameNode(node, b.nodes[index])) &&
    a.edges.every((edge, index) => isSameEdge(edge, b.edges[index]))
  );
}
