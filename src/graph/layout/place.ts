// Performs step 3 of the layout: computes coordinates. Columns are placed side by side. Within a column, each item is
// placed at the height at which its edges are most nearly horizontal, as far as order and gaps allow. This is a
// weighted isotonic regression per column, solved exactly by pooling adjacent violators. Alternating sweeps make all
// columns converge.
import type { Box, LayeredGraph, Segment } from './layers.ts';

export interface Gaps {
  /** Between boxes of a column. */
  readonly row: number;
  /** Between columns. */
  readonly column: number;
  /** Between a passing edge and the items above and below it. */
  readonly wire: number;
}

export interface BoxPositions {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const SWEEPS = 14;
// A bend in the middle of a long edge is the most visible.
const JOINT_WEIGHT = 4;

/** Returns the top left corner of every box. The smallest x and y are 0. */
export function placeItems(layered: LayeredGraph, boxes: readonly Box[], gaps: Gaps): BoxPositions {
  const y = stackColumns(layered, gaps);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const columns = sweep % 2 === 0 ? layered.columns : layered.columns.toReversed();
    for (const column of columns) alignColumn(layered, column, y, gaps);
  }
  const tops = y.subarray(0, boxes.length);
  const minY = tops.reduce((min, top) => Math.min(min, top), Number.POSITIVE_INFINITY);
  return { x: placeColumns(layered, boxes, gaps), y: tops.map(top => Math.round(top - minY)) };
}

function placeColumns({ columns, boxCount }: LayeredGraph, boxes: readonly Box[], gaps: Gaps): Float64Array {
  const x = new Float64Array(boxCount);
  let columnX = 0;
  for (const column of columns) {
    const members = column.filter(item => item < boxCount);
    const width = members.reduce((max, item) => Math.max(max, boxes[item]?.width ?? 0), 0);
    for (const item of members) x[item] = columnX + Math.round((width - (boxes[item]?.width ?? 0)) / 2);
    columnX += width + gaps.column;
  }
  return x;
}

/** Returns the initial heights: each column stacked by itself and centered at 0. */
function stackColumns(layered: LayeredGraph, gaps: Gaps): Float64Array {
  const y = new Float64Array(layered.itemCount);
  for (const column of layered.columns) {
    const offsets = getMinOffsets(layered, column, gaps);
    const middle = (offsets.at(-1) ?? 0) / 2;
    for (const [index, item] of column.entries()) y[item] = (offsets[index] ?? 0) - middle;
  }
  return y;
}

/** Returns the offset of each item's top from the first item's top when all are as close as allowed. */
function getMinOffsets({ heights, boxCount }: LayeredGraph, column: readonly number[], gaps: Gaps): number[] {
  let offset = 0;
  return column.map((item, index) => {
    const above = column[index - 1];
    if (above === undefined) return 0;
    const hasJoint = above >= boxCount || item >= boxCount;
    offset += (heights[above] ?? 0) + (hasJoint ? gaps.wire : gaps.row);
    return offset;
  });
}

function alignColumn(layered: LayeredGraph, column: readonly number[], y: Float64Array, gaps: Gaps): void {
  const offsets = getMinOffsets(layered, column, gaps);
  // Blocks of items that touch each other. Their common shift is the weighted mean of the preferred shifts.
  const blocks: { sum: number; weight: number; size: number }[] = [];
  for (const [index, item] of column.entries()) {
    const { sum, weight } = sumPreferredTops(layered, item, y);
    let block = { sum: sum - weight * (offsets[index] ?? 0), weight, size: 1 };
    for (let previous = blocks.at(-1); previous !== undefined; previous = blocks.at(-1)) {
      if (previous.sum / previous.weight <= block.sum / block.weight) break;
      blocks.pop();
      block = {
        sum: previous.sum + block.sum,
        weight: previous.weight + block.weight,
        size: previous.size + block.size,
      };
    }
    blocks.push(block);
  }
  let index = 0;
  for (const { sum, weight, size } of blocks) {
    for (const end = index + size; index < end; index++) {
      y[column[index] ?? 0] = sum / weight + (offsets[index] ?? 0);
    }
  }
}

/** Returns the weighted sum of the tops at which each of the item's segments is level, and the sum of the weights. */
function sumPreferredTops(
  layered: LayeredGraph,
  item: number,
  y: Float64Array,
): { sum: number; weight: number } {
  // A small weight on the current position keeps unconnected items in place.
  let weight = 0.01;
  let sum = weight * (y[item] ?? 0);
  const add = (other: number, otherPortY: number, itemPortY: number): void => {
    const segmentWeight = other >= layered.boxCount && item >= layered.boxCount ? JOINT_WEIGHT : 1;
    sum += segmentWeight * ((y[other] ?? 0) + otherPortY - itemPortY);
    weight += segmentWeight;
  };
  for (const { left, leftY, rightY } of layered.before[item] ?? ([] as Segment[])) add(left, leftY, rightY);
  for (const { right, leftY, rightY } of layered.after[item] ?? ([] as Segment[])) add(right, rightY, leftY);
  return { sum, weight };
}
