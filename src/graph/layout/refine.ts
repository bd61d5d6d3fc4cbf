// Layout, step 4: local search on visual quality. Edges count as straight lines between ports; each box in turn tries
// the free ranges of its column and takes the position where its lines cross least and pass over the fewest boxes.
import type { Box, Layered, Wire } from './layers.ts';
import {
  addRect,
  copyLine,
  countBoxesUnder,
  countCrossings,
  countLinesOver,
  EPSILON,
  type Lines,
  makeLines,
  type Rects,
  rise,
  spanOver,
} from './lines.ts';
import type { Gaps, Places } from './place.ts';

const PASSES = 2;
/** Positions that a box tries, nearest to its preferred position first. */
const MAX_CANDIDATES = 4;
/** Graphs with at most this many edges are searched more thoroughly, since every line over a box is visible there. */
const SMALL_WIRES = 120;
/** The share of its height by which a small picture may grow for that, above and below. */
const GROWTH = 0.12;
// A line over a box hides where it goes; a crossing is only untidy.
const OVER_COST = 2;
/** Cost per canvas pixel of length: enough to break ties and keep boxes from drifting. */
const LENGTH_COST = 1 / 2000;

/** Everything on one side of a box. */
interface Side {
  readonly lines: Lines;
  readonly boxes: Rects;
}

interface Search {
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
  readonly places: Places;
  /** All lines, by edge. */
  readonly lines: Lines;
  /** Lines and boxes that the box and its lines may intersect. */
  readonly left: Side;
  readonly right: Side;
  /** Its own lines that have been counted so far. */
  readonly own: Lines;
  readonly linesOf: readonly (readonly number[])[];
  readonly columns: readonly number[][];
  readonly columnOf: Int32Array;
  /** The height before the search, which the result may not exceed. */
  readonly extent: { readonly top: number; readonly bottom: number };
}

/** Moves boxes within their columns, in place, keeping the gaps; returns the total cost of the result. */
export function refinePlaces(layered: Layered, boxes: readonly Box[], places: Places, gaps: Gaps): number {
  const search = makeSearch(layered, boxes, places);
  const { columns, linesOf, wires } = search;
  // A box is tried again only after a connected box, or one of the same column, has moved.
  const isStale = new Uint8Array(boxes.length).fill(1);
  for (let pass = 0; pass < PASSES; pass++) {
    for (const column of pass % 2 === 0 ? columns : columns.toReversed()) {
      for (const box of [...column]) {
        if (!isStale[box]) continue;
        isStale[box] = 0;
        if (!tryBox(search, box, gaps)) continue;
        for (const mate of column) isStale[mate] = 1;
        for (const line of linesOf[box] ?? []) {
          isStale[wires[line]?.from ?? 0] = 1;
          isStale[wires[line]?.to ?? 0] = 1;
        }
      }
    }
  }
  const top = places.y.reduce((min, y) => Math.min(min, y), Number.POSITIVE_INFINITY);
  for (let box = 0; box < boxes.length; box++) moveBox(search, box, (places.y[box] ?? 0) - top);
  return costOfAll(search);
}

function costOfAll({ lines, own, wires, boxes, places }: Search): number {
  let cost = 0;
  own.count = 0;
  for (let line = 0; line < wires.length; line++) {
    cost += countCrossings(lines, line, own) + LENGTH_COST * rise(lines, line);
    copyLine(lines, line, own);
  }
  for (const [box, { width, height }] of boxes.entries()) {
    const [x, y] = [places.x[box] ?? 0, places.y[box] ?? 0];
    cost += OVER_COST * countLinesOver(own, x, x + width, y, y + height);
  }
  return cost;
}

function makeSearch(layered: Layered, boxes: readonly Box[], places: Places): Search {
  const wires = layered.forward;
  const linesOf = boxes.map((): number[] => []);
  for (const [index, { from, to }] of wires.entries()) {
    linesOf[from]?.push(index);
    linesOf[to]?.push(index);
  }
  const columns = layered.columns.map(column => column.filter(item => item < layered.boxCount));
  const search: Search = {
    boxes,
    wires,
    places,
    lines: makeLines(wires.length),
    left: makeSide(wires.length, boxes.length),
    right: makeSide(wires.length, boxes.length),
    own: makeLines(wires.length),
    linesOf,
    columns,
    columnOf: layered.columnOf,
    extent: {
      top: places.y.reduce((min, y) => Math.min(min, y), 0),
      bottom: boxes.reduce((max, { height }, box) => Math.max(max, (places.y[box] ?? 0) + height), 0),
    },
  };
  for (let line = 0; line < wires.length; line++) setLine(search, line);
  return search;
}

