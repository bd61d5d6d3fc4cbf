// Paints one node of the draw list. Anything that must be blended as one picture is drawn on a sheet of its own first.
import { hash } from 'node:crypto';
import type { DrawNode, Matrix } from '../timeline/draw-list.ts';
import { multiply, scaling } from '../timeline/matrix.ts';
import { insetRect, rectOf } from '../timeline/outlines.ts';
import {
  type Area,
  areaOfSize,
  expandArea,
  intersectAreas,
  isEmpty,
  pixelsAround,
  scaleOf,
  transformArea,
  uniteAreas,
} from './area.ts';
import type { Brush } from './canvas.ts';
import { paintContent } from './content.ts';
import {
  brightnessToAlpha,
  castShadow,
  deviationOf,
  filterText,
  shrinkOf,
  stampEnlarged,
  stampLarger,
} from './effects.ts';
import { cssColor, pathOf, styleOf } from './fill.ts';
import { areaOf, blurReach, contentArea, innerArea, type Placed, place, shadowArea } from './node-area.ts';
import type { Resources } from './resources.ts';
import { type Sheet, type Sheets, stamp } from './sheets.ts';

export interface PaintContext {
  readonly resources: Resources;
  readonly sheets: Sheets;
  /** The frame plus the margin from which blurs and shadows can reach into it. */
  readonly reach: Area;
  /** Keyed by JSON pointer, so that each element is reported once. */
  readonly warnings: Map<string, string>;
}

const BLENDS: Readonly<Record<string, Brush['globalCompositeOperation']>> = {
  normal: 'source-over',
  add: 'lighter',
};

/** Draws the node; `outer` maps from its container to the frame. */
export function paintNode(target: Sheet, given: DrawNode, outer: Matrix, context: PaintContext): void {
  if (given.opacity <= 0) return;
  const { brush } = target.surface;
  const placed = place(brush, given, outer);
  const made = sheetOf(brush, placed, target.area, context);
  if (made === 'nothing') return;
  brush.save();
  brush.globalCompositeOperation = BLENDS[given.blend] ?? (given.blend as Brush['globalCompositeOperation']);
  brush.globalAlpha = given.opacity;
  if (made !== undefined) {
    stamp(target, made.sheet);
    if (!made.isKept) context.sheets.give(made.sheet);
  } else {
    clipTo(target, placed);
    paintInside(target, placed, context);
  }
  brush.restore();
}

/** The node on a sheet of its own if it needs one or is drawn repeatedly, else undefined. */
function sheetOf(
  brush: Brush,
  placed: Placed,
  frame: Area,
  context: PaintContext,
): { readonly sheet: Sheet; readonly isKept: boolean } | 'nothing' | undefined {
  const { node } = placed;
  const isNeeded = needsSheet(node);
  if (!isNeeded && !isExpensive(node)) return undefined;
  const key = keyOf(placed, frame);
  const kept = context.sheets.kept(key);
  if (kept !== undefined) return { sheet: kept, isKept: true };
  const isSeen = context.sheets.sawBefore(key);
  if (!isNeeded && !isSeen) return undefined;
  const area = intersectAreas(pixelsAround(areaOf(brush, placed)), frame);
  if (isEmpty(area)) return 'nothing';
  if (!context.sheets.hasRoom(area)) {
    context.warnings.set(node.pointer, `${node.pointer} is nested in too many blended groups.`);
    return undefined;
  }
  const sheet = drawSheet(placed, area, context);
  return { sheet, isKept: isSeen && context.sheets.keep(key, sheet) };
}

/** Equal keys mean equal sheets. Opacity and blend mode are applied when the sheet is composited. */
function keyOf({ node, matrix }: Placed, frame: Area): string {
  const { pointer: _pointer, opacity: _opacity, blend: _blend, matrix: _own, ...look } = node;
  return hash('sha1', JSON.stringify([look, matrix, frame]), 'base64url');
}

function needsSheet(node: DrawNode): boolean {
  if (node.effects.length > 0 || node.shadow !== undefined || node.mask !== undefined) return true;
  return (node.opacity < 1 || node.blend !== 'normal') && !isSingle(node);
}

/** Whether one brush operation draws the node, so that opacity and blend mode need no sheet. */
function isSingle({ content, background, border }: DrawNode): boolean {
  if (background !== undefined || border !== undefined) return false;
  if (content.kind === 'shape') return content.fill === undefined || content.stroke === undefined;
  if (content.kind === 'picture') return content.fit !== 'contain-blur';
  return (
    content.kind === 'text' &&
    content.stroke === undefined &&
    content.plate === undefined &&
    content.shadow === undefined
  );
}

/** Whether drawing costs so much more than copying that the sheet is worth keeping. */
function isExpensive({ content }: DrawNode): boolean {
  if (content.kind === 'text') return content.shadow !== undefined || content.stroke !== undefined;
  return content.kind === 'picture';
}

