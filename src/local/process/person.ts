// Finds people with MediaPipe's segmentation, whose mask is coarse, and fits the mask to the edges of the image.
import type { LocalTasks, Pixels } from '../tasks.ts';
import { runFirst } from './onnx.ts';
import { toTensor } from './pixels.ts';

const RANGE_0_TO_1 = { mean: [0, 0, 0], std: [1, 1, 1] };

export async function findPerson({ model, small, guide }: LocalTasks['person']['input']): Promise<Pixels> {
  const { values } = await runFirst(model, toTensor(small, RANGE_0_TO_1));
  const bytes = Uint8Array.from(values, value => Math.round(255 * value));
  return refineMask({ width: small.width, height: small.height, bytes }, guide);
}

/** The radius of the filter as a share of the longer side: about the size of a pixel of the coarse mask. */
const RADIUS_SHARE = 1 / 80;
/** The variance of colors, from 0 to 1, below which the mask is smoothed. */
const EPSILON = 1e-4;
/** Values below the first become transparent, and above the second opaque. */
const [TRANSPARENT, OPAQUE] = [0.35, 0.75];

/**
 * Enlarges the mask to the size of the guide with a guided filter: around each pixel, the mask is a linear function of the
 * color, so that it has the edges of the image.
 */
export function refineMask(mask: Pixels, guide: Pixels): Pixels {
  const { width, height } = guide;
  const radius = Math.max(2, Math.round(Math.max(width, height) * RADIUS_SHARE));
  const coarse = enlarge(mask, width, height);
  const blur = (values: Float32Array): Float32Array => boxBlur(values, width, height, radius);
  /** Returns the covariance of two images around each pixel. */
  const covary = (a: Float32Array, b: Float32Array, meanA: Float32Array, meanB: Float32Array): Float32Array =>
    subtractProduct(blur(multiply(a, b)), meanA, meanB);
  const [red, green, blue] = [readChannel(guide, 0), readChannel(guide, 1), readChannel(guide, 2)];
  const [meanRed, meanGreen, meanBlue, mean] = [blur(red), blur(green), blur(blue), blur(coarse)];
  const factors = solve(
    [
      covary(red, red, meanRed, meanRed),
      covary(red, green, meanRed, meanGreen),
      covary(red, blue, meanRed, meanBlue),
      covary(green, green, meanGreen, meanGreen),
      covary(green, blue, meanGreen, meanBlue),
      covary(blue, blue, meanBlue, meanBlue),
    ],
    [
      covary(red, coarse, meanRed, mean),
      covary(green, coarse, meanGreen, mean),
      covary(blue, coarse, meanBlue, mean),
    ],
  );
  subtractProduct(mean, factors[0], meanRed);
  subtractProduct(mean, factors[1], meanGreen);
  subtractProduct(mean, factors[2], meanBlue);
  const [forRed, forGreen, forBlue, offset] = [
    blur(factors[0]),
    blur(factors[1]),
    blur(factors[2]),
    blur(mean),
  ];
  const bytes = new Uint8Array(width * height);
  for (let at = 0; at < bytes.length; at++) {
    const value =
      (forRed[at] ?? 0) * (red[at] ?? 0) +
      (forGreen[at] ?? 0) * (green[at] ?? 0) +
      (forBlue[at] ?? 0) * (blue[at] ?? 0) +
      (offset[at] ?? 0);
    bytes[at] = Math.round(255 * smoothStep((value - TRANSPARENT) / (OPAQUE - TRANSPARENT)));
  }
  return { width, height, bytes };
}

function readChannel({ width, height, bytes }: Pixels, channel: number): Float32Array {
  const values = new Float32Array(width * height);
  for (let at = 0; at < values.length; at++) values[at] = (bytes[3 * at + channel] ?? 0) / 255;
  return values;
}

type Three = readonly [Float32Array, Float32Array, Float32Array];
/** The upper half of a matrix of three rows for each pixel, row by row. */
type SymmetricMatrix = readonly [...Three, ...Three];

