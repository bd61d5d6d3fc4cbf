// Applies effects to a whole sheet: shadow, blur, luminance masks. Large blurs are drawn at reduced size, since they
// leave no detail.

import type { Effect, Shade } from '../timeline/draw-list.ts';
import { scaling } from '../timeline/matrix.ts';
import { type Area, expandArea, intersectAreas, isEmpty, pixelsAround, transformArea } from './area.ts';
import { cssColor } from './fill.ts';
import { blurReach, MAX_BLUR } from './node-area.ts';
import { type Sheet, type Sheets, stamp } from './sheets.ts';

/** The blur deviation, in pixels, that remains when a blurred sheet is drawn at reduced size. */
const TARGET_BLUR = 5;

/** The power of two by which a sheet can be downscaled before it is blurred by this deviation. */
export const shrinkOf = (deviation: number): number =>
  2 ** Math.max(0, Math.floor(Math.log2(deviation / TARGET_BLUR)));

/** The largest deviation among the effects, in pixels of the surface. */
export const deviationOf = (effects: readonly Effect[], scale: number): number =>
  Math.min(
    MAX_BLUR,
    effects.reduce((most, { type, amount }) => (type === 'blur' ? Math.max(most, amount * scale) : most), 0),
  );

/** Draws a sheet that was made `times` smaller, with its center moved by (x, y). */
export function stampLarger(onto: Sheet, sheet: Sheet, times: number, x = 0, y = 0): void {
  const { brush } = onto.surface;
  brush.setTransform(times, 0, 0, times, x - onto.area.left, y - onto.area.top);
  drawSoftly(onto, sheet);
}

/** Draws a sheet enlarged around the center of `box`, by `bleed` on every side. */
export function stampEnlarged(onto: Sheet, sheet: Sheet, box: Area, bleed: number): void {
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const share = (2 * bleed) / Math.max(1, Math.min(width, height));
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const { brush } = onto.surface;
  brush.setTransform(1 + share, 0, 0, 1 + share, -share * x - onto.area.left, -share * y - onto.area.top);
  drawSoftly(onto, sheet);
}

function drawSoftly({ surface: { brush } }: Sheet, { surface, area }: Sheet): void {
  const { left, top, right, bottom } = area;
  const [width, height] = [right - left, bottom - top];
  brush.imageSmoothingEnabled = true;
  brush.imageSmoothingQuality = 'low';
  brush.drawImage(surface.canvas, 0, 0, width, height, left, top, width, height);
}

/** Draws the shadow of one sheet onto another; `scale` is that of the node that casts the shadow. */
export function castShadow(onto: Sheet, source: Sheet, shadow: Shade, scale: number, sheets: Sheets): void {
  const deviation = Math.min(MAX_BLUR, (shadow.blur / 2) * scale);
  const shrink = shrinkOf(deviation);
  const [x, y] = [shadow.x * scale, shadow.y * scale];
  const smaller = scaling(1 / shrink, 1 / shrink);
  const seen = pixelsAround(
    transformArea([1 / shrink, 0, 0, 1 / shrink, -x / shrink, -y / shrink], onto.area),
  );
  const shape = sheets.borrow(pixelsAround(transformArea(smaller, source.area)));
  tint(shape, source, shrink, cssColor(shadow.color));
  const reach = blurReach([{ type: 'blur', amount: deviation / shrink }], [1, 0, 0, 1, 0, 0]);
  const area = intersectAreas(pixelsAround(expandArea(shape.area, reach)), seen);
  if (!isEmpty(area)) {
    const blurred = sheets.borrow(area);
    if (deviation > 0) blurred.surface.brush.filter = `blur(${(deviation / shrink).toFixed(2)}px)`;
    stamp(blurred, shape);
    stampLarger(onto, blurred, shrink, x, y);
    sheets.give(blurred);
  }
  sheets.give(shape);
}

/** The silhouette of a sheet in one color, `shrink` times smaller. */
function tint(shape: Sheet, { surface, area }: Sheet, shrink: number, color: string): void {
  const { brush } = shape.surface;
  brush.setTransform(1 / shrink, 0, 0, 1 / shrink, -shape.area.left, -shape.area.top);
  const { left, top, right, bottom } = area;
  const [width, height] = [right - left, bottom - top];
  brush.imageSmoothingQuality = shrink > 2 ? 'medium' : 'low';
  brush.drawImage(surface.canvas, 0, 0, width, height, left, top, width, height);
  brush.globalCompositeOperation = 'source-in';
  brush.fillStyle = color;
  brush.fillRect(left - shrink, top - shrink, width + 2 * shrink, height + 2 * shrink);
  brush.globalCompositeOperation = 'source-over';
}

/** Converts luminance to alpha: bright is opaque, dark is transparent. */
export function brightnessToAlpha({ surface: { brush }, area }: Sheet): void {
  const image = brush.getImageData(0, 0, area.right - area.left, area.bottom - area.top);
  const { data } = image;
  for (let at = 0; at < data.length; at += 4) {
    const [r = 0, g = 0, b = 0, a = 0] = [data[at], data[at + 1], data[at + 2], data[at + 3]];
    data[at + 3] = ((r * 0.2126 + g * 0.7152 + b * 0.0722) * a) / 255;
  }
  brush.putImageData(image, 0, 0);
}

const FILTERS: Readonly<Record<string, (amount: number, scale: number) => string>> = {
  blur: (amount, scale) => `blur(${Math.min(MAX_BLUR, Math.max(0, amount * scale)).toFixed(2)}px)`,
  'hue-rotate': amount => `hue-rotate(${amount.toFixed(2)}deg)`,
};

/** Formats the effects as a canvas filter string, in order. */
export function filterText(effects: readonly Effect[], scale: number): string {
  return effects
    .map(({ type, amount }) => FILTERS[type]?.(amount, scale) ?? `${type}(${Math.max(0, amount).toFixed(4)})`)
    .join(' ');
}
