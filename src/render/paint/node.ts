// Paints one node of the draw list. A node that must be blended as a whole is drawn to an offscreen surface first.
import { hash } from 'node:crypto';
import type { DrawNode, Matrix } from '../timeline/draw-list.ts';
import { multiply, scaling } from '../timeline/matrix.ts';
import { createInsetRect, toRect } from '../timeline/outlines.ts';
import {
  type Area,
  expandArea,
  getMeanScale,
  intersectAreas,
  isEmpty,
  roundOutwards,
  toArea,
  transformArea,
  uniteAreas,
} from './area.ts';
import type { CanvasContext } from './canvas.ts';
import { paintContent } from './content.ts';
import {
  castShadow,
  drawEnlarged,
  drawWithBleed,
  getMaxDeviation,
  getShrinkFactor,
  luminanceToAlpha,
  toFilterString,
} from './effects.ts';
import { toCssColor, toPath, toStyle } from './fill.ts';
import {
  getBlurReach,
  getContentArea,
  getInnerArea,
  getNodeArea,
  getShadowArea,
  type PlacedNode,
  toPlacedNode,
} from './node-area.ts';
import type { Resources } from './resources.ts';
import { composite, type OffscreenSurface, type SurfacePool } from './surface-pool.ts';

export interface PaintContext {
  readonly resources: Resources;
  readonly surfaces: SurfacePool;
  /** The frame and a margin, from which blurs and shadows can reach into the frame. */
  readonly paddedFrame: Area;
  /** Warnings by JSON pointer, so that each element is reported once. */
  readonly warnings: Map<string, string>;
}

const BLEND_OPERATIONS: Readonly<Record<string, CanvasContext['globalCompositeOperation']>> = {
  normal: 'source-over',
  add: 'lighter',
};

/** Draws the node. `outerMatrix` maps from its container to the frame. */
export function paintNode(
  target: OffscreenSurface,
  node: DrawNode,
  outerMatrix: Matrix,
  context: PaintContext,
): void {
  if (node.opacity <= 0) return;
  const { ctx } = target.surface;
  const placed = toPlacedNode(ctx, node, outerMatrix);
  const result = drawOffscreen(ctx, placed, target.area, context);
  if (result === 'nothing') return;
  ctx.save();
  ctx.globalCompositeOperation =
    BLEND_OPERATIONS[node.blend] ?? (node.blend as CanvasContext['globalCompositeOperation']);
  ctx.globalAlpha = node.opacity;
  if (result !== undefined) {
    composite(target, result.offscreen);
    if (!result.isCached) context.surfaces.release(result.offscreen);
  } else {
    clipToOutlines(target, placed);
    paintInside(target, placed, context);
  }
  ctx.restore();
}

/** Draws the node offscreen if that is necessary or worth caching. Otherwise returns undefined. */
function drawOffscreen(
  ctx: CanvasContext,
  placed: PlacedNode,
  frame: Area,
  context: PaintContext,
): { readonly offscreen: OffscreenSurface; readonly isCached: boolean } | 'nothing' | undefined {
  const { node } = placed;
  const isNeeded = needsOffscreen(node);
  if (!isNeeded && !isExpensive(node)) return undefined;
  const key = toCacheKey(placed, frame);
  const cached = context.surfaces.findCached(key);
  if (cached !== undefined) return { offscreen: cached, isCached: true };
  const isRepeated = context.surfaces.recordRequest(key);
  if (!isNeeded && !isRepeated) return undefined;
  const area = intersectAreas(roundOutwards(getNodeArea(ctx, placed)), frame);
  if (isEmpty(area)) return 'nothing';
  if (!context.surfaces.canBorrow(area)) {
    context.warnings.set(node.pointer, `${node.pointer} is nested in too many blended groups.`);
    return undefined;
  }
  const offscreen = drawWithShadow(placed, area, context);
  return { offscreen, isCached: isRepeated && context.surfaces.cache(key, offscreen) };
}

/** Returns the cache key of a node. The key excludes opacity and blend mode, which are applied when compositing. */
function toCacheKey({ node, matrix }: PlacedNode, frame: Area): string {
  const { pointer: _pointer, opacity: _opacity, blend: _blend, matrix: _matrix, ...appearance } = node;
  return hash('sha1', JSON.stringify([appearance, matrix, frame]), 'base64url');
}

function needsOffscreen(node: DrawNode): boolean {
  if (node.effects.length > 0 || node.shadow !== undefined || node.mask !== undefined) return true;
  return (node.opacity < 1 || node.blend !== 'normal') && !isSingleOperation(node);
}

/** Returns whether one drawing operation draws the node, so that opacity and blend mode need no offscreen surface. */
function isSingleOperation({ content, background, border }: DrawNode): boolean {
  if (background !== undefined || border !== undefined) return false;
  if (content.kind === 'shape') return content.fill === undefined || content.stroke === undefined;
  if (content.kind === 'image') return content.fit !== 'contain-blur';
  return (
    content.kind === 'text' &&
    content.stroke === undefined &&
    content.textBackground === undefined &&
    content.shadow === undefined
  );
}

/** Returns whether drawing takes so much longer than copying that the surface is worth caching. */
function isExpensive({ content }: DrawNode): boolean {
  if (content.kind === 'text') return content.shadow !== undefined || content.stroke !== undefined;
  return content.kind === 'image';
}