/** Solves the linear equations of each pixel, and writes the results to the right sides. */
function solve(matrix: SymmetricMatrix, right: Three): Three {
  const [as, bs, cs, ds, es, fs] = matrix;
  const [xs, ys, zs] = right;
  for (let at = 0; at < xs.length; at++) {
    const [a, b, c] = [(as[at] ?? 0) + EPSILON, bs[at] ?? 0, cs[at] ?? 0];
    const [d, e, f] = [(ds[at] ?? 0) + EPSILON, es[at] ?? 0, (fs[at] ?? 0) + EPSILON];
    const [x, y, z] = [xs[at] ?? 0, ys[at] ?? 0, zs[at] ?? 0];
    const first = d * f - e * e;
    const second = c * e - b * f;
    const third = b * e - c * d;
    const scale = 1 / (a * first + b * second + c * third);
    xs[at] = (first * x + second * y + third * z) * scale;
    ys[at] = (second * x + (a * f - c * c) * y + (b * c - a * e) * z) * scale;
    zs[at] = (third * x + (b * c - a * e) * y + (a * d - b * b) * z) * scale;
  }
  return right;
}

function smoothStep(value: number): number {
  const bounded = Math.max(0, Math.min(1, value));
  return bounded * bounded * (3 - 2 * bounded);
}

function multiply(a: Float32Array, b: Float32Array): Float32Array {
  const result = new Float32Array(a.length);
  for (let at = 0; at < result.length; at++) result[at] = (a[at] ?? 0) * (b[at] ?? 0);
  return result;
}

/** Subtracts the product of `a` and `b` from the values, in place. */
function subtractProduct(values: Float32Array, a: Float32Array, b: Float32Array): Float32Array {
  for (let at = 0; at < values.length; at++) values[at] = (values[at] ?? 0) - (a[at] ?? 0) * (b[at] ?? 0);
  return values;
}

/** Averages the values of a square around each pixel. At the edges, the square is smaller. */
function boxBlur(values: Float32Array, width: number, height: number, radius: number): Float32Array {
  const rows = new Float32Array(values.length);
  for (let y = 0; y < height; y++) blurRow(values, rows, y * width, width, radius);
  const result = new Float32Array(values.length);
  blurColumns(rows, result, width, height, radius);
  return result;
}

function blurRow(from: Float32Array, to: Float32Array, start: number, length: number, radius: number): void {
  let sum = 0;
  for (let x = 0; x < Math.min(radius, length); x++) sum += from[start + x] ?? 0;
  for (let x = 0; x < length; x++) {
    if (x + radius < length) sum += from[start + x + radius] ?? 0;
    if (x > radius) sum -= from[start + x - radius - 1] ?? 0;
    to[start + x] = sum / (Math.min(length - 1, x + radius) - Math.max(0, x - radius) + 1);
  }
}

/** Averages all columns at once, because memory is read row by row. */
function blurColumns(
  from: Float32Array,
  to: Float32Array,
  width: number,
  height: number,
  radius: number,
): void {
  const sums = new Float32Array(width);
  const addRow = (y: number, factor: number): void => {
    for (let x = 0; x < width; x++) sums[x] = (sums[x] ?? 0) + factor * (from[y * width + x] ?? 0);
  };
  for (let y = 0; y < Math.min(radius, height); y++) addRow(y, 1);
  for (let y = 0; y < height; y++) {
    if (y + radius < height) addRow(y + radius, 1);
    if (y > radius) addRow(y - radius - 1, -1);
    const count = Math.min(height - 1, y + radius) - Math.max(0, y - radius) + 1;
    for (let x = 0; x < width; x++) to[y * width + x] = (sums[x] ?? 0) / count;
  }
}

/** Scales one channel to a size, with values between those of the nearest pixels. Returns values from 0 to 1. */
function enlarge(
  { width: columns, height: rows, bytes }: Pixels,
  width: number,
  height: number,
): Float32Array {
  const result = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const [top, bottom, shareY] = locate(y, height, rows);
    for (let x = 0; x < width; x++) {
      const [left, right, shareX] = locate(x, width, columns);
      const read = (row: number): number =>
        (bytes[row * columns + left] ?? 0) * (1 - shareX) + (bytes[row * columns + right] ?? 0) * shareX;
      result[y * width + x] = (read(top) * (1 - shareY) + read(bottom) * shareY) / 255;
    }
  }
  return result;
}

/** Returns the two nearest positions of the smaller grid, and the share of the second. */
function locate(
  at: number,
  length: number,
  count: number,
): readonly [first: number, second: number, share: number] {
  const position = Math.max(0, Math.min(count - 1, ((at + 0.5) * count) / length - 0.5));
  const first = Math.floor(position);
  return [first, Math.min(count - 1, first + 1), position - first];
}
