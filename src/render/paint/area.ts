// Defines areas: axis-aligned rectangles that bound where something can draw pixels.
import type { Matrix } from '../timeline/draw-list.ts';

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const EMPTY_AREA: Area = { left: 0, top: 0, right: 0, bottom: 0 };
/** Far outside every frame, yet small enough that sums and products stay exact. */
export const INFINITE_AREA: Area = { left: -1e7, top: -1e7, right: 1e7, bottom: 1e7 };

export const toArea = (width: number, height: number): Area => ({
  left: 0,
  top: 0,
  right: width,
  bottom: height,
});

export const isEmpty = ({ left, top, right, bottom }: Area): boolean => !(right > left && bottom > top);

export const getPixelCount = (area: Area): number =>
  isEmpty(area) ? 0 : (area.right - area.left) * (area.bottom - area.top);

export function intersectAreas(a: Area, b: Area): Area {
  const area = {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
  return isEmpty(area) ? EMPTY_AREA : area;
}

export function uniteAreas(a: Area, b: Area): Area {
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

export const expandArea = (area: Area, margin: number): Area =>
  isEmpty(area)
    ? EMPTY_AREA
    : {
        left: area.left - margin,
        top: area.top - margin,
        right: area.right + margin,
        bottom: area.bottom + margin,
      };

export const translateArea = ({ left, top, right, bottom }: Area, x: number, y: number): Area => ({
  left: left + x,
  top: top + y,
  right: right + x,
  bottom: bottom + y,
});

/** Returns the bounding box of the transformed area. */
export function transformArea([a, b, c, d, e, f]: Matrix, area: Area): Area {
  if (isEmpty(area)) return EMPTY_AREA;
  const { left, top, right, bottom } = area;
  const xs = [a * left + c * top, a * right + c * top, a * left + c * bottom, a * right + c * bottom];
  const ys = [b * left + d * top, b * right + d * top, b * left + d * bottom, b * right + d * bottom];
  return {
    left: Math.min(...xs) + e,
    top: Math.min(...ys) + f,
    right: Math.max(...xs) + e,
    bottom: Math.max(...ys) + f,
  };
}

/** Rounds outwards to whole pixels, and adds one pixel for antialiased edges. */
export function roundOutwards(area: Area): Area {
  if (isEmpty(area)) return EMPTY_AREA;
  return {
    left: Math.floor(area.left) - 1,
    top: Math.floor(area.top) - 1,
    right: Math.ceil(area.right) + 1,
    bottom: Math.ceil(area.bottom) + 1,
  };
}

/** Returns the mean scale of the matrix, for canvas shadows and blurs, which ignore the transform. */
export const getMeanScale = ([a, b, c, d]: Matrix): number => Math.sqrt(Math.abs(a * d - b * c));
