// Computes the geometry of a board without a page: node boxes and edge curves, for painting, hit tests and guides.
import { NODE_BOX } from '../../../src/graph/dims.ts';
import { childrenOf } from '../../../src/graph/edit.ts';
import type { Position } from '../../../src/graph/types.ts';
import { type CardNode, PORT_PX, type ResolvedEdge } from '../model.ts';

export interface Rect extends Position {
  readonly width: number;
  readonly height: number;
}

export interface Box extends Rect {
  readonly id: string;
  readonly card: CardNode;
}

export interface Curve {
  readonly id: string;
  readonly resolvedEdge: ResolvedEdge;
  readonly source: Box;
  readonly target: Box;
  /** Offsets from the corner of the source's box and of the target's. */
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

/** Groups in `collapsed` show only their header: their nodes are hidden, and edges to these end at the header. */
export function makeScene(
  cards: readonly CardNode[],
  resolvedEdges: readonly ResolvedEdge[],
  collapsed: ReadonlySet<string> = new Set(),
): Scene {
  const owners = ownersOf(cards, collapsed);
  const boxes = cards
    .filter(({ id }) => !owners.has(id))
    .map(card => toBox(collapsed.has(card.id) ? { ...card, height: NODE_BOX.header } : card));
  const byId = new Map(boxes.map(box => [box.id, box]));
  const endOf = (id: string, handle: string): { readonly box: Box; readonly at: Position } | undefined => {
    const box = byId.get(owners.get(id) ?? id);
    if (box === undefined) return undefined;
    if (!owners.has(id)) return { box, at: portOf(box.card, handle) };
    return { box, at: { x: handle.startsWith('in-') ? 0 : box.width, y: box.height / 2 } };
  };
  const curves = resolvedEdges.flatMap((resolvedEdge): Curve[] => {
    const [source, target] = [
      endOf(resolvedEdge.source, resolvedEdge.sourceHandle),
      endOf(resolvedEdge.target, resolvedEdge.targetHandle),
    ];
    if (source === undefined || target === undefined || source.box === target.box) return [];
    return [
      {
        id: resolvedEdge.id,
        resolvedEdge,
        source: source.box,
        target: target.box,
        from: source.at,
        to: target.at,
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

/** Maps nodes inside collapsed groups to the outermost collapsed group. */
function ownersOf(cards: readonly CardNode[], collapsed: ReadonlySet<string>): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  if (collapsed.size === 0) return owners;
  const byId = new Map(cards.map(card => [card.id, card]));
  for (const root of collapsed) {
    const inner = new Set([root]);
    // The loop also visits ids added during iteration, because groups can be nested.
    for (const id of inner) {
      const card = byId.get(id);
      for (const child of card === undefined ? [] : childrenOf(card.data.node)) inner.add(child);
    }
    for (const id of inner) if (id !== root) owners.set(id, root);
  }
  // A group inside a collapsed group is hidden.
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

function portOf({ handles = [] }: CardNode, id: string): Position {
  const handle = handles.find(other => other.id === id);
  return handle === undefined ? { x: 0, y: 0 } : { x: handle.x + PORT_PX / 2, y: handle.y + PORT_PX / 2 };
}

/** A cubic Bézier curve as eight numbers: both ends and the two control points. */
export interface Bend {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  /** Distance of the control points from their ends, to the right of the first and to the left of the second. */
  readonly pull: number;
}

export function bendOf({ source, target, from, to }: Curve, positions: Positions): Bend {
  const start = positions.get(source.id) ?? source;
  const end = positions.get(target.id) ?? target;
  const [x1, x2] = [start.x + from.x, end.x + to.x];
  const gap = x2 - x1;
  return {
    x1,
    y1: start.y + from.y,
    x2,
    y2: end.y + to.y,
    pull: gap >= 0 ? gap / 2 : 6.25 * Math.sqrt(-gap),
  };
}

/** Returns the bounding box of all nodes, or of the given ones. */
export function boundsOf({ boxes, byId }: Scene, ids?: readonly string[]): Rect | undefined {
  const chosen = ids === undefined ? boxes : ids.flatMap(id => byId.get(id) ?? []);
  if (chosen.length === 0) return undefined;
  const [left, top, right, bottom] = chosen.reduce(
    ([l, t, r, b], box) => [
      Math.min(l, box.x),
      Math.min(t, box.y),
      Math.max(r, box.x + box.width),
      Math.max(b, box.y + box.height),
    ],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export const intersects = (one: Rect, other: Rect): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

export const contains = (outer: Rect, inner: Rect): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

export function grow({ x, y, width, height }: Rect, by: number): Rect {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}
