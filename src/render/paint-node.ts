// A node of the draw list → pixels. Whatever must be blended as a whole is drawn on a sheet of its own first.
import { createHash } from 'node:crypto';
import {
  type Area,
  areaOfSize,
  common,
  grown,
  isEmpty,
  mapped,
  pixelsAround,
  scaleOf,
  united,
} from './area.ts';
import type { Brush } from './paint.ts';
import {
  areaOf,
  blurReach,
  contentArea,
  innerArea,
  MOST_BLUR,
  type Placed,
  place,
  shadowArea,
} from './paint-area.ts';
import { paintContent } from './paint-content.ts';
import { cssColor, pathOf, styleOf } from './paint-fill.ts';
import type { Resources } from './resources.ts';
import { type Sheet, type Sheets, stamp } from './sheets.ts';
import type { DrawNode, Effect, Matrix } from './timeline/draw-list.ts';
import { multiply, scaling } from './timeline/matrix.ts';
import { insetRect, rectOf } from './timeline/outlines.ts';

export interface Stage {
  readonly resources: Resources;
  readonly sheets: Sheets;
  /** The frame and what lies around it that may be blurred, or throw its shadow, into it. */
  readonly reach: Area;
  /** By pointer, so that each element is named once. */
  readonly warnings: Map<string, string>;
}

const BLENDS: Readonly<Record<string, Brush['globalCompositeOperation']>> = {
  normal: 'source-over',
  add: 'lighter',
};

/** Draws the node; `outer` leads from what contains it to the frame. */
export function paintNode(target: Sheet, given: DrawNode, outer: Matrix, stage: Stage): void {
  if (given.opacity <= 0) return;
  const { brush } = target.surface;
  const placed = place(brush, given, outer);
  const made = sheetOf(brush, placed, target.area, stage);
  if (made === 'nothing') return;
  brush.save();
  brush.globalCompositeOperation = BLENDS[given.blend] ?? (given.blend as Brush['globalCompositeOperation']);
  brush.globalAlpha = given.opacity;
  if (made !== undefined) {
    stamp(target, made.sheet);
    if (!made.isKept) stage.sheets.give(made.sheet);
  } else {
    clipTo(target, placed);
    paintInside(target, placed, stage);
  }
  brush.restore();
}

/** The node on a sheet of its own, where it needs one or is drawn again and again; undefined where it does not. */
function sheetOf(
  brush: Brush,
  placed: Placed,
  frame: Area,
  stage: Stage,
): { readonly sheet: Sheet; readonly isKept: boolean } | 'nothing' | undefined {
  const { node } = placed;
  const isNeeded = needsSheet(node);
  if (!isNeeded && !isDear(node)) return undefined;
  const key = keyOf(placed, frame);
  const kept = stage.sheets.kept(key);
  if (kept !== undefined) return { sheet: kept, isKept: true };
  const isKept = stage.sheets.sawBefore(key);
  if (!isNeeded && !isKept) return undefined;
  const area = common(pixelsAround(areaOf(brush, placed)), frame);
  if (isEmpty(area)) return 'nothing';
  if (!stage.sheets.hasRoom(area)) {
    stage.warnings.set(node.pointer, `${node.pointer} lies in too many groups that are blended as a whole.`);
    return undefined;
  }
  const sheet = drawSheet(placed, area, stage);
  if (isKept) stage.sheets.keep(key, sheet);
  return { sheet, isKept };
}

/** Equal keys are equal sheets: opacity and blend come when the sheet is put onto what is behind. */
function keyOf({ node, matrix }: Placed, frame: Area): string {
  const { pointer: _pointer, opacity: _opacity, blend: _blend, matrix: _own, ...look } = node;
  return createHash('sha1')
    .update(JSON.stringify([look, matrix, frame]))
    .digest('base64url');
}

function needsSheet(node: DrawNode): boolean {
  if (node.effects.length > 0 || node.shadow !== undefined || node.mask !== undefined) return true;
  return (node.opacity < 1 || node.blend !== 'normal') && !isSingle(node);
}

/** Whether the node is drawn by one stroke of the brush, so that opacity and blend need no sheet. */
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

/** Whether drawing it costs so much more than copying its pixels that these are worth keeping. */
function isDear({ content }: DrawNode): boolean {
  if (content.kind === 'text') return content.shadow !== undefined || content.stroke !== undefined;
  return content.kind === 'picture';
}

/** From the outside in: shadow, mask, clips, filters, content. */
function drawSheet(placed: Placed, area: Area, stage: Stage): Sheet {
  const { shadow } = placed.node;
  if (shadow === undefined) return drawMasked(placed, area, stage);
  const sheet = stage.sheets.borrow(area);
  const { brush } = sheet.surface;
  // What lies outside of the sheet may throw its shadow into it.
  const throwing = shadowArea(area, { ...shadow, x: -shadow.x, y: -shadow.y }, placed.matrix);
  const seen = common(pixelsAround(united(area, throwing)), stage.reach);
  const inner = common(pixelsAround(innerArea(brush, placed)), seen);
  if (isEmpty(inner)) return sheet;
  const thrower = drawMasked(placed, inner, stage);
  const scale = scaleOf(placed.matrix);
  brush.shadowColor = cssColor(shadow.color);
  brush.shadowBlur = Math.min(MOST_BLUR * 2, shadow.blur * scale);
  brush.shadowOffsetX = shadow.x * scale;
  brush.shadowOffsetY = shadow.y * scale;
  stamp(sheet, thrower);
  stage.sheets.give(thrower);
  return sheet;
}

