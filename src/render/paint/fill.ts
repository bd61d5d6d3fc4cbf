// Converts fills and outlines of the draw list to canvas styles and paths.

import type { Fill, Outline, Rgba } from '../timeline/draw-list.ts';
import { type CanvasContext, createPath, createSurface, type OutlinePath, type Style } from './canvas.ts';

export function toCssColor([r, g, b, a]: Rgba): string {
  return `rgba(${r.toFixed(1)}, ${g.toFixed(1)}, ${b.toFixed(1)}, ${a.toFixed(4)})`;
}

/** Returns the fill as a canvas style for a box with its upper left corner at the origin. */
export function toStyle(ctx: CanvasContext, fill: Fill, width: number, height: number): Style {
  if (fill.type === 'color') return toCssColor(fill.color);
  const gradient = createGradient(ctx, fill, width, height);
  for (const { offset, color } of fill.stops) gradient.addColorStop(offset, toCssColor(color));
  return gradient;
}

function createGradient(
  ctx: CanvasContext,
  fill: Exclude<Fill, { type: 'color' }>,
  width: number,
  height: number,
): Exclude<Style, string> {
  const radians = fill.type === 'radial' ? 0 : (fill.angle * Math.PI) / 180;
  if (fill.type === 'linear') {
    // As in CSS, the gradient line is so long that the corners have exactly the first and last colors.
    const [x, y] = [Math.sin(radians), -Math.cos(radians)];
    const half = (Math.abs(width * x) + Math.abs(height * y)) / 2;
    const [cx, cy] = [width / 2, height / 2];
    return ctx.createLinearGradient(cx - x * half, cy - y * half, cx + x * half, cy + y * half);
  }
  const [cx, cy] = [fill.center[0] * width, fill.center[1] * height];
  if (fill.type === 'conic') return ctx.createConicGradient(radians - Math.PI / 2, cx, cy);
  return ctx.createRadialGradient(cx, cy, 0, cx, cy, Math.max(0.01, fill.radius * Math.max(width, height)));
}

// A multiple of the size of the rasterizer's dither pattern, so that bands join without seams.
const BAND_SIZE = 32;

/**
 * Fills a box that covers the whole surface with an axis-aligned gradient: draws one band and copies it. Returns false
 * without drawing if the fill or the box does not qualify.
 */
export function fillByBands(ctx: CanvasContext, fill: Fill, width: number, height: number): boolean {
  if (fill.type !== 'linear' || fill.angle % 90 !== 0) return false;
  const { a, b, c, d, e, f } = ctx.getTransform();
  const { canvas } = ctx;
  const coversSurface =
    b === 0 &&
    c === 0 &&
    a > 0 &&
    d > 0 &&
    e <= 0 &&
    f <= 0 &&
    e + a * width >= canvas.width &&
    f + d * height >= canvas.height;
  if (!coversSurface) return false;
  const isUpright = fill.angle % 180 === 0;
  const [bandWidth, bandHeight] = isUpright ? [BAND_SIZE, canvas.height] : [canvas.width, BAND_SIZE];
  const band = createSurface(bandWidth, bandHeight);
  band.ctx.setTransform(a, 0, 0, d, e, f);
  band.ctx.fillStyle = toStyle(band.ctx, fill, width, height);
  band.ctx.fillRect(0, 0, width, height);
  ctx.save();
  ctx.resetTransform();
  ctx.imageSmoothingEnabled = false;
  for (let x = 0; x < canvas.width; x += bandWidth)
    for (let y = 0; y < canvas.height; y += bandHeight) ctx.drawImage(band.canvas, x, y);
  ctx.restore();
  return true;
}

/** Returns the outline as a path, and its fill rule. */
export function toPath(outline: Outline): {
  readonly path: OutlinePath;
  readonly rule: 'nonzero' | 'evenodd';
} {
  const path = createPath();
  tracePath(path, outline);
  return { path, rule: outline.form === 'many' ? 'evenodd' : 'nonzero' };
}

function tracePath(path: OutlinePath, outline: Outline): void {
  switch (outline.form) {
    case 'rect': {
      const { x, y, width, height, radius } = outline;
      const maxRadius = Math.min(width, height) / 2;
      const corners = radius.map(corner => Math.min(corner, maxRadius));
      if (radius.every(corner => corner <= 0)) path.rect(x, y, width, height);
      else path.roundRect(x, y, width, height, corners);
      return;
    }
    case 'ellipse':
      traceEllipse(path, outline);
      return;
    case 'points':
      for (const [index, [x, y]] of outline.points.entries())
        if (index === 0) path.moveTo(x, y);
        else path.lineTo(x, y);
      if (outline.closed) path.closePath();
      return;
    case 'path': {
      const [a, b, c, d, e, f] = outline.matrix;
      path.addPath(createPath(outline.data), { a, b, c, d, e, f });
      return;
    }
    case 'many':
      for (const part of outline.parts) tracePath(path, part);
      return;
    default:
      outline satisfies never;
  }
}

function traceEllipse(path: OutlinePath, outline: Extract<Outline, { form: 'ellipse' }>): void {
  const { x, y, arc, pie } = outline;
  const [rx, ry] = [Math.max(0, outline.rx), Math.max(0, outline.ry)];
  const [from, to] = (arc ?? [0, 360]).map(degrees => ((degrees - 90) * Math.PI) / 180) as [number, number];
  const isComplete = Math.abs(to - from) >= 2 * Math.PI - 1e-9;
  if (pie === true && !isComplete) path.moveTo(x, y);
  else path.moveTo(x + rx * Math.cos(from), y + ry * Math.sin(from));
  if (isComplete) path.ellipse(x, y, rx, ry, 0, from, from + 2 * Math.PI);
  else if (to > from) path.ellipse(x, y, rx, ry, 0, from, to);
  if (isComplete || pie === true) path.closePath();
}
