// Snapping: edges and middles of what is dragged meet those of what stands near, and lines show it.
import type { Position } from '../../../src/graph/types.ts';
import type { Rect } from './scene.ts';

export interface Guide {
  /** Of a vertical line its x, of a horizontal one its y. */
  readonly axis: 'x' | 'y';
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Snapped {
  /** What the dragged box is moved by, in addition to the hand. */
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
      // Like with like: left with left, middle with middle, right with right.
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
