// Computes views that show nodes wholly, in the part of the canvas that the minimap and the zoom buttons leave free.
import { getViewportForBounds } from '@xyflow/react';
import type { Rect } from '../../src/graph/rects.ts';
import { FAR_ZOOM, type Viewport } from './painter/painting.ts';
import type { Size } from './painter/render-state.ts';
import { intersects } from './painter/scene.ts';

export const MIN_ZOOM = 0.03;
export const MAX_ZOOM = 2.5;
/** Leaves space for the zoom bar. */
const PADDING = { x: 0.06, top: '40px', bottom: '72px' } as const;

/** Returns the view that shows these bounds, or the origin for an empty board. */
export function fitViewport(bounds: Rect | undefined, { width, height }: Size): Viewport {
  if (bounds === undefined) return { x: width / 2, y: height / 2, zoom: 1 };
  return getViewportForBounds(bounds, width, height, MIN_ZOOM, 1, PADDING);
}

/** The distance between a shown node and the edges of the canvas. */
const MARGIN = 16;
/** The corner at the bottom left with the minimap and the zoom buttons, as in `canvas.module.css`. */
const CORNER = { width: 203, height: 178 } as const;
const READABLE_ZOOM = 0.6;

/**
 * Returns the view nearest to this one that shows the bounds wholly, or the same view if it shows them. Zooms out if they
 * are too large, and zooms in if their text would be too small to read.
 */
export function revealViewport(bounds: Rect, viewport: Viewport, size: Size): Viewport {
  // An element without layout has no size.
  if (size.width === 0 || size.height === 0) return viewport;
  const panned = panToShow(bounds, viewport, size);
  if (panned === viewport) return viewport;
  const isReadable = viewport.zoom >= FAR_ZOOM;
  if (panned !== undefined && isReadable) return panned;
  const zoom = isReadable ? viewport.zoom : READABLE_ZOOM;
  const centered = {
    x: size.width / 2 - (bounds.x + bounds.width / 2) * zoom,
    y: size.height / 2 - (bounds.y + bounds.height / 2) * zoom,
    zoom,
  };
  return panToShow(bounds, centered, size) ?? fitViewport(bounds, size);
}

/** Returns the nearest view with the same zoom that shows the bounds wholly, or undefined if they are too large. */
export function panToShow(bounds: Rect, viewport: Viewport, size: Size): Viewport | undefined {
  const { zoom } = viewport;
  const [width, height] = [bounds.width * zoom, bounds.height * zoom];
  const left = findNearest(bounds.x * zoom + viewport.x, MARGIN, size.width - MARGIN - width);
  const top = findNearest(bounds.y * zoom + viewport.y, MARGIN, size.height - MARGIN - height);
  if (left === undefined || top === undefined) return undefined;
  const { x, y } = leaveCorner({ x: left, y: top, width, height }, size);
  const panned = { x: x - bounds.x * zoom, y: y - bounds.y * zoom, zoom };
  return Math.hypot(panned.x - viewport.x, panned.y - viewport.y) < 0.5 ? viewport : panned;
}

const findNearest = (value: number, low: number, high: number): number | undefined =>
  high < low ? undefined : Math.min(Math.max(value, low), high);

/** Moves the rectangle out of the corner, on the shorter way, if there is space for it. */
function leaveCorner(rect: Rect, size: Size): Pick<Rect, 'x' | 'y'> {
  const corner = { x: 0, y: size.height - CORNER.height, ...CORNER };
  if (!intersects(rect, corner)) return rect;
  const right = { x: CORNER.width, y: rect.y };
  const above = { x: rect.x, y: corner.y - rect.height };
  const candidates = [
    ...(right.x + rect.width <= size.width - MARGIN ? [right] : []),
    ...(above.y >= MARGIN ? [above] : []),
  ];
  const getDistance = ({ x, y }: Pick<Rect, 'x' | 'y'>): number => Math.hypot(x - rect.x, y - rect.y);
  return candidates.toSorted((a, b) => getDistance(a) - getDistance(b))[0] ?? rect;
}
