// Aligns and distributes the selected nodes: computes where each one moves.
import type { Rect } from '../../src/graph/rects.ts';
import type { Position } from '../../src/graph/types.ts';

export interface NodeBox extends Rect {
  readonly id: string;
}

export type AlignmentLine = 'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom';
export type DistributeDirection = 'horizontal' | 'vertical';

/** Returns a function that moves a box onto the line. The line depends on all boxes. */
type CreateAligner = (boxes: readonly NodeBox[]) => (box: NodeBox) => Partial<Position>;

const min = (values: readonly number[]): number => Math.min(...values);
const max = (values: readonly number[]): number => Math.max(...values);

const ALIGNERS: Readonly<Record<AlignmentLine, CreateAligner>> = {
  left: boxes => {
    const x = min(boxes.map(box => box.x));
    return () => ({ x });
  },
  center: boxes => {
    const x = (min(boxes.map(box => box.x)) + max(boxes.map(box => box.x + box.width))) / 2;
    return ({ width }) => ({ x: x - width / 2 });
  },
  right: boxes => {
    const x = max(boxes.map(box => box.x + box.width));
    return ({ width }) => ({ x: x - width });
  },
  top: boxes => {
    const y = min(boxes.map(box => box.y));
    return () => ({ y });
  },
  middle: boxes => {
    const y = (min(boxes.map(box => box.y)) + max(boxes.map(box => box.y + box.height))) / 2;
    return ({ height }) => ({ y: y - height / 2 });
  },
  bottom: boxes => {
    const y = max(boxes.map(box => box.y + box.height));
    return ({ height }) => ({ y: y - height });
  },
};

/** Places every node on one line of their common bounding box. */
export function align(boxes: readonly NodeBox[], line: AlignmentLine): ReadonlyMap<string, Position> {
  const alignBox = ALIGNERS[line](boxes);
  return new Map(boxes.map(box => [box.id, round({ x: box.x, y: box.y, ...alignBox(box) })]));
}

/** Spaces nodes evenly between the first and the last, which stay in place. Gaps may be negative if nodes overlap. */
export function distribute(
  boxes: readonly NodeBox[],
  direction: DistributeDirection,
): ReadonlyMap<string, Position> {
  const [axis, size] = direction === 'horizontal' ? (['x', 'width'] as const) : (['y', 'height'] as const);
  const sorted = boxes.toSorted((a, b) => a[axis] - b[axis]);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined || sorted.length < 3) return new Map();
  const totalSize = sorted.reduce((sum, box) => sum + box[size], 0);
  const gap = (last[axis] + last[size] - first[axis] - totalSize) / (sorted.length - 1);
  const positions = new Map<string, Position>();
  let offset = first[axis];
  for (const box of sorted) {
    positions.set(box.id, round({ x: box.x, y: box.y, [axis]: offset }));
    offset += box[size] + gap;
  }
  return positions;
}

const round = ({ x, y }: Position): Position => ({ x: Math.round(x), y: Math.round(y) });
