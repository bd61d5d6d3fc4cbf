// Computes where an image stands in its box: fit, focal point, zoom. Shared by painter and decoder.
import type { PictureContent } from '../timeline/draw-list.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Spot extends Size {
  readonly x: number;
  readonly y: number;
}

/** Places an image of the given size in the box, keeping the focal point visible. */
export function place(
  picture: Size,
  box: Size,
  fit: PictureContent['fit'],
  [fx, fy]: readonly [number, number],
): Spot {
  const [sx, sy] = [box.width / picture.width, box.height / picture.height];
  const scales: Readonly<Record<PictureContent['fit'], readonly [number, number]>> = {
    cover: [Math.max(sx, sy), Math.max(sx, sy)],
    contain: [Math.min(sx, sy), Math.min(sx, sy)],
    'contain-blur': [Math.min(sx, sy), Math.min(sx, sy)],
    fill: [sx, sy],
    none: [1, 1],
  };
  const [width, height] = [picture.width * scales[fit][0], picture.height * scales[fit][1]];
  return { x: (box.width - width) * fx, y: (box.height - height) * fy, width, height };
}

/** Enlarges around a point of the box, given as fractions of its size. */
export function enlarge(at: Spot, box: Size, zoom: number, [fx, fy]: readonly [number, number]): Spot {
  const [px, py] = [box.width * fx, box.height * fy];
  return {
    x: px + (at.x - px) * zoom,
    y: py + (at.y - py) * zoom,
    width: at.width * zoom,
    height: at.height * zoom,
  };
}
