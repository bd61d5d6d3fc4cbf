// Applies effects to an offscreen surface: shadow, blur, luminance masks. A large blur leaves no detail, so it is drawn at
// reduced size.

import type { Effect, ResolvedShadow } from '../timeline/draw-list.ts';
import { scaling } from '../timeline/matrix.ts';
import { type Area, expandArea, intersectAreas, isEmpty, roundOutwards, transformArea } from './area.ts';
import { toCssColor } from './fill.ts';
import { getBlurReach, MAX_BLUR } from './node-area.ts';
import { composite, type OffscreenSurface, type SurfacePool } from './surface-pool.ts';

/** The deviation in pixels of a blur that is drawn at reduced size. */
const TARGET_BLUR = 5;

/** Returns the power of two by which a surface can be downscaled before this blur. */
export const getShrinkFactor = (deviation: number): number =>
  2 ** Math.max(0, Math.floor(Math.log2(deviation / TARGET_BLUR)));

/** Returns the largest blur deviation among the effects, in pixels of the surface. */
export const getMaxDeviation = (effects: readonly Effect[], scale: number): number =>
  Math.min(
    MAX_BLUR,
    effects.reduce((max, { type, amount }) => (type === 'blur' ? Math.max(max, amount * scale) : max), 0),
  );

/** Draws a surface enlarged by `factor` and moved by (x, y). */
export function drawEnlarged(
  target: OffscreenSurface,
  offscreen: OffscreenSurface,
  factor: number,
  x = 0,
  y = 0,
): void {
  const { ctx } = target.surface;
  ctx.setTransform(factor, 0, 0, factor, x - target.area.left, y - target.area.top);
  drawSmoothed(target, offscreen);
}

/** Draws a surface enlarged around the center of `box`, by `bleed` on every side. */
export function drawWithBleed(
  target: OffscreenSurface,
  offscreen: OffscreenSurface,
  box: Area,
  bleed: number,
): void {
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const growth = (2 * bleed) / Math.max(1, Math.min(width, height));
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const { ctx } = target.surface;
  ctx.setTransform(
    1 + growth,
    0,
    0,
    1 + growth,
    -growth * x - target.area.left,
    -growth * y - target.area.top,
  );
  drawSmoothed(target, offscreen);
}

function drawSmoothed({ surface: { ctx } }: OffscreenSurface, { surface, area }: OffscreenSurface): void {
  const { left, top, right, bottom } = area;
  const [width, height] = [right - left, bottom - top];
  ctx.imageSmoothingEnabled = true;
  ctx.imageSmoothingQuality = 'low';
  ctx.drawImage(surface.canvas, 0, 0, width, height, left, top, width, height);
}

/** Draws the shadow of one surface onto another. `scale` is the scale of the node that casts the shadow. */
export function castShadow(
  target: OffscreenSurface,
  source: OffscreenSurface,
  shadow: ResolvedShadow,
  scale: number,
  surfaces: SurfacePool,
): void {
  const deviation = Math.min(MAX_BLUR, (shadow.blur / 2) * scale);
  const shrink = getShrinkFactor(deviation);
  const [x, y] = [shadow.x * scale, shadow.y * scale];
  const shrinkMatrix = scaling(1 / shrink, 1 / shrink);
  const visibleArea = roundOutwards(
    transformArea([1 / shrink, 0, 0, 1 / shrink, -x / shrink, -y / shrink], target.area),
  );
  const silhouette = surfaces.borrow(roundOutwards(transformArea(shrinkMatrix, source.area)));
  drawSilhouette(silhouette, source, shrink, toCssColor(shadow.color));
  const reach = getBlurReach([{ type: 'blur', amount: deviation / shrink }], [1, 0, 0, 1, 0, 0]);
  const area = intersectAreas(roundOutwards(expandArea(silhouette.area, reach)), visibleArea);
  if (!isEmpty(area)) {
    const blurred = surfaces.borrow(area);
    if (deviation > 0) blurred.surface.ctx.filter = `blur(${(deviation / shrink).toFixed(2)}px)`;
    composite(blurred, silhouette);
    drawEnlarged(target, blurred, shrink, x, y);
    surfaces.release(blurred);
  }
  surfaces.release(silhouette);
}

/** Draws the silhouette of a surface in one color, `shrink` times smaller. */
function drawSilhouette(
  silhouette: OffscreenSurface,
  { surface, area }: OffscreenSurface,
  shrink: number,
  color: string,
): void {
  const { ctx } = silhouette.surface;
  ctx.setTransform(1 / shrink, 0, 0, 1 / shrink, -silhouette.area.left, -silhouette.area.top);
  const { left, top, right, bottom } = area;
  const [width, height] = [right - left, bottom - top];
  ctx.imageSmoothingQuality = shrink > 2 ? 'medium' : 'low';
  ctx.drawImage(surface.canvas, 0, 0, width, height, left, top, width, height);
  ctx.globalCompositeOperation = 'source-in';
  ctx.fillStyle = color;
  ctx.fillRect(left - shrink, top - shrink, width + 2 * shrink, height + 2 * shrink);
  ctx.globalCompositeOperation = 'source-over';
}

/** Converts luminance to alpha: bright pixels become opaque, dark pixels transparent. */
export function luminanceToAlpha({ surface: { ctx }, area }: OffscreenSurface): void {
  const image = ctx.getImageData(0, 0, area.right - area.left, area.bottom - area.top);
  const { data } = image;
  for (let offset = 0; offset < data.length; offset += 4) {
    const [r = 0, g = 0, b = 0, a = 0] = [data[offset], data[offset + 1], data[offset + 2], data[offset + 3]];
    data[offset + 3] = ((r * 0.2126 + g * 0.7152 + b * 0.0722) * a) / 255;
  }
  ctx.putImageData(image, 0, 0);
}

const FILTERS: Readonly<Record<string, (amount: number, scale: number) => string>> = {
  blur: (amount, scale) => `blur(${Math.min(MAX_BLUR, Math.max(0, amount * scale)).toFixed(2)}px)`,
  'hue-rotate': amount => `hue-rotate(${amount.toFixed(2)}deg)`,
};

/** Formats the effects as a canvas filter string, in their order. */
export function toFilterString(effects: readonly Effect[], scale: number): string {
  return effects
    .map(({ type, amount }) => FILTERS[type]?.(amount, scale) ?? `${type}(${Math.max(0, amount).toFixed(4)})`)
    .join(' ');
}
