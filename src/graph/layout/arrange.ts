// Arranges boxes and edges: each connected component in columns, components next to and below each other.
import { type Box, type Layered, makeLayers, type Wire } from './layers.ts';
import { orderColumns } from './order.ts';
import { type Gaps, type Places, placeItems } from './place.ts';
import { refinePlaces } from './refine.ts';

export type Direction = 'RIGHT' | 'DOWN';

/** Canvas pixels. Long edges get wide gaps, which costs height but keeps them off the boxes (bench/layout.ts). */
export const GAPS: Gaps = { row: 60, column: 120, wire: 130 };
const PART_GAP = 120;
/** The starting points that are tried: small graphs have time for all, and none is best for most. */
const TRIES = [
  { first: 'right', wire: GAPS.wire },
  { first: 'left', wire: GAPS.wire },
  { first: 'right', wire: GAPS.row },
  { first: 'left', wire: GAPS.row },
] as const;
const MAX_RETRIED = 120;
// A drawing is wider than high, like most screens.
const ASPECT = 1.6;

export interface Arranged {
  /** Top left corner of each box; the smallest x and y are 0. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly width: number;
  readonly height: number;
  /** Indexes of the edges that close a cycle and run backwards. */
  readonly backward: readonly number[];
}

/** Places boxes without overlap so that edges run in one direction, except those that close a cycle. */
export function arrangeBoxes(boxes: readonly Box[], wires: readonly Wire[], direction: Direction): Arranged {
  if (direction === 'RIGHT') return arrangeRight(boxes, wires);
  // Downwards is rightwards with swapped axes; edges leave at the bottom center and enter at the top center.
  const turned = boxes.map(({ width, height }) => ({ width: height, height: width }));
  const middle = (box: number): number => (turned[box]?.height ?? 0) / 2;
  const vertical = wires.map(({ from, to }) => ({ from, to, fromY: middle(from), toY: middle(to) }));
  const { x, y, width, height, backward } = arrangeRight(turned, vertical);
  return { x: y, y: x, width: height, height: width, backward };
}

interface Part extends Omit<Arranged, 'backward'> {
  readonly members: readonly number[];
}

function arrangeRight(boxes: readonly Box[], wires: readonly Wire[]): Arranged {
  const backward: number[] = [];
  const parts = findParts(boxes.length, wires).map(({ members, own }): Part => {
    const local = new Map(members.map((box, index) => [box, index]));
    const inner = members.flatMap(box => boxes[box] ?? []);
    const layers = makeLayers(
      inner,
      own.flatMap(index => {
        const wire = wires[index];
        if (wire === undefined) return [];
        return [{ ...wire, from: local.get(wire.from) ?? 0, to: local.get(wire.to) ?? 0 }];
      }),
    );
    backward.push(...layers.backward.flatMap(index => own[index] ?? []));
    return { members, ...sizeOf(inner, placeBest(layers, inner)) };
  });
  return { ...packParts(parts, boxes.length), backward: backward.sort((a, b) => a - b) };
}

/** The best of several attempts; only one attempt for a large component. */
function placeBest(layers: Layered, boxes: readonly Box[]): Places {
  const tries = boxes.length > MAX_RETRIED ? TRIES.slice(0, 1) : TRIES;
  const [best] = tries
    .map(({ first, wire }) => {
      const columns = layers.columns.map(column => [...column]);
      const own = { ...layers, columns };
      orderColumns(own, first);
      const gaps = { ...GAPS, wire };
      const places = placeItems(own, boxes, gaps);
      return { places, cost: refinePlaces(own, boxes, places, gaps) };
    })
    .sort((a, b) => a.cost - b.cost);
  return best?.places ?? { x: new Float64Array(), y: new Float64Array() };
}

function sizeOf(boxes: readonly Box[], { x, y }: Pick<Arranged, 'x' | 'y'>): Omit<Arranged, 'backward'> {
  let width = 0;
  let height = 0;
  for (const [index, box] of boxes.entries()) {
    width = Math.max(width, (x[index] ?? 0) + box.width);
    height = Math.max(height, (y[index] ?? 0) + box.height);
  }
  return { x, y, width, height };
}

/** Connected components in the order of their first boxes, each with the indexes of its edges. */
function findParts(count: number, wires: readonly Wire[]): { members: number[]; own: number[] }[] {
  const leader = Int32Array.from({ length: count }, (_, box) => box);
  const find = (box: number): number => {
    let at = box;
    while (leader[at] !== at) {
      leader[at] = leader[leader[at] ?? 0] ?? 0;
      at = leader[at] ?? 0;
    }
    return at;
  };
  for (const { from, to } of wires) {
    const [a, b] = [find(from), find(to)];
    leader[Math.max(a, b)] = Math.min(a, b);
  }
  const boxesOf = Map.groupBy(leader.keys(), find);
  const wiresOf = Map.groupBy(wires.keys(), index => find(wires[index]?.from ?? 0));
  return [...boxesOf].map(([root, members]) => ({ members, own: wiresOf.get(root) ?? [] }));
}

/** Places components in rows, as wide as the widest component or a drawing of that area would be. */
function packParts(parts: readonly Part[], count: number): Omit<Arranged, 'backward'> {
  const area = parts.reduce((sum, { width, height }) => sum + (width + PART_GAP) * (height + PART_GAP), 0);
  const rowWidth = parts.reduce((max, part) => Math.max(max, part.width), Math.sqrt(area * ASPECT));
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  let [left, top, rowHeight, width] = [0, 0, 0, 0];
  for (const part of parts) {
    if (left > 0 && left + part.width > rowWidth) {
      top += rowHeight + PART_GAP;
      left = 0;
      rowHeight = 0;
    }
    for (const [index, box] of part.members.entries()) {
      x[box] = left + (part.x[index] ?? 0);
      y[box] = top + (part.y[index] ?? 0);
    }
    width = Math.max(width, left + part.width);
    rowHeight = Math.max(rowHeight, part.height);
    left += part.width + PART_GAP;
  }
  return { x, y, width, height: top + rowHeight };
}
