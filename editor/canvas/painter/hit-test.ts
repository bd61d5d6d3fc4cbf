// Finds what is under a point, inside a box, or inside a lasso.
import { NODE_BOX } from '../../../src/graph/dims.ts';
import type { Position } from '../../../src/graph/types.ts';
import { PORT_PX } from '../model.ts';
import {
  type Bend,
  type Box,
  bendOf,
  type Curve,
  contains,
  intersects,
  type Positions,
  type Rect,
  type Scene,
} from './scene.ts';

/** Returns the topmost node. For groups only the header counts, because the background belongs to the board. */
export function boxAt({ boxes }: Scene, { x, y }: Position, positions: Positions): Box | undefined {
  return boxes.findLast(box => {
    const at = positions.get(box.id) ?? box;
    const height = box.card.type === 'group' ? NODE_BOX.header : box.height;
    return x >= at.x && x <= at.x + box.width && y >= at.y && y <= at.y + height;
  });
}

export interface FoundPort {
  readonly port: { readonly nodeId: string; readonly handle: string };
  readonly at: Position;
}

/** Returns the nearest port that `isFit` accepts. */
export function portAt(
  { boxes }: Scene,
  { x, y }: Position,
  {
    within,
    positions,
    isFit,
  }: {
    readonly within: number;
    readonly positions: Positions;
    readonly isFit: (port: FoundPort['port']) => boolean;
  },
): FoundPort | undefined {
  let best: (FoundPort & { readonly distance: number }) | undefined;
  for (const box of boxes) {
    const position = positions.get(box.id) ?? box;
    const isNearBox =
      x >= position.x - within &&
      x <= position.x + box.width + within &&
      y >= position.y - within &&
      y <= position.y + box.height + within;
    if (!isNearBox) continue;
    for (const { id, x: dx, y: dy } of box.card.handles ?? []) {
      const at = { x: position.x + dx + PORT_PX / 2, y: position.y + dy + PORT_PX / 2 };
      const distance = Math.hypot(at.x - x, at.y - y);
      const port = { nodeId: box.id, handle: id ?? '' };
      if (distance <= within && distance < (best?.distance ?? within + 1) && isFit(port))
        best = { port, at, distance };
    }
  }
  return best;
}

/** Returns the nearest edge within the distance. */
export function curveAt(
  { curves }: Scene,
  point: Position,
  { within, positions }: { readonly within: number; readonly positions: Positions },
): Curve | undefined {
  let best: { readonly curve: Curve; readonly distance: number } | undefined;
  for (const curve of curves) {
    const bend = bendOf(curve, positions);
    if (!isNear(bend, point, within)) continue;
    const distance = distanceTo(bend, point);
    if (distance <= within && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { curve, distance };
  }
  return best?.curve;
}

/** Returns the nodes that intersect the box. */
export const boxesIn = ({ boxes }: Scene, area: Rect): readonly Box[] =>
  boxes.filter(box => (box.card.type === 'group' ? contains(area, box) : intersects(box, area)));

/** Returns the nodes whose center is inside the line. */
export const boxesWithin = ({ boxes }: Scene, line: readonly Position[]): readonly Box[] =>
  boxes.filter(({ x, y, width, height }) => isWithin(line, { x: x + width / 2, y: y + height / 2 }));

function isNear({ x1, y1, x2, y2, pull }: Bend, { x, y }: Position, within: number): boolean {
  return (
    x >= Math.min(x1, x2 - pull) - within &&
    x <= Math.max(x2, x1 + pull) + within &&
    y >= Math.min(y1, y2) - within &&
    y <= Math.max(y1, y2) + within
  );
}

const PIECES = 24;

/** Approximates with line segments: the deviation is less than a pixel on screen. */
export function distanceTo(bend: Bend, point: Position): number {
  let best = Number.POSITIVE_INFINITY;
  let last = pointOn(bend, 0);
  for (let piece = 1; piece <= PIECES; piece++) {
    const next = pointOn(bend, piece / PIECES);
    best = Math.min(best, distanceToLine(point, last, next));
    last = next;
  }
  return best;
}

export function pointOn({ x1, y1, x2, y2, pull }: Bend, at: number): Position {
  const rest = 1 - at;
  const [a, b, c, d] = [rest ** 3, 3 * rest ** 2 * at, 3 * rest * at ** 2, at ** 3];
  return { x: a * x1 + b * (x1 + pull) + c * (x2 - pull) + d * x2, y: (a + b) * y1 + (c + d) * y2 };
}

function distanceToLine(point: Position, from: Position, to: Position): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((point.x - from.x) * dx + (point.y - from.y) * dy) / length;
  const at = Math.max(0, Math.min(1, along));
  return Math.hypot(point.x - from.x - at * dx, point.y - from.y - at * dy);
}

/** Counts crossings of a ray from the point with the closed line (even-odd rule). */
function isWithin(line: readonly Position[], { x, y }: Position): boolean {
  let isInside = false;
  line.forEach((one, index) => {
    const other = line[(index + line.length - 1) % line.length] ?? one;
    if (one.y > y !== other.y > y && x < ((other.x - one.x) * (y - one.y)) / (other.y - one.y) + one.x)
      isInside = !isInside;
  });
  return isInside;
}