function makeSide(wireCount: number, boxCount: number): Side {
  const column = (): Float64Array => new Float64Array(boxCount);
  const boxes = {
    id: new Int32Array(boxCount),
    left: column(),
    right: column(),
    top: column(),
    bottom: column(),
    count: 0,
  };
  return { lines: makeLines(wireCount), boxes };
}

/** Computes an edge's line from the positions of its boxes. */
function setLine({ wires, boxes, places, lines }: Search, line: number): void {
  const wire = wires[line];
  if (wire === undefined) return;
  const x1 = (places.x[wire.from] ?? 0) + (boxes[wire.from]?.width ?? 0);
  const x2 = places.x[wire.to] ?? 0;
  const y1 = (places.y[wire.from] ?? 0) + wire.fromY;
  const slope = ((places.y[wire.to] ?? 0) + wire.toY - y1) / (x2 - x1);
  lines.x1[line] = x1;
  lines.x2[line] = x2;
  lines.slope[line] = slope;
  lines.base[line] = y1 - slope * x1;
}

function tryBox(search: Search, box: number, gaps: Gaps): boolean {
  const { y } = search.places;
  if (search.linesOf[box]?.length === 0) return false;
  const start = y[box] ?? 0;
  lookAround(search, box);
  let best = start;
  let least = costAt(search, box, start, Number.POSITIVE_INFINITY);
  for (const candidate of candidatesFor(search, box, gaps, least >= OVER_COST)) {
    if (candidate === start || least === 0) continue;
    const cost = costAt(search, box, candidate, least);
    if (cost >= least - EPSILON) continue;
    best = candidate;
    least = cost;
  }
  moveBox(search, box, best);
  if (best === start) return false;
  search.columns[search.columnOf[box] ?? 0]?.sort((a, b) => (y[a] ?? 0) - (y[b] ?? 0));
  return true;
}

/** Collects everything that overlaps the box or its lines on the x axis, on either side. */
function lookAround({ lines, left, right, linesOf, wires, places, boxes }: Search, box: number): void {
  const end = (places.x[box] ?? 0) + (boxes[box]?.width ?? 0);
  let from = places.x[box] ?? 0;
  let to = end;
  for (const line of linesOf[box] ?? []) {
    from = Math.min(from, lines.x1[line] ?? 0);
    to = Math.max(to, lines.x2[line] ?? 0);
  }
  for (const side of [left, right]) {
    side.lines.count = 0;
    side.boxes.count = 0;
  }
  // Plain loops: this runs for every box in every pass, and iterators took half of the time.
  for (let line = 0; line < wires.length; line++) {
    const x1 = lines.x1[line] ?? 0;
    const x2 = lines.x2[line] ?? 0;
    if (x1 >= to || x2 <= from || wires[line]?.from === box || wires[line]?.to === box) continue;
    if (x1 < end) copyLine(lines, line, left.lines);
    if (x2 > end) copyLine(lines, line, right.lines);
  }
  for (let other = 0; other < boxes.length; other++) {
    const x = places.x[other] ?? 0;
    const farX = x + (boxes[other]?.width ?? 0);
    if (x >= to || farX <= from || other === box) continue;
    const y = places.y[other] ?? 0;
    const farY = y + (boxes[other]?.height ?? 0);
    if (x < end) addRect(left.boxes, other, x, farX, y, farY);
    if (farX > end) addRect(right.boxes, other, x, farX, y, farY);
  }
}

/** The tops nearest to the preferred one in free ranges of the column; with `dodges`, also those next to obstacles. */
function candidatesFor(search: Search, box: number, gaps: Gaps, dodges: boolean): number[] {
  const { places, boxes, columns, columnOf, wires, extent } = search;
  const height = boxes[box]?.height ?? 0;
  const wish = wishOf(search, box);
  const tops: number[] = [];
  const isSmall = wires.length <= SMALL_WIRES;
  const growth = isSmall ? GROWTH * (extent.bottom - extent.top) : 0;
  const dodging = isSmall && dodges ? dodgesFor(search, box, gaps) : [];
  const dodged: number[] = [];
  let from = extent.top;
  const addStretch = (to: number): void => {
    const least = from === extent.top ? from - growth : from;
    const most = to === extent.bottom - height ? to + growth : to;
    for (const top of dodging) if (top >= least && top <= most) dodged.push(Math.round(top));
    if (from > to) return;
    tops.push(Math.round(Math.min(to, Math.max(from, wish))));
    // A wide range is also tried at its far end, no farther than it is high.
    if (Number.isFinite(from) && Number.isFinite(to) && to - from > height)
      tops.push(Math.round(wish > (from + to) / 2 ? from : to));
  };
  for (const other of columns[columnOf[box] ?? 0] ?? []) {
    if (other === box) continue;
    const top = places.y[other] ?? 0;
    addStretch(top - gaps.row - height);
    from = top + (boxes[other]?.height ?? 0) + gaps.row;
  }
  addStretch(extent.bottom - height);
  return [
    ...tops.sort((a, b) => Math.abs(a - wish) - Math.abs(b - wish)).slice(0, MAX_CANDIDATES),
    ...dodged,
  ];
}

