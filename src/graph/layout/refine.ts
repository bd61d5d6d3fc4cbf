// Performs step 4 of the layout: improves the drawing by local search. Moves one box at a time within the free space
// of its column, to the position where the fewest lines cross each other or run over boxes.
import type { Box, LayeredGraph, Wire } from './layers.ts';
import {
  addRect,
  copyLine,
  countBoxesUnder,
  countCrossings,
  countLinesOver,
  createLines,
  EPSILON,
  getExtentBetween,
  getRise,
  getVerticalExtent,
  type Lines,
  type Rects,
} from './lines.ts';
import type { BoxPositions, Gaps } from './place.ts';

const PASS_COUNTS = { small: 4, large: 2 };
/** The number of positions that a box tries, nearest to its preferred position first. */
const MAX_CANDIDATES = 4;
/** The maximum number of edges for a thorough search. In a small graph, a line over a box is conspicuous. */
const MAX_SMALL_GRAPH_WIRES = 120;
/** The share of its height by which a small drawing may grow at the top and bottom. */
const MAX_GROWTH = 0.4;
// A line behind a box cannot be followed, which is worse than a crossing.
const HIDDEN_EDGE_COST = 2;
/** Cost per canvas pixel of length. Breaks ties and keeps boxes from drifting. */
const LENGTH_COST = 1 / 2000;

/** The lines and boxes on one side of a box. */
interface Side {
  readonly lines: Lines;
  readonly boxes: Rects;
}

interface Search {
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
  readonly positions: BoxPositions;
  /** All lines, by the index of their edge. */
  readonly lines: Lines;
  /** What the current box and its lines may intersect on either side. */
  readonly left: Side;
  readonly right: Side;
  /** Lines of the current box that have been counted so far. */
  readonly ownLines: Lines;
  readonly linesByBox: readonly (readonly number[])[];
  readonly columns: readonly number[][];
  readonly columnByBox: Int32Array;
  /** The vertical extent before the search. The result must not exceed it, or in a small graph only by MAX_GROWTH. */
  readonly extent: { readonly top: number; readonly bottom: number };
}

/**
 * Moves boxes within their columns, in place, keeping the gaps. Returns the total cost of the result, and how often an
 * edge is behind a box.
 */
export function refinePositions(
  layered: LayeredGraph,
  boxes: readonly Box[],
  positions: BoxPositions,
  gaps: Gaps,
): { readonly cost: number; readonly hiddenEdges: number } {
  const search = createSearch(layered, boxes, positions);
  const { columns, linesByBox, wires } = search;
  // A box is tried again only after a connected box, or one of the same column, has moved.
  const isStale = new Uint8Array(boxes.length).fill(1);
  const passes = wires.length <= MAX_SMALL_GRAPH_WIRES ? PASS_COUNTS.small : PASS_COUNTS.large;
  for (let pass = 0; pass < passes; pass++) {
    for (const column of pass % 2 === 0 ? columns : columns.toReversed()) {
      for (const box of [...column]) {
        if (!isStale[box]) continue;
        isStale[box] = 0;
        if (!improveBox(search, box, gaps)) continue;
        for (const member of column) isStale[member] = 1;
        for (const line of linesByBox[box] ?? []) {
          isStale[wires[line]?.from ?? 0] = 1;
          isStale[wires[line]?.to ?? 0] = 1;
        }
      }
    }
  }
  const top = positions.y.reduce((min, y) => Math.min(min, y), Number.POSITIVE_INFINITY);
  for (let box = 0; box < boxes.length; box++) moveBox(search, box, (positions.y[box] ?? 0) - top);
  return sumCosts(search);
}

function sumCosts({ lines, ownLines, wires, boxes, positions }: Search): ReturnType<typeof refinePositions> {
  let cost = 0;
  let hiddenEdges = 0;
  ownLines.count = 0;
  for (let line = 0; line < wires.length; line++) {
    cost += countCrossings(lines, line, ownLines) + LENGTH_COST * getVerticalExtent(lines, line);
    copyLine(lines, line, ownLines);
  }
  for (const [box, { width, height }] of boxes.entries()) {
    const [x, y] = [positions.x[box] ?? 0, positions.y[box] ?? 0];
    hiddenEdges += countLinesOver(ownLines, x, x + width, y, y + height);
  }
  return { cost: cost + HIDDEN_EDGE_COST * hiddenEdges, hiddenEdges };
}

function createSearch(layered: LayeredGraph, boxes: readonly Box[], positions: BoxPositions): Search {
  const wires = layered.forward;
  const linesByBox = boxes.map((): number[] => []);
  for (const [index, { from, to }] of wires.entries()) {
    linesByBox[from]?.push(index);
    linesByBox[to]?.push(index);
  }
  const columns = layered.columns.map(column => column.filter(item => item < layered.boxCount));
  const search: Search = {
    boxes,
    wires,
    positions,
    lines: createLines(wires.length),
    left: createSide(wires.length, boxes.length),
    right: createSide(wires.length, boxes.length),
    ownLines: createLines(wires.length),
    linesByBox,
    columns,
    columnByBox: layered.columnByItem,
    extent: {
      top: positions.y.reduce((min, y) => Math.min(min, y), 0),
      bottom: boxes.reduce((max, { height }, box) => Math.max(max, (positions.y[box] ?? 0) + height), 0),
    },
  };
  for (let line = 0; line < wires.length; line++) setLine(search, line);
  return search;
}

