// Stores lines and boxes as columns of numbers and counts their intersections quickly, for the refinement step. Lines
// cross each other as straight lines do, but run over boxes as they are drawn: as curves that leave and enter their
// ports horizontally.

// Lines that meet in a port may differ there by a rounding error, which is not a crossing.
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
  const index = rects.count++;
  rects.id[index] = id;
  rects.left[index] = left;
  rects.right[index] = right;
  rects.top[index] = top;
  rects.bottom[index] = bottom;
}

export function copyLine(from: Lines, line: number, to: Lines): void {
  const index = to.count++;
  to.x1[index] = from.x1[line] ?? 0;
  to.x2[index] = from.x2[line] ?? 0;
  to.base[index] = from.base[line] ?? 0;
  to.slope[index] = from.slope[line] ?? 0;
}

/** Returns the vertical extent of a line. */
export function getVerticalExtent({ x1, x2, slope }: Lines, line: number): number {
  return Math.abs(slope[line] ?? 0) * ((x2[line] ?? 0) - (x1[line] ?? 0));
}

/** The fraction of its height that a curve has risen at each step of its width. */
const RISE = createRise(128);

/** Computes a cubic curve whose control points are halfway between its ends, at their heights. */
function createRise(steps: number): Float64Array {
  const widthAt = (t: number): number => 1.5 * t - 1.5 * t * t + t * t * t;
  return Float64Array.from({ length: steps + 2 }, (_, step) => {
    let [low, high] = [0, 1];
    for (let round = 0; round < 30; round++) {
      const t = (low + high) / 2;
      if (widthAt(t) < step / steps) low = t;
      else high = t;
    }
    return low * low * (3 - 2 * low);
  });
}

/** Returns the fraction of its height that a curve has risen at a fraction of its width. */
export function getRise(share: number): number {
  const position = Math.min(1, Math.max(0, share)) * (RISE.length - 2);
  const step = Math.floor(position);
  const low = RISE[step] ?? 0;
  return low + (position - step) * ((RISE[step + 1] ?? 1) - low);
}

/** Returns the height of a line's curve at an x position. */
function getCurveHeight({ x1, x2, base, slope }: Lines, line: number, x: number): number {
  const start = x1[line] ?? 0;
  const width = (x2[line] ?? 0) - start;
  return (base[line] ?? 0) + (slope[line] ?? 0) * (start + width * getRise((x - start) / width));
}

/** Returns the vertical extent of a line's curve between two x positions; undefined outside of the line. */
export function getExtentBetween(
  lines: Lines,
  line: number,
  left: number,
  right: number,
): { readonly low: number; readonly high: number } | undefined {
  const from = Math.max(lines.x1[line] ?? 0, left);
  const to = Math.min(lines.x2[line] ?? 0, right);
  if (from >= to) return undefined;
  const a = getCurveHeight(lines, line, from);
  const b = getCurveHeight(lines, line, to);
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
    const baseDifference = base - (bases[other] ?? 0);
    const slopeDifference = slope - (slopes[other] ?? 0);
    const isCrossing =
      (baseDifference + slopeDifference * from) * (baseDifference + slopeDifference * to) < -EPSILON;
    if (from < to && isCrossing) crossings++;
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
  let lineCount = 0;
  for (let line = 0; line < lines.count; line++) {
    if (runsOver(lines, line, left, right, top, bottom)) lineCount++;
  }
  return lineCount;
}

function runsOver(
  lines: Lines,
  line: number,
  left: number,
  right: number,
  top: number,
  bottom: number,
): boolean {
  const from = Math.max(lines.x1[line] ?? 0, left);
  const to = Math.min(lines.x2[line] ?? 0, right);
  if (from >= to) return false;
  const [base, slope] = [lines.base[line] ?? 0, lines.slope[line] ?? 0];
  const start = base + slope * (lines.x1[line] ?? 0);
  const end = base + slope * (lines.x2[line] ?? 0);
  // Most boxes are above or below the whole curve.
  if (Math.min(start, end) >= bottom || Math.max(start, end) <= top) return false;
  const a = getCurveHeight(lines, line, from);
  const b = getCurveHeight(lines, line, to);
  return Math.min(a, b) < bottom && Math.max(a, b) > top;
}

/** Counts the boxes that a line crosses, except the one at its far end. */
export function countBoxesUnder(lines: Lines, line: number, rects: Rects, farBox: number): number {
  const { id, left, right, top, bottom, count } = rects;
  let boxCount = 0;
  for (let rect = 0; rect < count; rect++) {
    const isOver =
      id[rect] !== farBox &&
      runsOver(lines, line, left[rect] ?? 0, right[rect] ?? 0, top[rect] ?? 0, bottom[rect] ?? 0);
    if (isOver) boxCount++;
  }
  return boxCount;
}
