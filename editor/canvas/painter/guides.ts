// Snaps dragged nodes to the edges and centers of nearby nodes, and shows guides.
import type { Position } from '../../../src/graph/types.ts';
import type { Rect } from './scene.ts';

export interface Guide {
  /** The x of a vertical line, or the y of a horizontal one. */
  readonly axis: 'x' | 'y';
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Snapped {
  /** The offset added to the drag. */
  readonly by: Position;
  readonly guides: readonly Guide[];
}

export function snap(dragged: Rect, others: readonly Rect[], within: number): Snapped {
  const x = nearest(dragged, others, 'x', within);
  const y = nearest(dragged, others, 'y', within);
  const placed = { ...dragged, x: dragged.x + (x?.by ?? 0), y: dragged.y + (y?.by ?? 0) };
  return {
    by: { x: x?.by ?? 0, y: y?.by ?? 0 },
    guides: [
      ...(x === undefined ? [] : [guideOf('x', x, placed)]),
      ...(y === undefined ? [] : [guideOf('y', y, placed)]),
    ],
  };
}

interface Match {
  readonly by: number;
  readonly at: number;
  readonly other: Rect;
}

const lines = (box: Rect, axis: 'x' | 'y'): readonly number[] => {
  const [start, size] = axis === 'x' ? [box.x, box.width] : [box.y, box.height];
  return [start, start + size / 2, start + size];
};

function nearest(dragged: Rect, others: readonly Rect[], axis: 'x' | 'y', within: number): Match | undefined {
  let best: Match | undefined;
  const own = lines(dragged, axis);
  for (const other of others) {
    lines(other, axis).forEach((at, index) => {
      // Compares like with like: left with left, center with center, right with right.
      const by = at - (own[index] ?? 0);
      if (Math.abs(by) <= within && Math.abs(by) < Math.abs(best?.by ?? Number.POSITIVE_INFINITY))
        best = { by, at, other };
    });
  }
  return best;
}

function guideOf(axis: 'x' | 'y', { at, other }: Match, placed: Rect): Guide {
  const [low, high] =
    axis === 'x'
      ? [Math.min(other.y, placed.y), Math.max(other.y + other.height, placed.y + placed.height)]
      : [Math.min(other.x, placed.x), Math.max(other.x + other.width, placed.x + placed.width)];
  return { axis, at, from: low, to: high };
}
