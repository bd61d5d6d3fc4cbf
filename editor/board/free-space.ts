// Finds free space for new nodes, near where they are wanted.
import type { Catalog } from '../../src/graph/catalog.ts';
import { isNear, type Rect } from '../../src/graph/rects.ts';
import type { Position } from '../../src/graph/types.ts';
import type { Board } from './board.ts';
import { getNodeRect } from './node-size.ts';

/** Space between nodes. */
const GAP = 24;
/** Nodes considered; those that are farther away are rarely in the way. */
const MAX_OBSTACLES = 60;

/** The nodes that others must not cover. Frames may. */
export const getObstacles = (board: Board, catalog: Catalog): readonly Rect[] =>
  board.nodes.filter(({ type }) => type !== 'groupFrame').map(node => getNodeRect(node, catalog));

/** Returns the nearest position to the wanted one where the rectangle covers no obstacle. */
export function findFreeSpace(obstacles: readonly Rect[], wanted: Rect): Position {
  const { width, height } = wanted;
  const isFree = ({ x, y }: Position): boolean =>
    !obstacles.some(obstacle => isNear(obstacle, { x, y, width, height }, GAP - 1));
  if (isFree(wanted)) return { x: wanted.x, y: wanted.y };
  const away = ({ x, y }: Position): number => Math.hypot(x - wanted.x, y - wanted.y);
  const near = obstacles.toSorted((a, b) => away(a) - away(b)).slice(0, MAX_OBSTACLES);
  // A free position nearest to the wanted one touches an obstacle, or has the wanted coordinate.
  const xs = [wanted.x, ...near.flatMap(({ x, width: wide }) => [x - width - GAP, x + wide + GAP])];
  const ys = [wanted.y, ...near.flatMap(({ y, height: high }) => [y - height - GAP, y + high + GAP])];
  const found = xs
    .flatMap(x => ys.map(y => ({ x, y })))
    .sort((a, b) => away(a) - away(b))
    .find(isFree);
  const bottom = Math.max(...obstacles.map(({ y, height: high }) => y + high));
  return found ?? { x: wanted.x, y: bottom + GAP };
}