/** Tops at which a line over the box, or a box under one of its lines, would be avoided. */
function dodgesFor(search: Search, box: number, gaps: Gaps): number[] {
  const { left, linesOf, boxes, places } = search;
  const { width = 0, height = 0 } = boxes[box] ?? {};
  const [x, y] = [places.x[box] ?? 0, places.y[box] ?? 0];
  const tops: number[] = [];
  for (let line = 0; line < left.lines.count; line++) {
    const span = spanOver(left.lines, line, x, x + width);
    if (span === undefined || span.low >= y + height || span.high <= y) continue;
    tops.push(span.low - gaps.wire - height, span.high + gaps.wire);
  }
  for (const line of linesOf[box] ?? []) addDodges(tops, search, box, line, gaps);
  return tops;
}

function addDodges(
  tops: number[],
  { lines, left, right, wires }: Search,
  box: number,
  line: number,
  gaps: Gaps,
): void {
  const { from = box, fromY = 0, toY = 0 } = wires[line] ?? {};
  const isOut = from === box;
  const { boxes: others } = isOut ? right : left;
  const port = isOut ? fromY : toY;
  // The far end stays; our end follows from where the line passes the box between.
  const [near, far] = isOut ? [lines.x1, lines.x2] : [lines.x2, lines.x1];
  const [nearX, farX] = [near[line] ?? 0, far[line] ?? 0];
  const farY = (lines.base[line] ?? 0) + (lines.slope[line] ?? 0) * farX;
  for (let other = 0; other < others.count; other++) {
    const [start, end] = [others.left[other] ?? 0, others.right[other] ?? 0];
    const [top, bottom] = [others.top[other] ?? 0, others.bottom[other] ?? 0];
    const span = spanOver(lines, line, start, end);
    if (span === undefined || span.low >= bottom || span.high <= top) continue;
    const shares = [start, end].map(at => (at - farX) / (nearX - farX)).filter(share => share > 0.05);
    const over = shares.map(share => farY + (top - gaps.wire - farY) / share);
    const under = shares.map(share => farY + (bottom + gaps.wire - farY) / share);
    tops.push(Math.min(...over) - port, Math.max(...under) - port);
  }
}

/** The top at which the box's lines would be level on average. */
function wishOf({ wires, places, linesOf }: Search, box: number): number {
  const own = linesOf[box] ?? [];
  let sum = 0;
  for (const line of own) {
    const wire = wires[line];
    if (wire === undefined) continue;
    const far = wire.from === box ? wire.to : wire.from;
    const offset = wire.toY - wire.fromY;
    sum += (places.y[far] ?? 0) + (wire.from === box ? offset : -offset);
  }
  return sum / own.length;
}

/** Moves the box and its lines. */
function moveBox(search: Search, box: number, top: number): void {
  search.places.y[box] = top;
  for (const line of search.linesOf[box] ?? []) setLine(search, line);
}

/** The cost of the box at this position, or `limit` if it is at least that; leaves the box there. */
function costAt(search: Search, box: number, top: number, limit: number): number {
  moveBox(search, box, top);
  const { lines, left, right, own, linesOf, boxes, places, wires } = search;
  const { width = 0, height = 0 } = boxes[box] ?? {};
  const x = places.x[box] ?? 0;
  let cost = OVER_COST * countLinesOver(left.lines, x, x + width, top, top + height);
  own.count = 0;
  for (const line of linesOf[box] ?? []) {
    if (cost >= limit) return limit;
    const { from, to } = wires[line] ?? { from: box, to: box };
    const side = from === box ? right : left;
    cost += OVER_COST * countBoxesUnder(lines, line, side.boxes, from === box ? to : from);
    cost += countCrossings(lines, line, side.lines) + countCrossings(lines, line, own);
    cost += LENGTH_COST * rise(lines, line);
    copyLine(lines, line, own);
  }
  return cost;
}
