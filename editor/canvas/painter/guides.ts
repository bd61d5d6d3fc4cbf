// Snaps dragged nodes to the edges and centers of nearby nodes, and computes the guides to show.
import type { Position } from '../../../src/graph/types.ts';
import type { Rect } from './scene.ts';

export interface Guide {
  /** The x of a vertical line, or the y of a horizontal one. */
  readonly axis: 'x' | 'y';
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface SnapResult {
  /** The offset to add to the drag. */
  readonly by: Position;
  readonly guides: readonly Guide[];
}

export function snap(dragged: Rect, neighbors: readonly Rect[], within: number): SnapResult {
  const x = findNearestLine(dragged, neighbors, 'x', within);
  const y = findNearestLine(dragged, neighbors, 'y', within);
  const snapped = { ...dragged, x: dragged.x + (x?.by ?? 0), y: dragged.y + (y?.by ?? 0) };
  return {
    by: { x: x?.by ?? 0, y: y?.by ?? 0 },
    guides: [
      ...(x === undefined ? [] : [toGuide('x', x, snapped)]),
      ...(y === undefined ? [] : [toGuide('y', y, snapped)]),
    ],
  };
}

interface Match {
  readonly by: number;
  readonly at: number;
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
  within: number,
): Match | undefined {
  let best: Match | undefined;
  const draggedLines = getLines(dragged, axis);
  for (const neighbor of neighbors) {
    getLines(neighbor, axis).forEach((at, index) => {
      // Compares like with like: left with left, center with center, right with right.
      const by = at - (draggedLines[index] ?? 0);
      if (Math.abs(by) <= within && Math.abs(by) < Math.abs(best?.by ?? Number.POSITIVE_INFINITY))
        best = { by, at, neighbor };
    });
  }
  return best;
}

function toGuide(axis: 'x' | 'y', { at, neighbor }: Match, snapped: Rect): Guide {
  const [low, high] =
    axis === 'x'
      ? [Math.min(neighbor.y, snapped.y), Math.max(neighbor.y + neighbor.height, snapped.y + snapped.height)]
      : [Math.min(neighbor.x, snapped.x), Math.max(neighbor.x + neighbor.width, snapped.x + snapped.width)];
  return { axis, at, from: low, to: high };
}
