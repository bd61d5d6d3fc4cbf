// Pictures as planes of I420: to and from RGBA, scaled and turned. I420 here is BT.709 in limited range, unless said.
import type { VideoFacts } from './facts.ts';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Luma, then both chroma planes at half the sides. Sides are even. */
  readonly data: Uint8Array;
}

export const i420Size = (width: number, height: number): number => (width * height * 3) / 2;

/** Writes RGBA as I420 into `out`; transparency is dropped. */
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
        const at = p + (k & 1) + (k >> 1) * width;
        const pr = rgba[at * 4] as number;
        const pg = rgba[at * 4 + 1] as number;
        const pb = rgba[at * 4 + 2] as number;
        out[at] = (11966 * pr + 40254 * pg + 4064 * pb + 1081344) >> 16;
        r += pr;
        g += pg;
        b += pb;
      }
      // The sums of four, hence a shift of 18.
      out[uPlane + c] = (-6596 * r - 22189 * g + 28784 * b + 33685504) >> 18;
      out[vPlane + c] = (28784 * r - 26145 * g - 2639 * b + 33685504) >> 18;
    }
  }
}

type Colors = Pick<VideoFacts, 'matrix' | 'fullRange'>;

// Kr and Kb of each matrix; the rest of the conversion follows from them.
const WEIGHTS = { bt709: [0.2126, 0.0722], bt601: [0.299, 0.114] } as const;

/** I420 of any matrix and range as RGBA, opaque. */
export function i420ToRgba({ width, height, data }: Picture, { matrix, fullRange }: Colors): Uint8Array {
  const [kr, kb] = WEIGHTS[matrix];
  const kg = 1 - kr - kb;
  const [yScale, yOffset, cScale] = fullRange ? [1, 0, 1] : [255 / 219, 16, 255 / 224];
  const out = new Uint8ClampedArray(width * height * 4);
  const half = width / 2;
  const uPlane = width * height;
  const vPlane = uPlane + half * (height / 2);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const c = (y >> 1) * half + (x >> 1);
      const luma = ((data[at] as number) - yOffset) * yScale;
      const u = ((data[uPlane + c] as number) - 128) * cScale;
      const v = ((data[vPlane + c] as number) - 128) * cScale;
      out[at * 4] = luma + 2 * (1 - kr) * v;
      out[at * 4 + 1] = luma - (2 * (1 - kb) * kb * u + 2 * (1 - kr) * kr * v) / kg;
      out[at * 4 + 2] = luma + 2 * (1 - kb) * u;
      out[at * 4 + 3] = 255;
    }
  }
  return new Uint8Array(out.buffer);
}

interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

function mapPlanes(picture: Picture, change: (plane: Plane, isChroma: boolean) => Plane): Picture {
  const { width, height, data } = picture;
  const [area, half] = [width * height, { width: width / 2, height: height / 2 }];
  const planes = [
    change({ width, height, data: data.subarray(0, area) }, false),
    change({ ...half, data: data.subarray(area, area * 1.25) }, true),
    change({ ...half, data: data.subarray(area * 1.25, area * 1.5) }, true),
  ] as const;
  const out = Buffer.concat(planes.map(plane => plane.data));
  return { width: planes[0].width, height: planes[0].height, data: out };
}

/** Turns clockwise. */
export function rotate(picture: Picture, degrees: VideoFacts['rotation']): Picture {
  if (degrees === 0) return picture;
  return mapPlanes(picture, ({ width, height, data }) => {
    const turned = degrees === 180 ? { width, height } : { width: height, height: width };
    const out = new Uint8Array(data.length);
    for (let y = 0, at = 0; y < turned.height; y++) {
      for (let x = 0; x < turned.width; x++, at++) {
        const [fromX, fromY] =
          degrees === 180
            ? [width - 1 - x, height - 1 - y]
            : degrees === 90
              ? [y, height - 1 - x]
              : [width - 1 - y, x];
        out[at] = data[fromY * width + fromX] as number;
      }
    }
    return { ...turned, data: out };
  });
}

/** Scales to even sides by a triangle filter as wide as the step, so that small copies do not flicker. */
export function scale(picture: Picture, width: number, height: number): Picture {
  if (picture.width === width && picture.height === height) return picture;
  return mapPlanes(picture, (plane, isChroma) =>
    scalePlane(plane, isChroma ? width / 2 : width, isChroma ? height / 2 : height),
  );
}

function scalePlane({ width, height, data }: Plane, toWidth: number, toHeight: number): Plane {
  const columns = tapsFor(width, toWidth);
  const rows = tapsFor(height, toHeight);
  const narrow = new Float32Array(toWidth * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < toWidth; x++) {
      const { start, weights } = columns[x] as Taps;
      let sum = 0;
      for (let k = 0; k < weights.length; k++)
        sum += (weights[k] as number) * (data[y * width + start + k] as number);
      narrow[y * toWidth + x] = sum;
    }
  }
  const out = new Uint8ClampedArray(toWidth * toHeight);
  for (let y = 0; y < toHeight; y++) {
    const { start, weights } = rows[y] as Taps;
    for (let x = 0; x < toWidth; x++) {
      let sum = 0;
      for (let k = 0; k < weights.length; k++)
        sum += (weights[k] as number) * (narrow[(start + k) * toWidth + x] as number);
      out[y * toWidth + x] = sum;
    }
  }
  return { width: toWidth, height: toHeight, data: new Uint8Array(out.buffer) };
}

interface Taps {
  readonly start: number;
  readonly weights: Float32Array;
}

function tapsFor(from: number, to: number): readonly Taps[] {
  const step = from / to;
  const support = Math.max(1, step);
  return Array.from({ length: to }, (_, index) => {
    const center = (index + 0.5) * step - 0.5;
    const start = Math.max(0, Math.ceil(center - support));
    const end = Math.min(from - 1, Math.floor(center + support));
    const weights = Float32Array.from({ length: end - start + 1 }, (_, k) =>
      Math.max(1e-6, 1 - Math.abs(start + k - center) / support),
    );
    const sum = weights.reduce((a, b) => a + b, 0);
    return { start, weights: weights.map(weight => weight / sum) };
  });
}

/** Lays a smaller picture in the middle of a black one; offsets are even, since chroma has half the pixels. */
export function pad(picture: Picture, width: number, height: number): Picture {
  if (picture.width === width && picture.height === height) return picture;
  const left = Math.floor((width - picture.width) / 4) * 2;
  const top = Math.floor((height - picture.height) / 4) * 2;
  return mapPlanes(picture, (plane, isChroma) => {
    const by = isChroma ? 2 : 1;
    const size = { width: width / by, height: height / by };
    const data = new Uint8Array(size.width * size.height).fill(isChroma ? 128 : 16);
    for (let y = 0; y < plane.height; y++) {
      const row = plane.data.subarray(y * plane.width, (y + 1) * plane.width);
      data.set(row, (y + top / by) * size.width + left / by);
    }
    return { ...size, data };
  });
}