function createSide(wireCount: number, boxCount: number): Side {
  const column = (): Float64Array => new Float64Array(boxCount);
  const boxes = {
    id: new Int32Array(boxCount),
    left: column(),
    right: column(),
    top: column(),
    bottom: column(),
    count: 0,
  };
  return { lines: createLines(wireCount), boxes };
}

/** Computes an edge's line from the positions of its boxes. */
function setLine({ wires, boxes, positions, lines }: Search, line: number): void {
  const wire = wires[line];
  if (wire === undefined) return;
  const x1 = (positions.x[wire.from] ?? 0) + (boxes[wire.from]?.width ?? 0);
  const x2 = positions.x[wire.to] ?? 0;
  const y1 = (positions.y[wire.from] ?? 0) + wire.fromY;
  const slope = ((positions.y[wire.to] ?? 0) + wire.toY - y1) / (x2 - x1);
  lines.x1[line] = x1;
  lines.x2[line] = x2;
  lines.slope[line] = slope;
  lines.base[line] = y1 - slope * x1;
}

function improveBox(search: Search, box: number, gaps: Gaps): boolean {
  const { y } = search.positions;
  if (search.linesByBox[box]?.length === 0) return false;
  const start = y[box] ?? 0;
  collectNeighbors(search, box);
  let best = start;
  let lowestCost = computeCostAt(search, box, start, Number.POSITIVE_INFINITY);
  for (const candidate of listCandidates(search, box, gaps, lowestCost >= HIDDEN_EDGE_COST)) {
    if (candidate === start || lowestCost === 0) continue;
    const cost = computeCostAt(search, box, candidate, lowestCost);
    if (cost >= lowestCost - EPSILON) continue;
    best = candidate;
    lowestCost = cost;
  }
  moveBox(search, box, best);
  if (best === start) return false;
  search.columns[search.columnByBox[box] ?? 0]?.sort((a, b) => (y[a] ?? 0) - (y[b] ?? 0));
  return true;
}

/** Collects everything that overlaps the box or its lines on the x axis, on either side. */
function collectNeighbors(
  { lines, left, right, linesByBox, wires, positions, boxes }: Search,
  box: number,
): void {
  const end = (positions.x[box] ?? 0) + (boxes[box]?.width ?? 0);
  let from = positions.x[box] ?? 0;
  let to = end;
  for (const line of linesByBox[box] ?? []) {
    from = Math.min(from, lines.x1[line] ?? 0);
    to = Math.max(to, lines.x2[line] ?? 0);
  }
  for (const side of [left, right]) {
    side.lines.count = 0;
    side.boxes.count = 0;
  }
  // Plain loops, because iterators doubled the time of this hot path.
  for (let line = 0; line < wires.length; line++) {
    const x1 = lines.x1[line] ?? 0;
    const x2 = lines.x2[line] ?? 0;
    if (x1 >= to || x2 <= from || wires[line]?.from === box || wires[line]?.to === box) continue;
    if (x1 < end) copyLine(lines, line, left.lines);
    if (x2 > end) copyLine(lines, line, right.lines);
  }
  for (let other = 0; other < boxes.length; other++) {
    const x = positions.x[other] ?? 0;
    const farX = x + (boxes[other]?.width ?? 0);
    if (x >= to || farX <= from || other === box) continue;
    const y = positions.y[other] ?? 0;
    const farY = y + (boxes[other]?.height ?? 0);
    if (x < end) addRect(left.boxes, other, x, farX, y, farY);
    if (farX > end) addRect(right.boxes, other, x, farX, y, farY);
  }
}

/**
 * Returns the tops nearest to the preferred top in free ranges of the column. With `avoidsOverlaps`, also returns tops
 * that clear obstacles.
 */
