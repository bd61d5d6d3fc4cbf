// Performs step 1 of the layout: breaks cycles, assigns every box to a column, and splits long edges into segments
// between adjacent columns.
//
// 1. A depth-first search reverses each edge that closes a cycle.
// 2. The longest path from the left gives the initial columns.
// 3. Boxes with slack move towards the side with more edges until no move helps. A box with as many edges on both sides
//    moves to the emptiest column.
// 4. An edge across several columns becomes a chain of joints, which reserves space for it.

/** A rectangle to be placed. */
export interface Box {
  readonly width: number;
  readonly height: number;
}

/** An edge between two boxes, by their indexes; `fromY` and `toY` are the offsets of its ports below the boxes' tops. */
export interface Wire {
  readonly from: number;
  readonly to: number;
  readonly fromY: number;
  readonly toY: number;
}

/** A piece of an edge between adjacent columns, left to right. */
export interface Segment {
  readonly left: number;
  readonly right: number;
  readonly leftY: number;
  readonly rightY: number;
}

/** Items 0 … boxCount - 1 are the boxes. Higher items are joints of long edges. */
export interface LayeredGraph {
  readonly boxCount: number;
  readonly itemCount: number;
  /** Item → column. */
  readonly columnByItem: Int32Array;
  /** Item → height; 0 for joints. */
  readonly heights: Float64Array;
  /** Columns of items; the next step determines their order. */
  readonly columns: number[][];
  /** Item → segments that end at the item, and segments that start there. */
  readonly before: readonly (readonly Segment[])[];
  readonly after: readonly (readonly Segment[])[];
  /** The edges after reversal. Each edge runs to a later column. */
  readonly forward: readonly Wire[];
  /** Indexes of edges that close a cycle and run backwards. */
  readonly backward: readonly number[];
}

const MAX_PULL_ROUNDS = 12;

export function createLayers(boxes: readonly Box[], wires: readonly Wire[]): LayeredGraph {
  const { forward, backward } = reverseCycles(boxes.length, wires);
  const columnByItem = shortenWires(rankByLongestPath(boxes.length, forward), forward);
  return { ...splitWires(boxes, forward, columnByItem), forward, backward };
}

function reverseCycles(count: number, wires: readonly Wire[]): { forward: Wire[]; backward: number[] } {
  const outgoing = Array.from({ length: count }, (): number[] => []);
  for (const [index, { from }] of wires.entries()) outgoing[from]?.push(index);
  // 0: not visited, 1: on the path, 2: done.
  const state = new Uint8Array(count);
  const nextEdge = new Int32Array(count);
  const isBack = new Uint8Array(wires.length);
  const sources = findSources(count, wires);
  for (const root of [...sources, ...Array(count).keys()]) {
    if (state[root] !== 0) continue;
    const path = [root];
    state[root] = 1;
    for (let box = path.at(-1); box !== undefined; box = path.at(-1)) {
      const step = nextEdge[box] ?? 0;
      nextEdge[box] = step + 1;
      const wire = outgoing[box]?.[step];
      if (wire === undefined) {
        state[box] = 2;
        path.pop();
        continue;
      }
      const target = wires[wire]?.to ?? 0;
      if (state[target] === 1) isBack[wire] = 1;
      else if (state[target] === 0) {
        state[target] = 1;
        path.push(target);
      }
    }
  }
  const backward = wires.flatMap((_, index) => (isBack[index] ? [index] : []));
  const forward = wires.flatMap((wire, index) => {
    if (wire.from === wire.to) return [];
    return isBack[index] ? [{ from: wire.to, to: wire.from, fromY: wire.toY, toY: wire.fromY }] : [wire];
  });
  return { forward, backward };
}

function findSources(count: number, wires: readonly Wire[]): number[] {
  const isFed = new Uint8Array(count);
  for (const { to } of wires) isFed[to] = 1;
  return [...Array(count).keys()].filter(index => !isFed[index]);
}

