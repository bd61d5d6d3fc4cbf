// Arranges boxes and edges: the boxes of each connected component in columns, and the components next to and below each
// other.
import { type Box, createLayers, type LayeredGraph, type Wire } from './layers.ts';
import { orderColumns } from './order.ts';
import { type BoxPositions, type Gaps, placeItems } from './place.ts';
import { refinePositions } from './refine.ts';
import { restoreOrder } from './restore-order.ts';

export type Direction = 'RIGHT' | 'DOWN';

/**
 * Gaps in canvas pixels. Long edges get wide gaps, which costs height but keeps them off the boxes (bench/layout.ts).
 */
export const GAPS: Gaps = { row: 60, column: 120, wire: 130 };
const COMPONENT_GAP = 120;

interface StartingPoint {
  readonly firstSweep: 'left' | 'right';
  /** Gaps of long edges and of rows before the search. */
  readonly wire: number;
  readonly row: number;
}

/** Starting points of the search. Small graphs try all points, because no point is best for most graphs. */
const STARTING_POINTS: readonly StartingPoint[] = [GAPS.wire, GAPS.row].flatMap(wire => [
  { firstSweep: 'right', wire, row: GAPS.row },
  { firstSweep: 'left', wire, row: GAPS.row },
]);
/** Starting points for a drawing with edges behind boxes. More space often avoids such edges, but needs more height. */
const LOOSE_STARTING_POINTS: readonly StartingPoint[] = [
  { firstSweep: 'right', wire: GAPS.wire, row: 320 },
  { firstSweep: 'left', wire: GAPS.wire, row: 320 },
  { firstSweep: 'right', wire: 260, row: GAPS.row },
  { firstSweep: 'left', wire: 260, row: GAPS.row },
];
/** The maximum number of boxes for trying several starting points. */
const MAX_RESTARTED_BOXES = 120;
/** The maximum number of boxes for trying loose starting points. Larger graphs would become too high. */
const MAX_LOOSE_BOXES = 40;
/** Width divided by height. Drawings are wider than high, like most screens. */
const ASPECT = 1.6;

export interface Arrangement {
  /** Top left corner of each box; the smallest x and y are 0. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly width: number;
  readonly height: number;
  /** Indexes of the edges that close a cycle and run backwards. */
  readonly backward: readonly number[];
}

/** Places boxes without overlap so that edges run in one direction, except those that close a cycle. */
export function arrangeBoxes(
  boxes: readonly Box[],
  wires: readonly Wire[],
  direction: Direction,
): Arrangement {
  if (direction === 'RIGHT') return arrangeRightwards(boxes, wires);
  // Downwards is rightwards with swapped axes; edges leave at the bottom center and enter at the top center.
  const transposed = boxes.map(({ width, height }) => ({ width: height, height: width }));
  const getMiddle = (box: number): number => (transposed[box]?.height ?? 0) / 2;
  const transposedWires = wires.map(({ from, to }) => ({
    from,
    to,
    fromY: getMiddle(from),
    toY: getMiddle(to),
  }));
  const { x, y, width, height, backward } = arrangeRightwards(transposed, transposedWires);
  return { x: y, y: x, width: height, height: width, backward };
}

interface Component extends Omit<Arrangement, 'backward'> {
  readonly members: readonly number[];
}

function arrangeRightwards(boxes: readonly Box[], wires: readonly Wire[]): Arrangement {
  const backward: number[] = [];
  const components = findComponents(boxes.length, wires).map(({ members, wireIndexes }): Component => {
    const localIndexes = new Map(members.map((box, index) => [box, index]));
    const memberBoxes = members.flatMap(box => boxes[box] ?? []);
    const localWires = wireIndexes.flatMap(index => {
      const wire = wires[index];
      if (wire === undefined) return [];
      return [{ ...wire, from: localIndexes.get(wire.from) ?? 0, to: localIndexes.get(wire.to) ?? 0 }];
    });
    const layers = createLayers(memberBoxes, localWires);
    backward.push(...layers.backward.flatMap(index => wireIndexes[index] ?? []));
    const positions = restoreOrder(arrangeBest(layers, memberBoxes), memberBoxes, localWires);
    return { members, ...withSize(memberBoxes, positions) };
  });
  return { ...packComponents(components, boxes.length), backward: backward.sort((a, b) => a - b) };
}

