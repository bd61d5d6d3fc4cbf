// Stores lines and boxes as columns of numbers and counts their intersections quickly, for the refinement step.

// Lines that meet in a port may differ by rounding there; that is not a crossing.
export const EPSILON = 1e-6;

/** Lines as y = base + slope · x between x1 and x2; the first `count` entries are in use. */
export interface Lines {
  readonly x1: Float64Array;
  readonly x2: Float64Array;
  readonly base: Float64Array;
  readonly slope: Float64Array;
  count: number;
}

/** Boxes; the first `count` entries are in use. */
export interface Rects {
  readonly id: Int32Array;
  readonly left: Float64Array;
  readonly right: Float64Array;
  readonly top: Float64Array;
  readonly bottom: Float64Array;
  count: number;
}

export function createLines(capacity: number): Lines {
  const column = (): Float64Array => new Float64Array(capacity);
  return { x1: column(), x2: column(), base: column(), slope: column(), count: 0 };
}

export function addRect(
  rects: Rects,
  id: number,
  left: number,
  right: number,
  top: number,
  bottom: number,
): void {
  const at = rects.count++;
  rects.id[at] = id;
  rects.left[at] = left;
  rects.right[at] = right;
  rects.top[at] = top;
  rects.bottom[at] = bottom;
}

export function copyLine(from: Lines, line: number, to: Lines): void {
  const at = to.count++;
  to.x1[at] = from.x1[line] ?? 0;
  to.x2[at] = from.x2[line] ?? 0;
  to.base[at] = from.base[line] ?? 0;
  to.slope[at] = from.slope[line] ?? 0;
}

/** Returns the vertical extent of a line. */
export function verticalExtent({ x1, x2, slope }: Lines, line: number): number {
  return Math.abs(slope[line] ?? 0) * ((x2[line] ?? 0) - (x1[line] ?? 0));
}

/** Returns the vertical extent of a line between two x positions; undefined outside of the line. */
export function spanOver(
  { x1, x2, base, slope }: Lines,
  line: number,
  left: number,
  right: number,
): { readonly low: number; readonly high: number } | undefined {
  const from = Math.max(x1[line] ?? 0, left);
  const to = Math.min(x2[line] ?? 0, right);
  if (from >= to) return undefined;
  const a = (base[line] ?? 0) + (slope[line] ?? 0) * from;
  const b = (base[line] ?? 0) + (slope[line] ?? 0) * to;
  return { low: Math.min(a, b), high: Math.max(a, b) };
}

export function countCrossings(lines: Lines, line: number, others: Lines): number {
  const [x1, x2] = [lines.x1[line] ?? 0, lines.x2[line] ?? 0];
  const [base, slope] = [lines.base[line] ?? 0, lines.slope[line] ?? 0];
  const { x1: starts, x2: ends, base: bases, slope: slopes, count } = others;
  let crossings = 0;
  for (let other = 0; other < count; other++) {
    const from = Math.max(x1, starts[other] ?? 0);
    const to = Math.min(x2, ends[other] ?? 0);
    const apart = base - (bases[other] ?? 0);
    const turn = slope - (slopes[other] ?? 0);
    if (from < to && (apart + turn * from) * (apart + turn * to) < -EPSILON) crossings++;
  }
  return crossings;
}

/** Counts the lines that cross a rectangle. */
export function countLinesOver(
  lines: Lines,
  left: number,
  right: number,
  top: number,
  bottom: number,
): number {
  const { x1, x2, base, slope, count } = lines;
  let crossings = 0;
  for (let line = 0; line < count; line++) {
    const from = Math.max(x1[line] ?? 0, left);
    const to = Math.min(x2[line] ?? 0, right);
    const a = (base[line] ?? 0) + (slope[line] ?? 0) * from;
    const b = (base[line] ?? 0) + (slope[line] ?? 0) * to;
    if (from < to && Math.min(a, b) < bottom && Math.max(a, b) > top) crossings++;
  }
  return crossings;
}

/** Counts the boxes that a line crosses, except the one at its far end. */
export function countBoxesUnder(lines: Lines, line: number, rects: Rects, farBox: number): number {
  const [x1, x2] = [lines.x1[line] ?? 0, lines.x2[line] ?? 0];
  const [base, slope] = [lines.base[line] ?? 0, lines.slope[line] ?? 0];
  const { id, left, right, top, bottom, count } = rects;
  let boxCount = 0;
  for (let rect = 0; rect < count; rect++) {
    const from = Math.max(x1, left[rect] ?? 0);
    const to = Math.min(x2, right[rect] ?? 0);
    if (from >= to || id[rect] === farBox) continue;
    const a = base + slope * from;
    const b = base + slope * to;
    if (Math.min(a, b) < (bottom[rect] ?? 0) && Math.max(a, b) > (top[rect] ?? 0)) boxCount++;
  }
  return boxCount;
}
