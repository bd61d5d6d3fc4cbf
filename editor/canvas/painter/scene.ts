// Computes the geometry of a board without the DOM: node boxes and edge curves, for painting, hit tests and guides.
import { NODE_BOX } from '../../../src/graph/dims.ts';
import { getChildIds } from '../../../src/graph/edit.ts';
import { getBoundingBox, type Rect } from '../../../src/graph/rects.ts';
import type { Position } from '../../../src/graph/types.ts';
import { type CardNode, PORT_PX, type ResolvedEdge } from '../model.ts';

export interface Box extends Rect {
  readonly id: string;
  readonly card: CardNode;
}

export interface Curve {
  readonly id: string;
  readonly resolvedEdge: ResolvedEdge;
  readonly source: Box;
  readonly target: Box;
  /** Offsets from the corners of the source box and the target box. */
  readonly from: Position;
  readonly to: Position;
}

export interface Scene {
  /** In paint order: group frames first. */
  readonly boxes: readonly Box[];
  readonly byId: ReadonlyMap<string, Box>;
  readonly curves: readonly Curve[];
}

/** Positions of nodes while they are dragged. */
export type Positions = ReadonlyMap<string, Position>;
export const NO_POSITIONS: Positions = new Map();

/**
 * Creates the scene. Groups in `collapsed` show only their header: their nodes are hidden, and the edges of these nodes
 * end at the header.
 */
export function createScene(
  cards: readonly CardNode[],
  resolvedEdges: readonly ResolvedEdge[],
  collapsed: ReadonlySet<string> = new Set(),
): Scene {
  const owners = mapToCollapsedGroups(cards, collapsed);
  const boxes = cards
    .filter(({ id }) => !owners.has(id))
    .map(card => toBox(collapsed.has(card.id) ? { ...card, height: NODE_BOX.header } : card));
  const byId = new Map(boxes.map(box => [box.id, box]));
  const findEnd = (
    id: string,
    handle: string,
  ): { readonly box: Box; readonly offset: Position } | undefined => {
    const box = byId.get(owners.get(id) ?? id);
    if (box === undefined) return undefined;
    if (!owners.has(id)) return { box, offset: getHandleOffset(box.card, handle) };
    return { box, offset: { x: handle.startsWith('in-') ? 0 : box.width, y: box.height / 2 } };
  };
  const curves = resolvedEdges.flatMap((resolvedEdge): Curve[] => {
    const [source, target] = [
      findEnd(resolvedEdge.source, resolvedEdge.sourceHandle),
      findEnd(resolvedEdge.target, resolvedEdge.targetHandle),
    ];
    if (source === undefined || target === undefined || source.box === target.box) return [];
    return [
      {
        id: resolvedEdge.id,
        resolvedEdge,
        source: source.box,
        target: target.box,
        from: source.offset,
        to: target.offset,
      },
    ];
  });
  const isFrame = ({ card }: Box): boolean => card.type === 'group';
  return {
    boxes: [...boxes.filter(isFrame), ...boxes.filter(box => !isFrame(box))],
    byId,
    curves,
  };
}

/** Maps each node inside a collapsed group to its outermost collapsed group. */
function mapToCollapsedGroups(
  cards: readonly CardNode[],
  collapsed: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  if (collapsed.size === 0) return owners;
  const byId = new Map(cards.map(card => [card.id, card]));
  for (const root of collapsed) {
    const idsInGroup = new Set([root]);
    // The loop also visits ids added during iteration, because groups can be nested.
    for (const id of idsInGroup) {
      const card = byId.get(id);
      for (const child of card === undefined ? [] : getChildIds(card.data.node)) idsInGroup.add(child);
    }
    for (const id of idsInGroup) if (id !== root) owners.set(id, root);
  }
  // A collapsed group may be inside of another one.
  for (const [id, owner] of owners) owners.set(id, owners.get(owner) ?? owner);
  return owners;
}

const toBox = (card: CardNode): Box => ({
  id: card.id,
  card,
  x: card.position.x,
  y: card.position.y,
  width: card.width ?? 0,
  height: card.height ?? 0,
});

/** Returns the offset of a port from the corner of its box. */
export function getHandleOffset({ handles = [] }: CardNode, id: string): Position {
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

export function toBezier({ source, target, from, to }: Curve, positions: Positions): Bezier {
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
export function getBounds({ boxes, byId }: Scene, ids?: readonly string[]): Rect | undefined {
  return getBoundingBox(ids === undefined ? boxes : ids.flatMap(id => byId.get(id) ?? []));
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
 * Returns whether two scenes look the same, except for the content of the nodes that `ignoresContent` selects. With it,
 * typing into a mounted node does not repaint a thousand other nodes.
 */
export function isSameDrawing(a: Scene, b: Scene, ignoresContent: (id: string) => boolean): boolean {
  if (a.boxes.length !== b.boxes.length || a.curves.length !== b.curves.length) return false;
  const isSameBox = (box: Box, other: Box | undefined): boolean =>
    box.id === other?.id &&
    box.x === other.x &&
    box.y === other.y &&
    box.width === other.width &&
    box.height === other.height &&
    (box.card.data.node.data === other.card.data.node.data || ignoresContent(box.id));
  const isSameCurve = (curve: Curve, other: Curve | undefined): boolean =>
    curve.id === other?.id &&
    curve.resolvedEdge.type === other.resolvedEdge.type &&
    curve.from.x === other.from.x &&
    curve.from.y === other.from.y &&
    curve.to.x === other.to.x &&
    curve.to.y === other.to.y;
  return (
    a.boxes.every((box, index) => isSameBox(box, b.boxes[index])) &&
    a.curves.every((curve, index) => isSameCurve(curve, b.curves[index]))
  );
}