function drawMasked(placed: Placed, area: Area, stage: Stage): Sheet {
  const sheet = drawFiltered(placed, area, stage);
  if (placed.node.mask === undefined) return sheet;
  const { node, mode, invert } = placed.node.mask;
  const through = stage.sheets.borrow(area);
  paintNode(through, node, placed.matrix, stage);
  if (mode === 'luma') brightnessToAlpha(through);
  const { brush } = sheet.surface;
  brush.globalCompositeOperation = invert ? 'destination-out' : 'destination-in';
  stamp(sheet, through);
  brush.globalCompositeOperation = 'source-over';
  stage.sheets.give(through);
  return sheet;
}

function drawFiltered(placed: Placed, area: Area, stage: Stage): Sheet {
  const sheet = stage.sheets.borrow(area);
  const { brush } = sheet.surface;
  const { node } = placed;
  brush.save();
  clipTo(sheet, placed);
  if (node.effects.length === 0) paintInside(sheet, placed, stage);
  else {
    const shrink = shrinkOf(node.effects, scaleOf(placed.matrix));
    const blurred = drawBlurred(placed, area, shrink, stage);
    brush.resetTransform();
    brush.imageSmoothingEnabled = true;
    brush.imageSmoothingQuality = 'low';
    brush.translate(-area.left, -area.top);
    brush.scale(shrink, shrink);
    const { left, top, right, bottom } = blurred.area;
    const [width, height] = [right - left, bottom - top];
    brush.drawImage(blurred.surface.canvas, 0, 0, width, height, left, top, width, height);
    stage.sheets.give(blurred);
  }
  brush.restore();
  return sheet;
}

/** The content under its filters, everything `shrink` times smaller: what is blurred much has no detail to lose. */
function drawBlurred({ node, matrix }: Placed, area: Area, shrink: number, stage: Stage): Sheet {
  const smaller = scaling(1 / shrink, 1 / shrink);
  const small: Placed = { node, matrix: multiply(smaller, matrix) };
  const sheet = stage.sheets.borrow(pixelsAround(mapped(smaller, area)));
  const { brush } = sheet.surface;
  const reach = blurReach(node.effects, small.matrix);
  const seen = common(pixelsAround(grown(sheet.area, reach)), stage.reach);
  const inner = common(pixelsAround(contentArea(brush, small)), seen);
  if (isEmpty(inner)) return sheet;
  const plain = stage.sheets.borrow(inner);
  paintInside(plain, small, stage);
  brush.filter = filterText(node.effects, scaleOf(small.matrix));
  if (node.fillsFrame === true) stampEnlarged(sheet, plain, small, 0.7 * reach);
  else stamp(sheet, plain);
  brush.filter = 'none';
  stage.sheets.give(plain);
  return sheet;
}

/** The deviation that is left where a blurred picture is drawn smaller. */
const ENOUGH_BLUR = 5;

function shrinkOf(effects: readonly Effect[], scale: number): number {
  const blur = effects.reduce(
    (most, { type, amount }) => (type === 'blur' ? Math.max(most, amount) : most),
    0,
  );
  return 2 ** Math.max(0, Math.floor(Math.log2(Math.min(MOST_BLUR, blur * scale) / ENOUGH_BLUR)));
}

/** `bleed` larger on every side of the node's box, so that edges which a blur has faded lie beyond the frame. */
function stampEnlarged(onto: Sheet, sheet: Sheet, { node, matrix }: Placed, bleed: number): void {
  const box = mapped(matrix, areaOfSize(node.width, node.height));
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const share = (2 * bleed) / Math.max(1, Math.min(width, height));
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const { brush } = onto.surface;
  brush.setTransform(1 + share, 0, 0, 1 + share, -share * x - onto.area.left, -share * y - onto.area.top);
  brush.imageSmoothingEnabled = true;
  brush.imageSmoothingQuality = 'low';
  const { left, top, right, bottom } = sheet.area;
  const [wide, tall] = [right - left, bottom - top];
  brush.drawImage(sheet.surface.canvas, 0, 0, wide, tall, left, top, wide, tall);
}

/** Sets the brush to the node's own box. */
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

function paintInside(target: Sheet, { node, matrix }: Placed, stage: Stage): void {
  const { width, height, background, border, radius, content } = node;
  const { brush } = target.surface;
  turnTo(target, matrix);
  if (background !== undefined) {
    brush.fillStyle = styleOf(brush, background, width, height);
    brush.fill(pathOf(rectOf(width, height, radius)).path);
  }
  if (content.kind === 'group') for (const child of content.children) paintNode(target, child, matrix, stage);
  else {
    const reason = paintContent(brush, node, stage.resources, scaleOf(matrix));
    if (reason !== undefined) stage.warnings.set(node.pointer, `${node.pointer} ${reason}.`);
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

function brightnessToAlpha({ surface: { brush }, area }: Sheet): void {
  const image = brush.getImageData(0, 0, area.right - area.left, area.bottom - area.top);
  const { data } = image;
  for (let at = 0; at < data.length; at += 4) {
    const [r = 0, g = 0, b = 0, a = 0] = [data[at], data[at + 1], data[at + 2], data[at + 3]];
    data[at + 3] = ((r * 0.2126 + g * 0.7152 + b * 0.0722) * a) / 255;
  }
  brush.putImageData(image, 0, 0);
}

const FILTERS: Readonly<Record<string, (amount: number, scale: number) => string>> = {
  blur: (amount, scale) => `blur(${Math.min(MOST_BLUR, Math.max(0, amount * scale)).toFixed(2)}px)`,
  'hue-rotate': amount => `hue-rotate(${amount.toFixed(2)}deg)`,
};

function filterText(effects: readonly Effect[], scale: number): string {
  return effects
    .map(({ type, amount }) => FILTERS[type]?.(amount, scale) ?? `${type}(${Math.max(0, amount).toFixed(4)})`)
    .join(' ');
}