function rankByLongestPath(count: number, wires: readonly Wire[]): Int32Array {
  const ranks = new Int32Array(count);
  const openInputs = new Int32Array(count);
  const outgoing = Array.from({ length: count }, (): number[] => []);
  for (const { from, to } of wires) {
    outgoing[from]?.push(to);
    openInputs[to] = (openInputs[to] ?? 0) + 1;
  }
  const ready = [...Array(count).keys()].filter(index => openInputs[index] === 0);
  for (const from of ready) {
    for (const to of outgoing[from] ?? []) {
      ranks[to] = Math.max(ranks[to] ?? 0, (ranks[from] ?? 0) + 1);
      openInputs[to] = (openInputs[to] ?? 0) - 1;
      if (openInputs[to] === 0) ready.push(to);
    }
  }
  return ranks;
}

/** Shortens edges by coordinate descent: moves each box to the end of its slack with more edges. */
function shortenWires(ranks: Int32Array, wires: readonly Wire[]): Int32Array {
  const incoming = Array.from(ranks, (): number[] => []);
  const outgoing = Array.from(ranks, (): number[] => []);
  for (const { from, to } of wires) {
    incoming[to]?.push(from);
    outgoing[from]?.push(to);
  }
  const lastRank = Math.max(0, ...ranks);
  const boxCounts = new Int32Array(lastRank + 1);
  for (const rank of ranks) boxCounts[rank] = (boxCounts[rank] ?? 0) + 1;
  const order = [...ranks.keys()].sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b);
  for (let round = 0; round < MAX_PULL_ROUNDS; round++) {
    let moveCount = 0;
    for (const box of round % 2 === 0 ? order : order.toReversed()) {
      const pull = (outgoing[box]?.length ?? 0) - (incoming[box]?.length ?? 0);
      const earliest =
        1 + (incoming[box] ?? []).reduce((max, source) => Math.max(max, ranks[source] ?? 0), -1);
      const latest =
        (outgoing[box] ?? []).reduce((min, target) => Math.min(min, ranks[target] ?? 0), lastRank + 1) - 1;
      const rank = ranks[box] ?? 0;
      const target =
        pull > 0 ? latest : pull < 0 ? earliest : findEmptiest(boxCounts, rank, earliest, latest);
      if (target === rank) continue;
      boxCounts[rank] = (boxCounts[rank] ?? 0) - 1;
      boxCounts[target] = (boxCounts[target] ?? 0) + 1;
      ranks[box] = target;
      moveCount++;
    }
    if (moveCount === 0) break;
  }
  return ranks;
}

/** Returns the column with the fewest boxes, or the current column unless another one has at least two fewer. */
function findEmptiest(boxCounts: Int32Array, rank: number, earliest: number, latest: number): number {
  let best = rank;
  for (let column = earliest; column <= latest; column++) {
    const fewest = (boxCounts[best] ?? 0) - (best === rank ? 1 : 0);
    if ((boxCounts[column] ?? 0) < fewest) best = column;
  }
  return best;
}

function splitWires(
  boxes: readonly Box[],
  wires: readonly Wire[],
  boxColumns: Int32Array,
): Omit<LayeredGraph, 'forward' | 'backward'> {
  const columnByItem = [...boxColumns];
  const before = boxes.map((): Segment[] => []);
  const after = boxes.map((): Segment[] => []);
  const addSegment = (left: number, right: number, leftY: number, rightY: number): void => {
    const segment = { left, right, leftY, rightY };
    after[left]?.push(segment);
    before[right]?.push(segment);
  };
  for (const { from, to, fromY, toY } of wires) {
    let previous = from;
    let previousY = fromY;
    for (let column = (columnByItem[from] ?? 0) + 1; column < (columnByItem[to] ?? 0); column++) {
      const joint = columnByItem.push(column) - 1;
      before.push([]);
      after.push([]);
      addSegment(previous, joint, previousY, 0);
      previous = joint;
      previousY = 0;
    }
    addSegment(previous, to, previousY, toY);
  }
  const columns = Array.from({ length: Math.max(-1, ...boxColumns) + 1 }, (): number[] => []);
  for (const [item, column] of columnByItem.entries()) columns[column]?.push(item);
  const heights = new Float64Array(columnByItem.length);
  for (const [index, { height }] of boxes.entries()) heights[index] = height;
  return {
    boxCount: boxes.length,
    itemCount: columnByItem.length,
    columnByItem: Int32Array.from(columnByItem),
    heights,
    columns,
    before,
    after,
  };
}
