// Converts I420 frames from and to RGBA, scales and rotates them. Colors are BT.709, limited range, unless noted.
import type { VideoInfo } from '../media-info.ts';

export interface I420Frame {
  readonly width: number;
  readonly height: number;
  /** The luma plane, then both chroma planes at half size. Sides are even. */
  readonly data: Uint8Array;
}

export const getI420Size = (width: number, height: number): number => (width * height * 3) / 2;

/** Writes RGBA as I420 into `out`, without alpha. */
export function rgbaToI420(rgba: Uint8Array, width: number, height: number, out: Uint8Array): void {
  const chroma = (width / 2) * (height / 2);
  const uPlane = width * height;
  const vPlane = uPlane + chroma;
  let c = 0;
  for (let y = 0; y < height; y += 2) {
    let p = y * width;
    for (let x = 0; x < width; x += 2, p += 2, c++) {
      let r = 0;
      let g = 0;
      let b = 0;
      for (let k = 0; k < 4; k++) {
        const pixel = p + (k & 1) + (k >> 1) * width;
        const pr = rgba[pixel * 4] as number;
        const pg = rgba[pixel * 4 + 1] as number;
        const pb = rgba[pixel * 4 + 2] as number;
        out[pixel] = (11966 * pr + 40254 * pg + 4064 * pb + 1081344) >> 16;
        r += pr;
        g += pg;
        b += pb;
      }
      // Shifts by 18, because the values are sums of four.
      out[uPlane + c] = (-6596 * r - 22189 * g + 28784 * b + 33685504) >> 18;
      out[vPlane + c] = (28784 * r - 26145 * g - 2639 * b + 33685504) >> 18;
    }
  }
}

type Colors = Pick<VideoInfo, 'matrix' | 'fullRange'>;

// Kr and Kb of each matrix, which determine the conversion.
const WEIGHTS = { bt709: [0.2126, 0.0722], bt601: [0.299, 0.114] } as const;

/** Converts I420 of any matrix and range to opaque RGBA. */
export function i420ToRgba({ width, height, data }: I420Frame, { matrix, fullRange }: Colors): Uint8Array {
  const [kr, kb] = WEIGHTS[matrix];
  const kg = 1 - kr - kb;
  const [yScale, yOffset, cScale] = fullRange ? [1, 0, 1] : [255 / 219, 16, 255 / 224];
  // Lookup tables in units of 1/256, so that a pixel takes only additions.
  const table = (factor: number, zero: number): Int32Array =>
    Int32Array.from({ length: 256 }, (_, value) => Math.round(256 * factor * (value - zero)));
  const luma = table(yScale, yOffset).map(value => value + 128);
  const redOfV = table(cScale * 2 * (1 - kr), 128);
  const greenOfU = table((-cScale * 2 * (1 - kb) * kb) / kg, 128);
  const greenOfV = table((-cScale * 2 * (1 - kr) * kr) / kg, 128);
  const blueOfU = table(cScale * 2 * (1 - kb), 128);
  const out = new Uint8ClampedArray(width * height * 4);
  const half = width / 2;
  const uPlane = width * height;
  const vPlane = uPlane + half * (height / 2);
  for (let y = 0, offset = 0, o = 0; y < height; y++) {
    const row = (y >> 1) * half;
    for (let x = 0; x < width; x++, offset++, o += 4) {
      const u = data[uPlane + row + (x >> 1)] as number;
      const v = data[vPlane + row + (x >> 1)] as number;
      const base = luma[data[offset] as number] as number;
      out[o] = (base + (redOfV[v] as number)) >> 8;
      out[o + 1] = (base + (greenOfU[u] as number) + (greenOfV[v] as number)) >> 8;
      out[o + 2] = (base + (blueOfU[u] as number)) >> 8;
      out[o + 3] = 255;
    }
  }
  return new Uint8Array(out.buffer);
}

interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

function mapPlanes(frame: I420Frame, change: (plane: Plane, isChroma: boolean) => Plane): I420Frame {
  const { width, height, data } = frame;
  const [area, half] = [width * height, { width: width / 2, height: height / 2 }];
  const planes = [
    change({ width, height, data: data.subarray(0, area) }, false),
    change({ ...half, data: data.subarray(area, area * 1.25) }, true),
    change({ ...half, data: data.subarray(area * 1.25, area * 1.5) }, true),
  ] as const;
  const out = Buffer.concat(planes.map(plane => plane.data));
  return { width: planes[0].width, height: planes[0].height, data: out };
}

