// Draws a paragraph: its background, highlights, shadow, stroke and letters. A split entrance animates its parts
// separately.

import { ease } from '../../graph/easing.ts';
import { splitGraphemes } from '../text/break-lines.ts';
import { type Line, layOut, type Paragraph, type Piece, setRunFont } from '../text/paragraph.ts';
import type { SplitState, TextContent } from '../timeline/draw-list.ts';
import { clampToUnit } from '../timeline/scope.ts';
import { type Area, INFINITE_AREA } from './area.ts';
import { type CanvasContext, createPath, type Style } from './canvas.ts';
import { toCssColor, toStyle } from './fill.ts';
import type { Size } from './fit-image.ts';

/** Returns the height of the text when it is laid out at a width. */
export function measureTextHeight(ctx: CanvasContext, content: TextContent, width: number): number {
  return layOut(ctx, content, width, Number.NaN).height;
}

/**
 * Returns the area in box coordinates that the text can draw to, with background, shadow and moving parts. Letters extend
 * beyond their line by less than their size. `stretch` is how many times longer a length that ignores the transform, such
 * as that of a shadow, can be in the box.
 */
export function getTextArea(ctx: CanvasContext, content: TextContent, box: Size, stretch: number): Area {
  const paragraph = layOut(ctx, content, box.width, box.height);
  const { shadow, stroke, textBackground, split } = content;
  const maxFontSize = Math.max(1, ...content.runs.map(({ size }) => size)) * paragraph.size;
  const maxWidth = Math.max(box.width, ...paragraph.lines.map(({ width }) => width));
  // Shadows are not rotated with the text, so they can reach in every direction.
  const shadowReach =
    shadow === undefined ? 0 : (Math.hypot(shadow.x, shadow.y) + shadow.blur * 1.6) * stretch;
  const reach =
    maxFontSize +
    (stroke?.width ?? 0) +
    (textBackground?.padding ?? 0) * paragraph.size +
    (split === undefined ? 0 : getSplitReach(content, split, paragraph.size, maxWidth, stretch)) +
    shadowReach;
  if (!Number.isFinite(reach)) return INFINITE_AREA;
  const [sideReach, top] = [reach + maxWidth - box.width, getTop(content, box, paragraph)];
  return {
    left: -sideReach,
    top: top - reach,
    right: box.width + sideReach,
    bottom: top + paragraph.height + reach,
  };
}

/** Returns the top edge of the text in its box. */
const getTop = ({ vAlign }: TextContent, { height }: Size, paragraph: Paragraph): number =>
  ({ top: 0, middle: 0.5, bottom: 1 })[vAlign] * (height - paragraph.height);

/** A part of the text that is animated separately. */
interface TextPart extends Piece {
  readonly line: Line;
  readonly left: number;
}

/**
 * Draws the text. `scale` is the scale of the frame and its transforms, which canvas shadows ignore. Returns whether
 * text was cut off.
 */
export function paintText(ctx: CanvasContext, content: TextContent, box: Size, scale: number): boolean {
  const paragraph = layOut(ctx, content, box.width, box.height);
  const top = getTop(content, box, paragraph);
  const rows = paragraph.lines.map(line => ({ line, left: getLeft(line, paragraph, content, box.width) }));
  ctx.save();
  ctx.translate(0, top);
  ctx.textBaseline = 'alphabetic';
  ctx.direction = paragraph.isRightToLeft ? 'rtl' : 'ltr';
  // Not `start`, which depends on the direction of the text.
  ctx.textAlign = paragraph.isRightToLeft ? 'right' : 'left';
  if (content.overflow === 'clip') {
    ctx.beginPath();
    ctx.rect(0, -top, box.width, box.height);
    ctx.clip();
  }
  paintTextBackground(ctx, content, paragraph, rows);
  const parts = rows.flatMap(({ line, left }) =>
    line.pieces.map((piece): TextPart => ({ ...piece, line, left })),
  );
  const fill = toStyle(ctx, content.fill, box.width, paragraph.height);
  const textPaint = { content, paragraph, fill, scale };
  const { split } = content;
  const groups = split === undefined ? [parts] : splitParts(ctx, parts, split.by, content, paragraph);
  // Draws all shadows first, so that they are behind all letters.
  for (const paint of content.shadow === undefined ? [paintPart] : [paintShadow, paintPart])
    if (split === undefined) for (const part of parts) paint(ctx, part, textPaint);
    else paintSplit(ctx, groups, split, textPaint, paint);
  ctx.restore();
  return paragraph.isTruncated;
}

function getLeft(
  line: Line,
  { isRightToLeft, size }: Paragraph,
  { align, textBackground }: TextContent,
  width: number,
): number {
  const padding = (textBackground?.padding ?? 0) * size;
  const freeWidth = width - line.width;
  if (align === 'center') return freeWidth / 2;
  const isLeft =
    align === 'left' ||
    ((align === 'start' || align === 'justify') && !isRightToLeft) ||
    (align === 'end' && isRightToLeft);
  return isLeft ? padding : freeWidth - padding;
}

