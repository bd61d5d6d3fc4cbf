// Where a picture stands in a box: its fit, the point that must stay in sight, its enlargement. For painter and decoder alike.
import type { PictureContent } from '../timeline/draw-list.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Spot extends Size {
  readonly x: number;
  readonly y: number;
}

/** Where a picture of that size stands in the box, around the point that must stay in sight. */
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

/** Larger about a point of the box, given in shares. */
export function enlarge(at: Spot, box: Size, zoom: number, [fx, fy]: readonly [number, number]): Spot {
  const [px, py] = [box.width * fx, box.height * fy];
  return {
    x: px + (at.x - px) * zoom,
    y: py + (at.y - py) * zoom,
    width: at.width * zoom,
    height: at.height * zoom,
  };
}
