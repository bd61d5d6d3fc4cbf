// Finds free space for new nodes near a preferred position.
import type { Catalog } from '../../src/graph/catalog.ts';
import { isNear, type Rect } from '../../src/graph/rects.ts';
import type { Position } from '../../src/graph/types.ts';
import type { Board } from './board.ts';
import { getNodeRect } from './node-size.ts';

/** Space between nodes. */
const GAP = 24;
/** The nearest nodes are checked first. Nodes beyond this number are ignored. */
const MAX_OBSTACLES = 60;

/** Returns the rectangles that new nodes must not cover. Group frames may be covered. */
export const getObstacles = (board: Board, catalog: Catalog): readonly Rect[] =>
  board.nodes.filter(({ type }) => type !== 'groupFrame').map(node => getNodeRect(node, catalog));

/** Returns the position nearest to the preferred one where the rectangle covers no obstacle. */
export function findFreeSpace(obstacles: readonly Rect[], preferred: Rect): Position {
  const { width, height } = preferred;
  const isFree = ({ x, y }: Position): boolean =>
    !obstacles.some(obstacle => isNear(obstacle, { x, y, width, height }, GAP - 1));
  if (isFree(preferred)) return { x: preferred.x, y: preferred.y };
  const getDistance = ({ x, y }: Position): number => Math.hypot(x - preferred.x, y - preferred.y);
  const near = obstacles.toSorted((a, b) => getDistance(a) - getDistance(b)).slice(0, MAX_OBSTACLES);
  // The nearest free position either touches an obstacle or has a preferred coordinate.
  const xs = [
    preferred.x,
    ...near.flatMap(({ x, width: otherWidth }) => [x - width - GAP, x + otherWidth + GAP]),
  ];
  const ys = [
    preferred.y,
    ...near.flatMap(({ y, height: otherHeight }) => [y - height - GAP, y + otherHeight + GAP]),
  ];
  const position = xs
    .flatMap(x => ys.map(y => ({ x, y })))
    .sort((a, b) => getDistance(a) - getDistance(b))
    .find(isFree);
  const bottom = Math.max(...obstacles.map(({ y, height: otherHeight }) => y + otherHeight));
  return position ?? { x: preferred.x, y: bottom + GAP };
}

/** Returns the position in the column of the preferred one, nearest to it, where the rectangle covers no obstacle. */
export function findFreeSpaceInColumn(obstacles: readonly Rect[], preferred: Rect): Position {
  const { x, y, width, height } = preferred;
  const inColumn = obstacles.filter(other => other.x < x + width + GAP && other.x + other.width + GAP > x);
  const isFree = (top: number): boolean =>
    !inColumn.some(other => isNear(other, { x, y: top, width, height }, GAP - 1));
  const tops = [y, ...inColumn.flatMap(other => [other.y - height - GAP, other.y + other.height + GAP])];
  const nearest = tops.sort((a, b) => Math.abs(a - y) - Math.abs(b - y)).find(isFree);
  return { x, y: nearest ?? y };
}