function paintTextBackground(
  ctx: CanvasContext,
  { textBackground }: TextContent,
  paragraph: Paragraph,
  rows: readonly Pick<TextPart, 'line' | 'left'>[],
): void {
  if (textBackground === undefined) return;
  const { size } = paragraph;
  const padding = textBackground.padding * size;
  const visibleRows = rows.filter(({ line }) => line.width > 0);
  const boxes = visibleRows.map(({ line, left }) => ({
    x: left - padding,
    y: line.top - padding * 0.35,
    right: left + line.width + padding,
    bottom: line.top + line.height + padding * 0.35,
  }));
  const bounds = {
    x: Math.min(...boxes.map(({ x }) => x)),
    y: Math.min(...boxes.map(({ y }) => y)) - padding * 0.65,
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)) + padding * 0.65,
  };
  if (boxes.length === 0) return;
  // One path, so that overlapping boxes are not drawn twice.
  const path = createPath();
  for (const { x, y, right, bottom } of textBackground.per === 'box' ? [bounds] : boxes)
    path.roundRect(x, y, right - x, bottom - y, textBackground.radius * size);
  ctx.fillStyle = toCssColor(textBackground.color);
  ctx.fill(path, 'nonzero');
}

interface TextPaint {
  readonly content: TextContent;
  readonly paragraph: Paragraph;
  readonly fill: Style;
  readonly scale: number;
}

function paintPart(ctx: CanvasContext, part: TextPart, { content, paragraph, fill }: TextPaint): void {
  const { text, run, line } = part;
  const { size } = paragraph;
  const left = part.left + part.x;
  const x = paragraph.isRightToLeft ? left + part.width : left;
  if (run.highlight !== undefined) paintHighlight(ctx, part, left, size, toCssColor(run.highlight));
  setRunFont(ctx, text, run, size * run.size, content.letterSpacing);
  const { stroke } = content;
  if (stroke !== undefined && stroke.width > 0) {
    ctx.strokeStyle = toCssColor(stroke.color);
    // Half of the stroke lies behind the fill.
    ctx.lineWidth = stroke.width * 2;
    ctx.lineJoin = 'round';
    ctx.strokeText(text, x, line.baseline);
  }
  ctx.fillStyle = run.color === undefined ? fill : toCssColor(run.color);
  ctx.fillText(text, x, line.baseline);
  if (run.underline !== true) return;
  ctx.fillRect(left, line.baseline + size * run.size * 0.12, part.width, Math.max(1, size * run.size * 0.07));
}

/** Letters are drawn this far outside of the surface if only their shadow should be visible. */
const OFFSCREEN_X = 8192;

function paintShadow(ctx: CanvasContext, part: TextPart, { content, paragraph, scale }: TextPaint): void {
  const { text, run, line } = part;
  const { shadow, stroke } = content;
  // Highlighted text has no shadow, which would only blur the highlight.
  if (shadow === undefined || run.highlight !== undefined) return;
  const { a, b, c, d, e, f } = ctx.getTransform();
  ctx.save();
  ctx.setTransform(a, b, c, d, e - OFFSCREEN_X, f);
  setRunFont(ctx, text, run, paragraph.size * run.size, content.letterSpacing);
  ctx.shadowColor = toCssColor(shadow.color);
  ctx.shadowBlur = Math.min(800, shadow.blur * scale);
  ctx.shadowOffsetX = shadow.x * scale + OFFSCREEN_X;
  ctx.shadowOffsetY = shadow.y * scale;
  const x = part.left + part.x + (paragraph.isRightToLeft ? part.width : 0);
  ctx.fillStyle = '#000000';
  if (stroke === undefined || stroke.width <= 0) ctx.fillText(text, x, line.baseline);
  else {
    ctx.strokeStyle = '#000000';
    ctx.lineWidth = stroke.width * 2;
    ctx.lineJoin = 'round';
    ctx.strokeText(text, x, line.baseline);
  }
  ctx.restore();
}

function paintHighlight(
  ctx: CanvasContext,
  { text, run, line, width }: TextPart,
  left: number,
  size: number,
  color: string,
): void {
  const fontSize = size * run.size;
  const trailingSpace = text.endsWith(' ') ? 0.22 * fontSize : 0;
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.roundRect(
    left - fontSize * 0.11,
    line.baseline - fontSize * 0.98,
    width - trailingSpace + fontSize * 0.22,
    fontSize * 1.26,
    fontSize * 0.18,
  );
  ctx.fill();
}

/** Splits the parts into letters, words or lines. Words of scripts with joined letters are not split. */
function splitParts(
  ctx: CanvasContext,
  parts: readonly TextPart[],
  by: SplitState['by'],
  { letterSpacing }: TextContent,
  { size, isRightToLeft }: Paragraph,
): readonly (readonly TextPart[])[] {
  if (by === 'line') return [...Map.groupBy(parts, ({ line }) => line).values()];
  return parts.flatMap(part => {
    const pieces =
      by === 'word' || hasJoinedLetters(part.text)
        ? (part.text.match(/\S+\s*/gu) ?? [part.text])
        : splitGraphemes(part.text);
    let precedingText = '';
    return pieces.map(text => {
      setRunFont(ctx, part.text, part.run, size * part.run.size, letterSpacing);
      // Measured from the start of the part, to include kerning.
      const [start, end] = [
        ctx.measureText(precedingText).width,
        ctx.measureText(precedingText + text).width,
      ];
      precedingText += text;
      const x = isRightToLeft ? part.x + part.width - end : part.x + start;
      return [{ ...part, text, x, width: end - start }];
    });
  });
}

