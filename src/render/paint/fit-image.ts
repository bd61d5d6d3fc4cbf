// Computes the position of an image in its box from fit, focal point and zoom, for the painter and the decoder.
import type { ImageContent } from '../timeline/draw-list.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Rect extends Size {
  readonly x: number;
  readonly y: number;
}

/** Fits an image into the box, keeping the focal point visible. */
export function fitImage(
  image: Size,
  box: Size,
  fit: ImageContent['fit'],
  [fx, fy]: readonly [number, number],
): Rect {
  const [sx, sy] = [box.width / image.width, box.height / image.height];
  const scales: Readonly<Record<ImageContent['fit'], readonly [number, number]>> = {
    cover: [Math.max(sx, sy), Math.max(sx, sy)],
    contain: [Math.min(sx, sy), Math.min(sx, sy)],
    'contain-blur': [Math.min(sx, sy), Math.min(sx, sy)],
    fill: [sx, sy],
    none: [1, 1],
  };
  const [width, height] = [image.width * scales[fit][0], image.height * scales[fit][1]];
  return { x: (box.width - width) * fx, y: (box.height - height) * fy, width, height };
}

/** Enlarges around a point of the box. The point is given in fractions of the box size. */
export function enlarge(rect: Rect, box: Size, zoom: number, [fx, fy]: readonly [number, number]): Rect {
  const [px, py] = [box.width * fx, box.height * fy];
  return {
    x: px + (rect.x - px) * zoom,
    y: py + (rect.y - py) * zoom,
    width: rect.width * zoom,
    height: rect.height * zoom,
  };
}