interface Candidate {
  readonly positions: BoxPositions;
  readonly cost: number;
  readonly hiddenEdges: number;
}

/** Arranges from several starting points, or only one for a large component, and returns the best result. */
function arrangeBest(layers: LayeredGraph, boxes: readonly Box[]): BoxPositions {
  const arrangeFrom = (start: StartingPoint): Candidate => arrangeOnce(layers, boxes, start);
  const startingPoints = boxes.length > MAX_RESTARTED_BOXES ? STARTING_POINTS.slice(0, 1) : STARTING_POINTS;
  const candidates = startingPoints.map(arrangeFrom);
  if (boxes.length <= MAX_LOOSE_BOXES && candidates.every(({ hiddenEdges }) => hiddenEdges > 0))
    candidates.push(...LOOSE_STARTING_POINTS.map(arrangeFrom));
  const [best] = candidates.sort((a, b) => a.cost - b.cost);
  return best?.positions ?? { x: new Float64Array(), y: new Float64Array() };
}

function arrangeOnce(
  layers: LayeredGraph,
  boxes: readonly Box[],
  { firstSweep, wire, row }: StartingPoint,
): Candidate {
  const candidate = { ...layers, columns: layers.columns.map(column => [...column]) };
  orderColumns(candidate, firstSweep);
  const positions = placeItems(candidate, boxes, { ...GAPS, wire, row });
  return { positions, ...refinePositions(candidate, boxes, positions, { ...GAPS, wire }) };
}

function withSize(
  boxes: readonly Box[],
  { x, y }: Pick<Arrangement, 'x' | 'y'>,
): Omit<Arrangement, 'backward'> {
  let width = 0;
  let height = 0;
  for (const [index, box] of boxes.entries()) {
    width = Math.max(width, (x[index] ?? 0) + box.width);
    height = Math.max(height, (y[index] ?? 0) + box.height);
  }
  return { x, y, width, height };
}

/** Returns the connected components in the order of their first boxes, each with the indexes of its edges. */
function findComponents(
  count: number,
  wires: readonly Wire[],
): { members: number[]; wireIndexes: number[] }[] {
  const leader = Int32Array.from({ length: count }, (_, box) => box);
  const find = (box: number): number => {
    let current = box;
    while (leader[current] !== current) {
      leader[current] = leader[leader[current] ?? 0] ?? 0;
      current = leader[current] ?? 0;
    }
    return current;
  };
  for (const { from, to } of wires) {
    const [a, b] = [find(from), find(to)];
    leader[Math.max(a, b)] = Math.min(a, b);
  }
  const boxesByRoot = Map.groupBy(leader.keys(), find);
  const wiresByRoot = Map.groupBy(wires.keys(), index => find(wires[index]?.from ?? 0));
  return [...boxesByRoot].map(([root, members]) => ({ members, wireIndexes: wiresByRoot.get(root) ?? [] }));
}

/** Places components in rows, which are at least as wide as the widest component. */
function packComponents(components: readonly Component[], count: number): Omit<Arrangement, 'backward'> {
  const area = components.reduce(
    (sum, { width, height }) => sum + (width + COMPONENT_GAP) * (height + COMPONENT_GAP),
    0,
  );
  const rowWidth = components.reduce((max, part) => Math.max(max, part.width), Math.sqrt(area * ASPECT));
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  let [left, top, rowHeight, width] = [0, 0, 0, 0];
  for (const component of components) {
    if (left > 0 && left + component.width > rowWidth) {
      top += rowHeight + COMPONENT_GAP;
      left = 0;
      rowHeight = 0;
    }
    for (const [index, box] of component.members.entries()) {
      x[box] = left + (component.x[index] ?? 0);
      y[box] = top + (component.y[index] ?? 0);
    }
    width = Math.max(width, left + component.width);
    rowHeight = Math.max(rowHeight, component.height);
    left += component.width + COMPONENT_GAP;
  }
  return { x, y, width, height: top + rowHeight };
}