const hasJoinedLetters = (text: string): boolean => /[\p{Script=Arabic}\p{Script=Devanagari}]/u.test(text);

interface PartState {
  readonly dx: number;
  readonly dy: number;
  readonly scale: number;
  readonly opacity: number;
  readonly blur: number;
}

/** `v` is the eased progress of a part's entrance, and `t` the linear progress. Lengths are in em. */
const SPLIT_PRESETS: Readonly<Record<SplitState['preset'], (v: number, t: number) => Partial<PartState>>> = {
  fade: v => ({ opacity: v }),
  rise: (v, t) => ({ dy: (1 - v) * 0.6, opacity: Math.min(1, t * 2) }),
  drop: (v, t) => ({ dy: (v - 1) * 0.6, opacity: Math.min(1, t * 2) }),
  pop: (v, t) => ({ scale: Math.max(0, v), opacity: Math.min(1, t * 4) }),
  slide: (v, t) => ({ dx: (1 - v) * 0.7, opacity: Math.min(1, t * 2) }),
  blur: (v, t) => ({ blur: (1 - v) * 0.3, opacity: Math.min(1, t * 1.5) }),
  typewriter: (_v, t) => ({ opacity: t > 0 ? 1 : 0 }),
  wave: (v, t) => ({ dy: Math.sin((1 - v) * Math.PI * 2) * 0.35 * (1 - t), opacity: Math.min(1, t * 3) }),
};

/** Returns how far a part can be drawn from its final position. Named easing curves overshoot by less than half. */
function getSplitReach(
  { runs }: TextContent,
  { preset, elapsed, duration, stagger, easing }: SplitState,
  size: number,
  maxWidth: number,
  stretch: number,
): number {
  const maxParts = runs.reduce((sum, { text }) => sum + text.length, 0);
  if (elapsed >= duration + maxParts * stagger) return 0;
  if (typeof easing !== 'string') return Number.POSITIVE_INFINITY;
  if (preset === 'pop') return size + 0.25 * maxWidth;
  return preset === 'blur' ? 1.5 * size * stretch : 1.1 * size;
}

const FINAL_STATE: PartState = { dx: 0, dy: 0, scale: 1, opacity: 1, blur: 0 };

function paintSplit(
  ctx: CanvasContext,
  groups: readonly (readonly TextPart[])[],
  split: SplitState,
  textPaint: TextPaint,
  paint: typeof paintPart,
): void {
  const { size } = textPaint.paragraph;
  for (const [index, group] of groups.entries()) {
    const startTime = getEntranceRank(index, groups.length, split.order) * split.stagger;
    const t = clampToUnit((split.elapsed - startTime) / split.duration);
    const state: PartState =
      t >= 1 ? FINAL_STATE : { ...FINAL_STATE, ...SPLIT_PRESETS[split.preset](ease(split.easing, t), t) };
    if (state.opacity <= 0 || state.scale <= 0) continue;
    const [firstPart] = group;
    if (firstPart === undefined) continue;
    ctx.save();
    ctx.globalAlpha *= state.opacity;
    ctx.translate(state.dx * size, state.dy * size);
    if (state.scale !== 1) {
      const [x, y] = [
        firstPart.left + firstPart.x + firstPart.width / 2,
        firstPart.line.baseline - size * 0.35,
      ];
      ctx.translate(x, y);
      ctx.scale(state.scale, state.scale);
      ctx.translate(-x, -y);
    }
    if (state.blur > 0.01) blurWithin(ctx, group, state.blur * size, textPaint.scale);
    for (const part of group) paint(ctx, part, textPaint);
    ctx.restore();
  }
}

/** Sets the blur of the parts. The clip keeps the rasterizer from blurring the whole surface. */
function blurWithin(ctx: CanvasContext, parts: readonly TextPart[], blur: number, scale: number): void {
  const size = Math.max(...parts.map(({ line }) => line.height));
  const reach = size + 4 * blur;
  const left = Math.min(...parts.map(part => part.left + part.x)) - reach;
  const right = Math.max(...parts.map(part => part.left + part.x + part.width)) + reach;
  const top = Math.min(...parts.map(({ line }) => line.top)) - reach;
  const bottom = Math.max(...parts.map(({ line }) => line.top + line.height)) + reach;
  ctx.beginPath();
  ctx.rect(left, top, right - left, bottom - top);
  ctx.clip();
  ctx.filter = `blur(${(blur * scale).toFixed(2)}px)`;
}

function getEntranceRank(index: number, count: number, order: SplitState['order']): number {
  if (order === 'backward') return count - 1 - index;
  return order === 'center' ? Math.abs(index - (count - 1) / 2) : index;
}
