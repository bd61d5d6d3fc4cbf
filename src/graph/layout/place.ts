// Layout, step 3: coordinates. Columns are placed side by side; within a column every item comes as close as order and
// gaps allow to the height at which its edges are level. Each column is a weighted isotonic regression, solved exactly
// by pooling neighbors that push each other (pool adjacent violators); alternating sweeps settle all columns.
import type { Box, Layered, Segment } from './layers.ts';

export interface Gaps {
  /** Between boxes of a column. */
  readonly row: number;
  /** Between columns. */
  readonly column: number;
  /** Between a passing edge and whatever is above or below it. */
  readonly wire: number;
}

export interface Places {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const SWEEPS = 14;
// A bend in the middle of a long edge is the most visible.
const JOINT_WEIGHT = 4;

/** The top left corner of every box; the smallest x and y are 0. */
export function placeItems(layered: Layered, boxes: readonly Box[], gaps: Gaps): Places {
  const y = stackColumns(layered, gaps);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const columns = sweep % 2 === 0 ? layered.columns : layered.columns.toReversed();
    for (const column of columns) settleColumn(layered, column, y, gaps);
  }
  const top = Array.from(boxes.keys()).reduce(
    (min, box) => Math.min(min, y[box] ?? 0),
    Number.POSITIVE_INFINITY,
  );
  return {
    x: placeColumns(layered, boxes, gaps),
    y: y.subarray(0, boxes.length).map(it => Math.round(it - top)),
  };
}

function placeColumns({ columns, boxCount }: Layered, boxes: readonly Box[], gaps: Gaps): Float64Array {
  const x = new Float64Array(boxCount);
  let left = 0;
  for (const column of columns) {
    const members = column.filter(item => item < boxCount);
    const width = members.reduce((max, item) => Math.max(max, boxes[item]?.width ?? 0), 0);
    for (const item of members) x[item] = left + Math.round((width - (boxes[item]?.width ?? 0)) / 2);
    left += width + gaps.column;
  }
  return x;
}

/** Initial heights: each column stacked by itself and centered at 0. */
function stackColumns(layered: Layered, gaps: Gaps): Float64Array {
  const y = new Float64Array(layered.itemCount);
  for (const column of layered.columns) {
    const offsets = offsetsOf(layered, column, gaps);
    const middle = (offsets.at(-1) ?? 0) / 2;
    for (const [place, item] of column.entries()) y[item] = (offsets[place] ?? 0) - middle;
  }
  return y;
}

/** The offset of each item's top from the first item's top when all are as close as allowed. */
function offsetsOf({ heights, boxCount }: Layered, column: readonly number[], gaps: Gaps): number[] {
  let offset = 0;
  return column.map((item, place) => {
    const above = column[place - 1];
    if (above === undefined) return 0;
    const isWire = above >= boxCount || item >= boxCount;
    offset += (heights[above] ?? 0) + (isWire ? gaps.wire : gaps.row);
    return offset;
  });
}

function settleColumn(layered: Layered, column: readonly number[], y: Float64Array, gaps: Gaps): void {
  const offsets = offsetsOf(layered, column, gaps);
  // Blocks of items that push each other: their common shift is the weighted mean of the preferred shifts.
  const blocks: { sum: number; weight: number; size: number }[] = [];
  for (const [place, item] of column.entries()) {
    const { sum, weight } = wishOf(layered, item, y);
    let block = { sum: sum - weight * (offsets[place] ?? 0), weight, size: 1 };
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.sum / last.weight <= block.sum / block.weight) break;
      blocks.pop();
      block = { sum: last.sum + block.sum, weight: last.weight + block.weight, size: last.size + block.size };
    }
    blocks.push(block);
  }
  let place = 0;
  for (const { sum, weight, size } of blocks) {
    for (const end = place + size; place < end; place++) {
      y[column[place] ?? 0] = sum / weight + (offsets[place] ?? 0);
    }
  }
}

/** The weighted sum of the tops at which each of the item's segments would be level. */
function wishOf(layered: Layered, item: number, y: Float64Array): { sum: number; weight: number } {
  // A small weight on the current position keeps unconnected items in place.
  let weight = 0.01;
  let sum = weight * (y[item] ?? 0);
  const add = (far: number, farY: number, ownY: number): void => {
    const pull = far >= layered.boxCount && item >= layered.boxCount ? JOINT_WEIGHT : 1;
    sum += pull * ((y[far] ?? 0) + farY - ownY);
    weight += pull;
  };
  for (const { left, leftY, rightY } of layered.before[item] ?? ([] as Segment[])) add(left, leftY, rightY);
  for (const { right, leftY, rightY } of layered.after[item] ?? ([] as Segment[])) add(right, rightY, leftY);
  return { sum, weight };
}