function listCandidates(search: Search, box: number, gaps: Gaps, avoidsOverlaps: boolean): number[] {
  const { positions, boxes, columns, columnByBox, wires, extent } = search;
  const height = boxes[box]?.height ?? 0;
  const preferredTop = getPreferredTop(search, box);
  const tops: number[] = [];
  const isSmall = wires.length <= MAX_SMALL_GRAPH_WIRES;
  const growth = isSmall ? MAX_GROWTH * (extent.bottom - extent.top) : 0;
  const clearTops = isSmall && avoidsOverlaps ? findClearTops(search, box, gaps) : [];
  const clearCandidates: number[] = [];
  let from = extent.top;
  const addRange = (to: number): void => {
    const minTop = from === extent.top ? from - growth : from;
    const maxTop = to === extent.bottom - height ? to + growth : to;
    for (const top of clearTops) if (top >= minTop && top <= maxTop) clearCandidates.push(Math.round(top));
    if (from > to) return;
    tops.push(Math.round(Math.min(to, Math.max(from, preferredTop))));
    // In a wide range, the far end is a candidate too.
    if (Number.isFinite(from) && Number.isFinite(to) && to - from > height)
      tops.push(Math.round(preferredTop > (from + to) / 2 ? from : to));
  };
  for (const other of columns[columnByBox[box] ?? 0] ?? []) {
    if (other === box) continue;
    const top = positions.y[other] ?? 0;
    addRange(top - gaps.row - height);
    from = top + (boxes[other]?.height ?? 0) + gaps.row;
  }
  addRange(extent.bottom - height);
  return [
    ...tops.sort((a, b) => Math.abs(a - preferredTop) - Math.abs(b - preferredTop)).slice(0, MAX_CANDIDATES),
    ...clearCandidates,
  ];
}

/** Returns the tops at which no line passes over the box, and no line of the box passes over another box. */
function findClearTops(search: Search, box: number, gaps: Gaps): number[] {
  const { left, linesByBox, boxes, positions } = search;
  const { width = 0, height = 0 } = boxes[box] ?? {};
  const [x, y] = [positions.x[box] ?? 0, positions.y[box] ?? 0];
  const tops: number[] = [];
  for (let line = 0; line < left.lines.count; line++) {
    const span = getExtentBetween(left.lines, line, x, x + width);
    if (span === undefined || span.low >= y + height || span.high <= y) continue;
    tops.push(span.low - gaps.wire - height, span.high + gaps.wire);
  }
  for (const line of linesByBox[box] ?? []) addClearTops(tops, search, box, line, gaps);
  return tops;
}

function addClearTops(
  tops: number[],
  { lines, left, right, wires }: Search,
  box: number,
  line: number,
  gaps: Gaps,
): void {
  const { from = box, fromY = 0, toY = 0 } = wires[line] ?? {};
  const isOut = from === box;
  const { boxes } = isOut ? right : left;
  const port = isOut ? fromY : toY;
  // The far end of the line is fixed. The near end is chosen so that the line passes the other box.
  const [near, far] = isOut ? [lines.x1, lines.x2] : [lines.x2, lines.x1];
  const [nearX, farX] = [near[line] ?? 0, far[line] ?? 0];
  const farY = (lines.base[line] ?? 0) + (lines.slope[line] ?? 0) * farX;
  for (let other = 0; other < boxes.count; other++) {
    const [start, end] = [boxes.left[other] ?? 0, boxes.right[other] ?? 0];
    const [top, bottom] = [boxes.top[other] ?? 0, boxes.bottom[other] ?? 0];
    const span = getExtentBetween(lines, line, start, end);
    if (span === undefined || span.low >= bottom || span.high <= top) continue;
    const shares = [start, end].map(x => getRise((x - farX) / (nearX - farX))).filter(share => share > 0.05);
    const over = shares.map(share => farY + (top - gaps.wire - farY) / share);
    const under = shares.map(share => farY + (bottom + gaps.wire - farY) / share);
    tops.push(Math.min(...over) - port, Math.max(...under) - port);
  }
}

/** Returns the top at which the box's lines are level on average. */
function getPreferredTop({ wires, positions, linesByBox }: Search, box: number): number {
  const ownLines = linesByBox[box] ?? [];
  let sum = 0;
  for (const line of ownLines) {
    const wire = wires[line];
    if (wire === undefined) continue;
    const neighbor = wire.from === box ? wire.to : wire.from;
    const offset = wire.toY - wire.fromY;
    sum += (positions.y[neighbor] ?? 0) + (wire.from === box ? offset : -offset);
  }
  return sum / ownLines.length;
}

/** Moves the box and its lines. */
function moveBox(search: Search, box: number, top: number): void {
  search.positions.y[box] = top;
  for (const line of search.linesByBox[box] ?? []) setLine(search, line);
}

/** Moves the box to this position and returns its cost, or `limit` if the cost is not smaller. */
function computeCostAt(search: Search, box: number, top: number, limit: number): number {
  moveBox(search, box, top);
  const { lines, left, right, ownLines, linesByBox, boxes, positions, wires } = search;
  const { width = 0, height = 0 } = boxes[box] ?? {};
  const x = positions.x[box] ?? 0;
  let cost = HIDDEN_EDGE_COST * countLinesOver(left.lines, x, x + width, top, top + height);
  ownLines.count = 0;
  for (const line of linesByBox[box] ?? []) {
    if (cost >= limit) return limit;
    const { from, to } = wires[line] ?? { from: box, to: box };
    const side = from === box ? right : left;
    cost += HIDDEN_EDGE_COST * countBoxesUnder(lines, line, side.boxes, from === box ? to : from);
    cost += countCrossings(lines, line, side.lines) + countCrossings(lines, line, ownLines);
    cost += LENGTH_COST * getVerticalExtent(lines, line);
    copyLine(lines, line, ownLines);
  }
  return cost;
}
