// Finds nodes, ports and edges at a point, and nodes in a box or lasso.
import { NODE_BOX } from '../../../src/graph/dims.ts';
import type { Rect } from '../../../src/graph/rects.ts';
import type { Position } from '../../../src/graph/types.ts';
import { PORT_PX } from '../card-cache.ts';
import {
  type Bezier,
  type BoardScene,
  contains,
  intersects,
  type Positions,
  type SceneEdge,
  type SceneNode,
  toBezier,
} from './scene.ts';

/** Returns the topmost node. Of a group, only the header counts, because the background belongs to the board. */
export function findNodeAt(
  { nodes }: BoardScene,
  { x, y }: Position,
  positions: Positions,
): SceneNode | undefined {
  return nodes.findLast(node => {
    const position = positions.get(node.id) ?? node;
    const height = node.card.type === 'group' ? NODE_BOX.header : node.height;
    return x >= position.x && x <= position.x + node.width && y >= position.y && y <= position.y + height;
  });
}

export interface FoundPort {
  readonly port: { readonly nodeId: string; readonly handle: string };
  readonly position: Position;
}

/** Returns the nearest port that `isFit` accepts. */
export function findPortAt(
  { nodes }: BoardScene,
  { x, y }: Position,
  {
    maxDistance,
    positions,
    isFit,
  }: {
    readonly maxDistance: number;
    readonly positions: Positions;
    readonly isFit: (port: FoundPort['port']) => boolean;
  },
): FoundPort | undefined {
  let best: (FoundPort & { readonly distance: number }) | undefined;
  for (const node of nodes) {
    const corner = positions.get(node.id) ?? node;
    const isNearNode =
      x >= corner.x - maxDistance &&
      x <= corner.x + node.width + maxDistance &&
      y >= corner.y - maxDistance &&
      y <= corner.y + node.height + maxDistance;
    if (!isNearNode) continue;
    for (const { id, x: dx, y: dy } of node.card.handles ?? []) {
      const position = { x: corner.x + dx + PORT_PX / 2, y: corner.y + dy + PORT_PX / 2 };
      const distance = Math.hypot(position.x - x, position.y - y);
      const port = { nodeId: node.id, handle: id ?? '' };
      if (distance <= maxDistance && distance < (best?.distance ?? maxDistance + 1) && isFit(port))
        best = { port, position, distance };
    }
  }
  return best;
}

/** Returns the nearest edge within the distance. */
export function findEdgeAt(
  { edges }: BoardScene,
  point: Position,
  { maxDistance, positions }: { readonly maxDistance: number; readonly positions: Positions },
): SceneEdge | undefined {
  let best: { readonly edge: SceneEdge; readonly distance: number } | undefined;
  for (const edge of edges) {
    const bezier = toBezier(edge, positions);
    if (!isNear(bezier, point, maxDistance)) continue;
    const distance = getDistanceToBezier(bezier, point);
    if (distance <= maxDistance && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { edge, distance };
  }
  return best?.edge;
}

/** Returns the nodes that intersect the area, and the groups inside the area. */
export const findNodesIn = ({ nodes }: BoardScene, area: Rect): readonly SceneNode[] =>
  nodes.filter(node => (node.card.type === 'group' ? contains(area, node) : intersects(node, area)));

/** Returns the nodes whose center is inside the closed line. */
export const findNodesInLasso = ({ nodes }: BoardScene, outline: readonly Position[]): readonly SceneNode[] =>
  nodes.filter(({ x, y, width, height }) =>
    isInsideOutline(outline, { x: x + width / 2, y: y + height / 2 }),
  );

function isNear({ x1, y1, x2, y2, controlOffset }: Bezier, { x, y }: Position, maxDistance: number): boolean {
  return (
    x >= Math.min(x1, x2 - controlOffset) - maxDistance &&
    x <= Math.max(x2, x1 + controlOffset) + maxDistance &&
    y >= Math.min(y1, y2) - maxDistance &&
    y <= Math.max(y1, y2) + maxDistance
  );
}

const SEGMENTS = 24;

/** Approximates the curve with line segments, to within a pixel on screen. */
export function getDistanceToBezier(bezier: Bezier, point: Position): number {
  let best = Number.POSITIVE_INFINITY;
  let previous = getPointAt(bezier, 0);
  for (let segment = 1; segment <= SEGMENTS; segment++) {
    const current = getPointAt(bezier, segment / SEGMENTS);
    best = Math.min(best, getDistanceToLine(point, previous, current));
    previous = current;
  }
  return best;
}

export function getPointAt({ x1, y1, x2, y2, controlOffset }: Bezier, t: number): Position {
  const inverse = 1 - t;
  const [a, b, c, d] = [inverse ** 3, 3 * inverse ** 2 * t, 3 * inverse * t ** 2, t ** 3];
  return {
    x: a * x1 + b * (x1 + controlOffset) + c * (x2 - controlOffset) + d * x2,
    y: (a + b) * y1 + (c + d) * y2,
  };
}

function getDistanceToLine(point: Position, from: Position, to: Position): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const projection = length === 0 ? 0 : ((point.x - from.x) * dx + (point.y - from.y) * dy) / length;
  const t = Math.max(0, Math.min(1, projection));
  return Math.hypot(point.x - from.x - t * dx, point.y - from.y - t * dy);
}

/** Returns whether the point is inside the closed line, by the even-odd rule. */
function isInsideOutline(outline: readonly Position[], { x, y }: Position): boolean {
  let isInside = false;
  outline.forEach((corner, index) => {
    const previous = outline[(index + outline.length - 1) % outline.length] ?? corner;
    if (
      corner.y > y !== previous.y > y &&
      x < ((previous.x - corner.x) * (y - corner.y)) / (previous.y - corner.y) + corner.x
    )
      isInside = !isInside;
  });
  return isInside;
}