/** Draws the node with its effects. Each function calls the next: shadow, mask, clips and filters, content. */
function drawWithShadow(placed: PlacedNode, area: Area, context: PaintContext): OffscreenSurface {
  const { shadow } = placed.node;
  if (shadow === undefined) return drawMasked(placed, area, context);
  const offscreen = context.surfaces.borrow(area);
  const { ctx } = offscreen.surface;
  // Content outside of the area may cast a shadow into it.
  const castingArea = getShadowArea(area, { ...shadow, x: -shadow.x, y: -shadow.y }, placed.matrix);
  const visibleArea = intersectAreas(roundOutwards(uniteAreas(area, castingArea)), context.paddedFrame);
  const innerArea = intersectAreas(roundOutwards(getInnerArea(ctx, placed)), visibleArea);
  if (isEmpty(innerArea)) return offscreen;
  const source = drawMasked(placed, innerArea, context);
  castShadow(offscreen, source, shadow, getMeanScale(placed.matrix), context.surfaces);
  composite(offscreen, source);
  context.surfaces.release(source);
  return offscreen;
}

function drawMasked(placed: PlacedNode, area: Area, context: PaintContext): OffscreenSurface {
  const offscreen = drawFiltered(placed, area, context);
  if (placed.node.mask === undefined) return offscreen;
  const { node, mode, invert } = placed.node.mask;
  const mask = context.surfaces.borrow(area);
  paintNode(mask, node, placed.matrix, context);
  if (mode === 'luma') luminanceToAlpha(mask);
  const { ctx } = offscreen.surface;
  ctx.globalCompositeOperation = invert ? 'destination-out' : 'destination-in';
  composite(offscreen, mask);
  ctx.globalCompositeOperation = 'source-over';
  context.surfaces.release(mask);
  return offscreen;
}

function drawFiltered(placed: PlacedNode, area: Area, context: PaintContext): OffscreenSurface {
  const offscreen = context.surfaces.borrow(area);
  const { ctx } = offscreen.surface;
  const { node } = placed;
  ctx.save();
  clipToOutlines(offscreen, placed);
  if (node.effects.length === 0) paintInside(offscreen, placed, context);
  else {
    const shrink = getShrinkFactor(getMaxDeviation(node.effects, getMeanScale(placed.matrix)));
    const blurred = drawBlurred(placed, area, shrink, context);
    drawEnlarged(offscreen, blurred, shrink);
    context.surfaces.release(blurred);
  }
  ctx.restore();
  return offscreen;
}

/** Draws the content with its filters, `shrink` times smaller than its size. */
function drawBlurred(
  { node, matrix }: PlacedNode,
  area: Area,
  shrink: number,
  context: PaintContext,
): OffscreenSurface {
  const shrinkMatrix = scaling(1 / shrink, 1 / shrink);
  const shrunk: PlacedNode = { node, matrix: multiply(shrinkMatrix, matrix) };
  const offscreen = context.surfaces.borrow(roundOutwards(transformArea(shrinkMatrix, area)));
  const { ctx } = offscreen.surface;
  const reach = getBlurReach(node.effects, shrunk.matrix);
  const visibleArea = intersectAreas(roundOutwards(expandArea(offscreen.area, reach)), context.paddedFrame);
  const contentArea = intersectAreas(roundOutwards(getContentArea(ctx, shrunk)), visibleArea);
  if (isEmpty(contentArea)) return offscreen;
  const unblurred = context.surfaces.borrow(contentArea);
  paintInside(unblurred, shrunk, context);
  ctx.filter = toFilterString(node.effects, getMeanScale(shrunk.matrix));
  if (node.fillsFrame === true)
    drawWithBleed(
      offscreen,
      unblurred,
      transformArea(shrunk.matrix, toArea(node.width, node.height)),
      0.7 * reach,
    );
  else composite(offscreen, unblurred);
  ctx.filter = 'none';
  context.surfaces.release(unblurred);
  return offscreen;
}

/** Sets the transform from the node's box to the surface. */
function setTransformTo({ surface: { ctx }, area }: OffscreenSurface, [a, b, c, d, e, f]: Matrix): void {
  ctx.setTransform(a, b, c, d, e - area.left, f - area.top);
}

function clipToOutlines(offscreen: OffscreenSurface, { node, matrix }: PlacedNode): void {
  if (node.clips.length === 0) return;
  setTransformTo(offscreen, matrix);
  for (const outline of node.clips) {
    const { path, rule } = toPath(outline);
    offscreen.surface.ctx.clip(path, rule);
  }
}

function paintInside(target: OffscreenSurface, { node, matrix }: PlacedNode, context: PaintContext): void {
  const { width, height, background, border, radius, content } = node;
  const { ctx } = target.surface;
  setTransformTo(target, matrix);
  if (background !== undefined) {
    ctx.fillStyle = toStyle(ctx, background, width, height);
    ctx.fill(toPath(toRect(width, height, radius)).path);
  }
  if (content.kind === 'group')
    for (const child of content.children) paintNode(target, child, matrix, context);
  else {
    const reason = paintContent(ctx, node, context.resources, getMeanScale(matrix));
    if (reason !== undefined) context.warnings.set(node.pointer, `${node.pointer} ${reason}.`);
  }
  if (border === undefined || border.width <= 0) return;
  setTransformTo(target, matrix);
  const half = border.width / 2;
  const innerRadius = radius.map(corner => Math.max(0, corner - half));
  const [a = 0, b = 0, c = 0, d = 0] = innerRadius;
  ctx.strokeStyle = toCssColor(border.color);
  ctx.lineWidth = border.width;
  ctx.stroke(toPath(createInsetRect(width, height, [half, half, half, half], [a, b, c, d])).path);
}
