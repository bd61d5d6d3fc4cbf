// Performs step 2 of the layout: orders each column to reduce crossings (Sugiyama's sweeps).
//
// 1. Each sweep sorts one column after another by the mean position of its neighbors in the previous column. Sweeps
//    alternate between right and left. The positions of ports within an item count too.
// 2. After each pair of sweeps, adjacent items are swapped if that removes crossings.
// 3. The best order is kept.
import type { LayeredGraph, Segment } from './layers.ts';

// More sweeps gain little: refine.ts removes more of the visible crossings.
const MAX_SWEEPS = 4;
const MAX_SWAP_ROUNDS = 4;

/** The direction of a sweep. */
type SweepDirection = 'right' | 'left';

/**
 * Orders `layered.columns` in place. The direction of the first sweep often decides which of several good orders is
 * found.
 */
export function orderColumns(layered: LayeredGraph, firstSweep: SweepDirection): void {
  const secondSweep = firstSweep === 'right' ? 'left' : 'right';
  const positions = new Float64Array(layered.itemCount);
  const columns = layered.columns;
  for (const column of columns) assignPositions(column, positions);
  let best = columns.map(column => [...column]);
  let fewest = countCrossings(layered, positions);
  for (let sweep = 0; sweep < MAX_SWEEPS && fewest > 0; sweep++) {
    sweepColumns(layered, positions, sweep % 2 === 0 ? firstSweep : secondSweep);
    if (sweep >= 2) swapNeighbors(layered, positions);
    const crossings = countCrossings(layered, positions);
    if (crossings < fewest) {
      fewest = crossings;
      best = columns.map(column => [...column]);
    }
  }
  for (const [index, column] of best.entries()) columns[index] = column;
}

function assignPositions(column: readonly number[], positions: Float64Array): void {
  for (let position = 0; position < column.length; position++) positions[column[position] ?? 0] = position;
}

function sweepColumns(layered: LayeredGraph, positions: Float64Array, direction: SweepDirection): void {
  const { columns } = layered;
  for (let step = 1; step < columns.length; step++) {
    const index = direction === 'right' ? step : columns.length - 1 - step;
    const column = columns[index] ?? [];
    const means = new Map(
      column.map(item => [item, computeMeanPosition(layered, positions, item, direction)]),
    );
    column.sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0));
    assignPositions(column, positions);
  }
}

/**
 * Returns the mean position of the ports that an item is connected to on one side; its own position if there are none.
 */
function computeMeanPosition(
  layered: LayeredGraph,
  positions: Float64Array,
  item: number,
  direction: SweepDirection,
): number {
  const segments = (direction === 'right' ? layered.before : layered.after)[item] ?? [];
  if (segments.length === 0) return positions[item] ?? 0;
  let sum = 0;
  for (const segment of segments) sum += getFarPosition(layered, positions, segment, direction);
  return sum / segments.length;
}

/** Returns the position of a segment's port at its other end: 2.5 is the middle of the item at position 2. */
function getFarPosition(
  { heights }: LayeredGraph,
  positions: Float64Array,
  segment: Segment,
  direction: SweepDirection,
): number {
  const item = direction === 'right' ? segment.left : segment.right;
  const portY = direction === 'right' ? segment.leftY : segment.rightY;
  const height = heights[item] ?? 0;
  return (positions[item] ?? 0) + (height === 0 ? 0.5 : Math.min(0.99, portY / height));
}

function swapNeighbors(layered: LayeredGraph, positions: Float64Array): void {
  for (const column of layered.columns) {
    const befores = new Map(column.map(item => [item, listFarPositions(layered, positions, item, 'right')]));
    const afters = new Map(column.map(item => [item, listFarPositions(layered, positions, item, 'left')]));
    for (let round = 0, isImproved = true; isImproved && round < MAX_SWAP_ROUNDS; round++) {
      isImproved = false;
      for (let index = 0; index + 1 < column.length; index++) {
        const [upper = 0, lower = 0] = [column[index], column[index + 1]];
        const gain =
          computeSwapGain(befores.get(upper), befores.get(lower)) +
          computeSwapGain(afters.get(upper), afters.get(lower));
        if (gain <= 0) continue;
        column[index] = lower;
        column[index + 1] = upper;
        isImproved = true;
      }
    }
    assignPositions(column, positions);
  }
}

function listFarPositions(
  layered: LayeredGraph,
  positions: Float64Array,
  item: number,
  direction: SweepDirection,
): number[] {
  const segments = (direction === 'right' ? layered.before : layered.after)[item] ?? [];
  return segments
    .map(segment => getFarPosition(layered, positions, segment, direction))
    .sort((a, b) => a - b);
}

/** Returns the number of crossings that swapping `upper` and `lower` removes, minus those it adds. */
function computeSwapGain(upper: readonly number[] = [], lower: readonly number[] = []): number {
  let gain = 0;
  for (const a of upper) {
    for (const b of lower) gain += Math.sign(a - b);
  }
  return gain;
}

/** Counts all crossings between adjacent columns: the inversions of their segments' ends (Barth, Jünger, Mutzel). */
function countCrossings(layered: LayeredGraph, positions: Float64Array): number {
  return layered.columns.reduce((sum, column) => sum + countBetween(layered, positions, column), 0);
}

function countBetween(layered: LayeredGraph, positions: Float64Array, column: readonly number[]): number {
  const keys: number[] = [];
  for (const item of column) {
    const segments = layered.after[item] ?? [];
    const byPort = segments.length > 1 ? [...segments].sort((a, b) => a.leftY - b.leftY) : segments;
    for (const segment of byPort) keys.push(getFarPosition(layered, positions, segment, 'left'));
  }
  return countInversions(keys);
}

/** Counts inversions by merge sort. */
function countInversions(keys: number[]): number {
  let source = Float64Array.from(keys);
  let target = new Float64Array(keys.length);
  let total = 0;
  for (let width = 1; width < keys.length; width *= 2) {
    for (let start = 0; start < keys.length; start += 2 * width) {
      const middle = Math.min(start + width, keys.length);
      const end = Math.min(start + 2 * width, keys.length);
      let [a, b] = [start, middle];
      for (let index = start; index < end; index++) {
        const takeLeft = a < middle && (b >= end || (source[a] ?? 0) <= (source[b] ?? 0));
        if (!takeLeft) total += middle - a;
        target[index] = source[takeLeft ? a++ : b++] ?? 0;
      }
    }
    [source, target] = [target, source];
  }
  return total;
}
