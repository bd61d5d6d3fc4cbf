// Performs the last step of the layout: puts boxes that are alike into their given order, from top to bottom. The search
// leaves them in any order, because it costs nothing.
//
// 1. Boxes are alike if they have the same column, size, and connections to boxes that are alike.
// 2. From left to right, alike boxes exchange their places: they follow the boxes that they are connected to, and
//    otherwise their order in the graph.
// 3. The new order is kept if it does not make the edges longer.
import type { Box, Wire } from './layers.ts';
import type { BoxPositions } from './place.ts';

/** Rounds of comparing neighbors. Chains of alike boxes are rarely longer. */
const MAX_ROUNDS = 8;
const TOLERANCE_PX = 0.5;

export function restoreOrder(
  { x, y }: BoxPositions,
  boxes: readonly Box[],
  wires: readonly Wire[],
): BoxPositions {
  const before = boxes.map((): number[] => []);
  for (const { from, to } of wires) before[to]?.push(from);
  const classes = Map.groupBy(boxes.keys(), toClasses(boxes, wires, x));
  const newY = Float64Array.from(y);
  const byColumn = [...classes.values()].sort(([a = 0], [b = 0]) => (x[a] ?? 0) - (x[b] ?? 0));
  for (const members of byColumn) {
    if (members.length < 2) continue;
    const means = new Map(members.map(box => [box, computeMean(before[box] ?? [], newY)]));
    const tops = members.map(box => y[box] ?? 0).sort((a, b) => a - b);
    const ordered = members.toSorted((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0) || a - b);
    for (const [index, box] of ordered.entries()) newY[box] = tops[index] ?? 0;
  }
  return { x, y: sumLengths(wires, newY) <= sumLengths(wires, y) + TOLERANCE_PX ? newY : y };
}

/** Returns a function from a box to the number of its class of alike boxes. */
function toClasses(boxes: readonly Box[], wires: readonly Wire[], x: Float64Array): (box: number) => number {
  let classes = toNumbers(boxes.map(({ width, height }, box) => `${x[box]} ${width} ${height}`));
  for (let round = 0, count = 0; round < MAX_ROUNDS; round++) {
    const neighbors = boxes.map((): string[] => []);
    for (const { from, to, fromY, toY } of wires) {
      neighbors[from]?.push(`${fromY}>${toY} ${classes[to]}`);
      neighbors[to]?.push(`${toY}<${fromY} ${classes[from]}`);
    }
    classes = toNumbers(boxes.map((_, box) => [classes[box], ...(neighbors[box] ?? []).sort()].join()));
    const newCount = new Set(classes).size;
    if (newCount === count) break;
    count = newCount;
  }
  return box => classes[box] ?? 0;
}

/** Returns the same number for the same text. */
function toNumbers(texts: readonly string[]): readonly number[] {
  const numbers = new Map<string, number>();
  for (const text of texts) if (!numbers.has(text)) numbers.set(text, numbers.size);
  return texts.map(text => numbers.get(text) ?? 0);
}

const computeMean = (boxes: readonly number[], y: Float64Array): number =>
  boxes.length === 0 ? 0 : boxes.reduce((sum, box) => sum + (y[box] ?? 0), 0) / boxes.length;

/** Returns the vertical lengths of all edges. */
const sumLengths = (wires: readonly Wire[], y: Float64Array): number =>
  wires.reduce(
    (sum, { from, to, fromY, toY }) => sum + Math.abs((y[from] ?? 0) + fromY - ((y[to] ?? 0) + toY)),
    0,
  );