/** Draws from the outside in: shadow, mask, clips, filters, content. */
function drawSheet(placed: Placed, area: Area, context: PaintContext): Sheet {
  const { shadow } = placed.node;
  if (shadow === undefined) return drawMasked(placed, area, context);
  const sheet = context.sheets.borrow(area);
  const { brush } = sheet.surface;
  // Content outside the sheet may still cast a shadow into it.
  const throwing = shadowArea(area, { ...shadow, x: -shadow.x, y: -shadow.y }, placed.matrix);
  const seen = intersectAreas(pixelsAround(uniteAreas(area, throwing)), context.reach);
  const inner = intersectAreas(pixelsAround(innerArea(brush, placed)), seen);
  if (isEmpty(inner)) return sheet;
  const source = drawMasked(placed, inner, context);
  castShadow(sheet, source, shadow, scaleOf(placed.matrix), context.sheets);
  stamp(sheet, source);
  context.sheets.give(source);
  return sheet;
}

function drawMasked(placed: Placed, area: Area, context: PaintContext): Sheet {
  const sheet = drawFiltered(placed, area, context);
  if (placed.node.mask === undefined) return sheet;
  const { node, mode, invert } = placed.node.mask;
  const through = context.sheets.borrow(area);
  paintNode(through, node, placed.matrix, context);
  if (mode === 'luma') brightnessToAlpha(through);
  const { brush } = sheet.surface;
  brush.globalCompositeOperation = invert ? 'destination-out' : 'destination-in';
  stamp(sheet, through);
  brush.globalCompositeOperation = 'source-over';
  context.sheets.give(through);
  return sheet;
}

function drawFiltered(placed: Placed, area: Area, context: PaintContext): Sheet {
  const sheet = context.sheets.borrow(area);
  const { brush } = sheet.surface;
  const { node } = placed;
  brush.save();
  clipTo(sheet, placed);
  if (node.effects.length === 0) paintInside(sheet, placed, context);
  else {
    const shrink = shrinkOf(deviationOf(node.effects, scaleOf(placed.matrix)));
    const blurred = drawBlurred(placed, area, shrink, context);
    stampLarger(sheet, blurred, shrink);
    context.sheets.give(blurred);
  }
  brush.restore();
  return sheet;
}

/** Draws the content under its filters, `shrink` times smaller: a large blur leaves no detail. */
function drawBlurred({ node, matrix }: Placed, area: Area, shrink: number, context: PaintContext): Sheet {
  const smaller = scaling(1 / shrink, 1 / shrink);
  const small: Placed = { node, matrix: multiply(smaller, matrix) };
  const sheet = context.sheets.borrow(pixelsAround(transformArea(smaller, area)));
  const { brush } = sheet.surface;
  const reach = blurReach(node.effects, small.matrix);
  const seen = intersectAreas(pixelsAround(expandArea(sheet.area, reach)), context.reach);
  const inner = intersectAreas(pixelsAround(contentArea(brush, small)), seen);
  if (isEmpty(inner)) return sheet;
  const plain = context.sheets.borrow(inner);
  paintInside(plain, small, context);
  brush.filter = filterText(node.effects, scaleOf(small.matrix));
  if (node.fillsFrame === true)
    stampEnlarged(
      sheet,
      plain,
      transformArea(small.matrix, areaOfSize(node.width, node.height)),
      0.7 * reach,
    );
  else stamp(sheet, plain);
  brush.filter = 'none';
  context.sheets.give(plain);
  return sheet;
}

/** Sets the brush's transform to the node's own box. */
function turnTo({ surface: { brush }, area }: Sheet, [a, b, c, d, e, f]: Matrix): void {
  brush.setTransform(a, b, c, d, e - area.left, f - area.top);
}

function clipTo(sheet: Sheet, { node, matrix }: Placed): void {
  if (node.clips.length === 0) return;
  turnTo(sheet, matrix);
  for (const outline of node.clips) {
    const { path, rule } = pathOf(outline);
    sheet.surface.brush.clip(path, rule);
  }
}

function paintInside(target: Sheet, { node, matrix }: Placed, context: PaintContext): void {
  const { width, height, background, border, radius, content } = node;
  const { brush } = target.surface;
  turnTo(target, matrix);
  if (background !== undefined) {
    brush.fillStyle = styleOf(brush, background, width, height);
    brush.fill(pathOf(rectOf(width, height, radius)).path);
  }
  if (content.kind === 'group')
    for (const child of content.children) paintNode(target, child, matrix, context);
  else {
    const reason = paintContent(brush, node, context.resources, scaleOf(matrix));
    if (reason !== undefined) context.warnings.set(node.pointer, `${node.pointer} ${reason}.`);
  }
  if (border === undefined || border.width <= 0) return;
  turnTo(target, matrix);
  const half = border.width / 2;
  const inside = radius.map(corner => Math.max(0, corner - half));
  const [a = 0, b = 0, c = 0, d = 0] = inside;
  brush.strokeStyle = cssColor(border.color);
  brush.lineWidth = border.width;
  brush.stroke(pathOf(insetRect(width, height, [half, half, half, half], [a, b, c, d])).path);
}
