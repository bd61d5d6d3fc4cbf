// Snaps dragged nodes to the edges and centers of nearby nodes, and computes the guides to show.

import type { Rect } from '../../../src/graph/rects.ts';
import type { Position } from '../../../src/graph/types.ts';

export interface Guide {
  readonly axis: 'x' | 'y';
  /** The position on `axis`: the x of a vertical line, or the y of a horizontal one. */
  readonly coordinate: number;
  /** The ends of the line, on the other axis. */
  readonly from: number;
  readonly to: number;
}

export interface SnapResult {
  /** The offset to add to the drag. */
  readonly offset: Position;
  readonly guides: readonly Guide[];
}

export function snap(dragged: Rect, neighbors: readonly Rect[], maxDistance: number): SnapResult {
  const x = findNearestLine(dragged, neighbors, 'x', maxDistance);
  const y = findNearestLine(dragged, neighbors, 'y', maxDistance);
  const snapped = { ...dragged, x: dragged.x + (x?.offset ?? 0), y: dragged.y + (y?.offset ?? 0) };
  return {
    offset: { x: x?.offset ?? 0, y: y?.offset ?? 0 },
    guides: [
      ...(x === undefined ? [] : [toGuide('x', x, snapped)]),
      ...(y === undefined ? [] : [toGuide('y', y, snapped)]),
    ],
  };
}

interface Match {
  readonly offset: number;
  readonly coordinate: number;
  readonly neighbor: Rect;
}

const getLines = (box: Rect, axis: 'x' | 'y'): readonly number[] => {
  const [start, size] = axis === 'x' ? [box.x, box.width] : [box.y, box.height];
  return [start, start + size / 2, start + size];
};

function findNearestLine(
  dragged: Rect,
  neighbors: readonly Rect[],
  axis: 'x' | 'y',
  maxDistance: number,
): Match | undefined {
  let best: Match | undefined;
  const draggedLines = getLines(dragged, axis);
  for (const neighbor of neighbors) {
    getLines(neighbor, axis).forEach((coordinate, index) => {
      // Compares left with left, center with center, right with right.
      const offset = coordinate - (draggedLines[index] ?? 0);
      if (
        Math.abs(offset) <= maxDistance &&
        Math.abs(offset) < Math.abs(best?.offset ?? Number.POSITIVE_INFINITY)
      )
        best = { offset, coordinate, neighbor };
    });
  }
  return best;
}

function toGuide(axis: 'x' | 'y', { coordinate, neighbor }: Match, snapped: Rect): Guide {
  const [low, high] =
    axis === 'x'
      ? [Math.min(neighbor.y, snapped.y), Math.max(neighbor.y + neighbor.height, snapped.y + snapped.height)]
      : [Math.min(neighbor.x, snapped.x), Math.max(neighbor.x + neighbor.width, snapped.x + snapped.width)];
  return { axis, coordinate, from: low, to: high };
}