/** Rotates clockwise. */
export function rotate(frame: I420Frame, degrees: VideoInfo['rotation']): I420Frame {
  if (degrees === 0) return frame;
  return mapPlanes(frame, ({ width, height, data }) => {
    const rotated = degrees === 180 ? { width, height } : { width: height, height: width };
    const out = new Uint8Array(data.length);
    for (let y = 0, offset = 0; y < rotated.height; y++) {
      for (let x = 0; x < rotated.width; x++, offset++) {
        const [fromX, fromY] =
          degrees === 180
            ? [width - 1 - x, height - 1 - y]
            : degrees === 90
              ? [y, height - 1 - x]
              : [width - 1 - y, x];
        out[offset] = data[fromY * width + fromX] as number;
      }
    }
    return { ...rotated, data: out };
  });
}

/** Scales to even sides. The triangle filter is as wide as the step, so that reduced frames do not flicker. */
export function scale(frame: I420Frame, width: number, height: number): I420Frame {
  if (frame.width === width && frame.height === height) return frame;
  return mapPlanes(frame, (plane, isChroma) =>
    scalePlane(plane, isChroma ? width / 2 : width, isChroma ? height / 2 : height),
  );
}

function scalePlane({ width, height, data }: Plane, toWidth: number, toHeight: number): Plane {
  const columns = computeTaps(width, toWidth);
  const rows = computeTaps(height, toHeight);
  const scaledRows = new Float32Array(toWidth * height);
  for (let y = 0, offset = 0; y < height; y++) {
    for (let x = 0; x < toWidth; x++, offset++) {
      const from = y * width + (columns.starts[x] as number);
      let sum = 0;
      for (let k = 0, w = x * columns.count; k < columns.count; k++, w++) {
        sum += (columns.weights[w] as number) * (data[from + k] as number);
      }
      scaledRows[offset] = sum;
    }
  }
  const out = new Uint8ClampedArray(toWidth * toHeight);
  const sums = new Float32Array(toWidth);
  for (let y = 0; y < toHeight; y++) {
    sums.fill(0);
    for (let k = 0; k < rows.count; k++) {
      const weight = rows.weights[y * rows.count + k] as number;
      const from = ((rows.starts[y] as number) + k) * toWidth;
      for (let x = 0; x < toWidth; x++)
        sums[x] = (sums[x] as number) + weight * (scaledRows[from + x] as number);
    }
    out.set(sums, y * toWidth);
  }
  return { width: toWidth, height: toHeight, data: new Uint8Array(out.buffer) };
}

/** The weights of `count` input samples for each output sample. */
interface Taps {
  readonly count: number;
  /** Index of the first input sample for each output sample. */
  readonly starts: Int32Array;
  /** The weights for all output samples, concatenated. */
  readonly weights: Float32Array;
}

function computeTaps(from: number, to: number): Taps {
  const step = from / to;
  const support = Math.max(1, step);
  const count = Math.min(from, Math.ceil(2 * support) + 1);
  const starts = new Int32Array(to);
  const weights = new Float32Array(to * count);
  for (let index = 0; index < to; index++) {
    const center = (index + 0.5) * step - 0.5;
    const start = Math.min(from - count, Math.max(0, Math.ceil(center - support)));
    const raw = Array.from({ length: count }, (_, k) =>
      Math.max(0, 1 - Math.abs(start + k - center) / support),
    );
    const sum = raw.reduce((a, b) => a + b, 0);
    const normalized = raw.map(weight => weight / sum);
    starts[index] = start;
    weights.set(normalized, index * count);
  }
  return { count, starts, weights };
}

/** Centers the frame in a larger black frame. Offsets are even, because chroma has half the resolution. */
export function pad(frame: I420Frame, width: number, height: number): I420Frame {
  if (frame.width === width && frame.height === height) return frame;
  const left = Math.floor((width - frame.width) / 4) * 2;
  const top = Math.floor((height - frame.height) / 4) * 2;
  return mapPlanes(frame, (plane, isChroma) => {
    const divisor = isChroma ? 2 : 1;
    const size = { width: width / divisor, height: height / divisor };
    const data = new Uint8Array(size.width * size.height).fill(isChroma ? 128 : 16);
    for (let y = 0; y < plane.height; y++) {
      const row = plane.data.subarray(y * plane.width, (y + 1) * plane.width);
      data.set(row, (y + top / divisor) * size.width + left / divisor);
    }
    return { ...size, data };
  });
}
