// Draws a paragraph: plates, highlights, shadow, stroke and letters, part by part if it enters split.

import { graphemesOf } from '../text/break-lines.ts';
import { type Line, layOut, type Paragraph, type Piece, setRunFont } from '../text/paragraph.ts';
import type { SplitState, TextContent } from '../timeline/draw-list.ts';
import { ease } from '../timeline/easing.ts';
import { bound } from '../timeline/scope.ts';
import { type Area, INFINITE_AREA } from './area.ts';
import { type Brush, createPath, type Style } from './canvas.ts';
import { cssColor, styleOf } from './fill.ts';
import type { Size } from './place.ts';

/** The height of the text at the given width. */
export function textHeight(brush: Brush, content: TextContent, width: number): number {
  return layOut(brush, content, width, Number.NaN).height;
}

/**
 * The area of the box in which the text can draw: lines, plates, shadow, and parts that are moving. Letters extend
 * beyond their line by less than their own size. `stretch` is the factor by which a length that ignores the transform,
 * such as a shadow, can be longer in the box.
 */
export function textArea(brush: Brush, content: TextContent, box: Size, stretch: number): Area {
  const paragraph = layOut(brush, content, box.width, box.height);
  const { shadow, stroke, plate, split } = content;
  const largest = Math.max(1, ...content.runs.map(({ size }) => size)) * paragraph.size;
  const widest = Math.max(box.width, ...paragraph.lines.map(({ width }) => width));
  // Shadows are not rotated with the text, so allow for every direction.
  const fall = shadow === undefined ? 0 : (Math.hypot(shadow.x, shadow.y) + shadow.blur * 1.6) * stretch;
  const reach =
    largest +
    (stroke?.width ?? 0) +
    (plate?.padding ?? 0) * paragraph.size +
    (split === undefined ? 0 : splitReach(content, split, paragraph.size, widest, stretch)) +
    fall;
  if (!Number.isFinite(reach)) return INFINITE_AREA;
  const [sides, top] = [reach + widest - box.width, topOf(content, box, paragraph)];
  return {
    left: -sides,
    top: top - reach,
    right: box.width + sides,
    bottom: top + paragraph.height + reach,
  };
}

/** The top edge of the text in its box. */
const topOf = ({ vAlign }: TextContent, { height }: Size, paragraph: Paragraph): number =>
  ({ top: 0, middle: 0.5, bottom: 1 })[vAlign] * (height - paragraph.height);

/** A part of the text that is animated separately. */
interface Part extends Piece {
  readonly line: Line;
  readonly left: number;
}

/**
 * `scale` is that of the frame and its transforms, which canvas shadows ignore. Returns whether some text was left out.
 */
export function paintText(brush: Brush, content: TextContent, box: Size, scale: number): boolean {
  const paragraph = layOut(brush, content, box.width, box.height);
  const top = topOf(content, box, paragraph);
  const rows = paragraph.lines.map(line => ({ line, left: leftOf(line, paragraph, content, box.width) }));
  brush.save();
  brush.translate(0, top);
  brush.textBaseline = 'alphabetic';
  brush.direction = paragraph.isRightToLeft ? 'rtl' : 'ltr';
  // For text of the opposite direction, align by "start", which would mirror left and right.
  brush.textAlign = paragraph.isRightToLeft ? 'right' : 'left';
  if (content.overflow === 'clip') {
    brush.beginPath();
    brush.rect(0, -top, box.width, box.height);
    brush.clip();
  }
  paintPlates(brush, content, paragraph, rows);
  const parts = rows.flatMap(({ line, left }) =>
    line.pieces.map((piece): Part => ({ ...piece, line, left })),
  );
  const fill = styleOf(brush, content.fill, box.width, paragraph.height);
  const ink = { content, paragraph, fill, scale };
  const { split } = content;
  const groups = split === undefined ? [parts] : splitParts(brush, parts, split.by, content, paragraph);
  // Draw all shadows first, so that they lie behind all letters.
  for (const paint of content.shadow === undefined ? [paintPart] : [paintShadow, paintPart])
    if (split === undefined) for (const part of parts) paint(brush, part, ink);
    else paintSplit(brush, groups, split, ink, paint);
  brush.restore();
  return paragraph.isCut;
}

function leftOf(
  line: Line,
  { isRightToLeft, size }: Paragraph,
  { align, plate }: TextContent,
  width: number,
): number {
  const padding = (plate?.padding ?? 0) * size;
  const room = width - line.width;
  if (align === 'center') return room / 2;
  const isLeft =
    align === 'left' ||
    ((align === 'start' || align === 'justify') && !isRightToLeft) ||
    (align === 'end' && isRightToLeft);
  return isLeft ? padding : room - padding;
}

function paintPlates(
  brush: Brush,
  { plate }: TextContent,
  paragraph: Paragraph,
  rows: readonly Pick<Part, 'line' | 'left'>[],
): void {
  if (plate === undefined) return;
  const { size } = paragraph;
  const padding = plate.padding * size;
  const shown = rows.filter(({ line }) => line.width > 0);
  const boxes = shown.map(({ line, left }) => ({
    x: left - padding,
    y: line.top - padding * 0.35,
    right: left + line.width + padding,
    bottom: line.top + line.height + padding * 0.35,
  }));
  const whole = {
    x: Math.min(...boxes.map(({ x }) => x)),
    y: Math.min(...boxes.map(({ y }) => y)) - padding * 0.65,
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)) + padding * 0.65,
  };
  if (boxes.length === 0) return;
  // One path, so that overlapping plates are not drawn twice.
  const path = createPath();
  for (const { x, y, right, bottom } of plate.per === 'box' ? [whole] : boxes)
    path.roundRect(x, y, right - x, bottom - y, plate.radius * size);
  brush.fillStyle = cssColor(plate.color);
  brush.fill(path, 'nonzero');
}

interface Ink {
  readonly content: TextContent;
  readonly paragraph: Paragraph;
  readonly fill: Style;
  readonly scale: number;
}

function paintPart(brush: Brush, part: Part, { content, paragraph, fill }: Ink): void {
  const { text, run, line } = part;
  const { size } = paragraph;
  const left = part.left + part.x;
  const x = paragraph.isRightToLeft ? left + part.width : left;
  if (run.highlight !== undefined) paintHighlight(brush, part, left, size, cssColor(run.highlight));
  setRunFont(brush, text, run, size * run.size, content.letterSpacing);
  const { stroke } = content;
  if (stroke !== undefined && stroke.width > 0) {
    brush.strokeStyle = cssColor(stroke.color);
    // Half of the stroke lies behind the fill.
    brush.lineWidth = stroke.width * 2;
    brush.lineJoin = 'round';
    brush.strokeText(text, x, line.baseline);
  }
  brush.fillStyle = run.color === undefined ? fill : cssColor(run.color);
  brush.fillText(text, x, line.baseline);
  if (run.underline !== true) return;
  brush.fillRect(
    left,
    line.baseline + size * run.size * 0.12,
    part.width,
    Math.max(1, size * run.size * 0.07),
  );
}

/** Outside every surface: letters are drawn there when only their shadow should be visible. */
const FAR = 8192;

function paintShadow(brush: Brush, part: Part, { content, paragraph, scale }: Ink): void {
  const { text, run, line } = part;
  const { shadow, stroke } = content;
  // Text on its own highlight has no shadow, which would only smear it.
  if (shadow === undefined || run.highlight !== undefined) return;
  const { a, b, c, d, e, f } = brush.getTransform();
  brush.save();
  brush.setTransform(a, b, c, d, e - FAR, f);
  setRunFont(brush, text, run, paragraph.size * run.size, content.letterSpacing);
  brush.shadowColor = cssColor(shadow.color);
  brush.shadowBlur = Math.min(800, shadow.blur * scale);
  brush.shadowOffsetX = shadow.x * scale + FAR;
  brush.shadowOffsetY = shadow.y * scale;
  const x = part.left + part.x + (paragraph.isRightToLeft ? part.width : 0);
  brush.fillStyle = '#000000';
  if (stroke === undefined || stroke.width <= 0) brush.fillText(text, x, line.baseline);
  else {
    brush.strokeStyle = '#000000';
    brush.lineWidth = stroke.width * 2;
    brush.lineJoin = 'round';
    brush.strokeText(text, x, line.baseline);
  }
  brush.restore();
}

function paintHighlight(
  brush: Brush,
  { text, run, line, width }: Part,
  left: number,
  size: number,
  color: string,
): void {
  const tall = size * run.size;
  const trailing = text.endsWith(' ') ? 0.22 * tall : 0;
  brush.fillStyle = color;
  brush.beginPath();
  brush.roundRect(
    left - tall * 0.11,
    line.baseline - tall * 0.98,
    width - trailing + tall * 0.22,
    tall * 1.26,
    tall * 0.18,
  );
  brush.fill();
}

/** Splits by letter, word or line. Words of scripts with joined letters are never split. */
function splitParts(
  brush: Brush,
  parts: readonly Part[],
  by: SplitState['by'],
  { letterSpacing }: TextContent,
  { size, isRightToLeft }: Paragraph,
): readonly (readonly Part[])[] {
  if (by === 'line') return [...Map.groupBy(parts, ({ line }) => line).values()];
  return parts.flatMap(part => {
    const cut =
      by === 'word' || isJoined(part.text)
        ? (part.text.match(/\S+\s*/gu) ?? [part.text])
        : graphemesOf(part.text);
    let before = '';
    return cut.map(text => {
      setRunFont(brush, part.text, part.run, size * part.run.size, letterSpacing);
      // Measured from the start of the piece, to keep kerning.
      const [start, end] = [brush.measureText(before).width, brush.measureText(before + text).width];
      before += text;
      const x = isRightToLeft ? part.x + part.width - end : part.x + start;
      return [{ ...part, text, x, width: end - start }];
    });
  });
}

const isJoined = (text: string): boolean => /[\p{Script=Arabic}\p{Script=Devanagari}]/u.test(text);

interface PartState {
  readonly dx: number;
  readonly dy: number;
  readonly scale: number;
  readonly opacity: number;
  readonly blur: number;
}

/** `v` is the eased progress of a part's entrance, `t` the linear one; lengths in em. */
const SPLITS: Readonly<Record<SplitState['preset'], (v: number, t: number) => Partial<PartState>>> = {
  fade: v => ({ opacity: v }),
  rise: (v, t) => ({ dy: (1 - v) * 0.6, opacity: Math.min(1, t * 2) }),
  drop: (v, t) => ({ dy: (v - 1) * 0.6, opacity: Math.min(1, t * 2) }),
  pop: (v, t) => ({ scale: Math.max(0, v), opacity: Math.min(1, t * 4) }),
  slide: (v, t) => ({ dx: (1 - v) * 0.7, opacity: Math.min(1, t * 2) }),
  blur: (v, t) => ({ blur: (1 - v) * 0.3, opacity: Math.min(1, t * 1.5) }),
  typewriter: (_v, t) => ({ opacity: t > 0 ? 1 : 0 }),
  wave: (v, t) => ({ dy: Math.sin((1 - v) * Math.PI * 2) * 0.35 * (1 - t), opacity: Math.min(1, t * 3) }),
};

/** How far from its place a part can be drawn: named easing curves overshoot by less than half. */
function splitReach(
  { runs }: TextContent,
  { preset, elapsed, duration, stagger, easing }: SplitState,
  size: number,
  widest: number,
  stretch: number,
): number {
  const most = runs.reduce((sum, { text }) => sum + text.length, 0);
  if (elapsed >= duration + most * stagger) return 0;
  if (typeof easing !== 'string') return Number.POSITIVE_INFINITY;
  if (preset === 'pop') return size + 0.25 * widest;
  return preset === 'blur' ? 1.5 * size * stretch : 1.1 * size;
}

const SETTLED: PartState = { dx: 0, dy: 0, scale: 1, opacity: 1, blur: 0 };

function paintSplit(
  brush: Brush,
  groups: readonly (readonly Part[])[],
  split: SplitState,
  ink: Ink,
  paint: typeof paintPart,
): void {
  const { size } = ink.paragraph;
  for (const [index, group] of groups.entries()) {
    const begun = rankOf(index, groups.length, split.order) * split.stagger;
    const t = bound((split.elapsed - begun) / split.duration);
    const state: PartState =
      t >= 1 ? SETTLED : { ...SETTLED, ...SPLITS[split.preset](ease(split.easing, t), t) };
    if (state.opacity <= 0 || state.scale <= 0) continue;
    const [first] = group;
    if (first === undefined) continue;
    brush.save();
    brush.globalAlpha *= state.opacity;
    brush.translate(state.dx * size, state.dy * size);
    if (state.scale !== 1) {
      const [x, y] = [first.left + first.x + first.width / 2, first.line.baseline - size * 0.35];
      brush.translate(x, y);
      brush.scale(state.scale, state.scale);
      brush.translate(-x, -y);
    }
    if (state.blur > 0.01) blurWithin(brush, group, state.blur * size, ink.scale);
    for (const part of group) paint(brush, part, ink);
    brush.restore();
  }
}

/** Sets the blur for the next drawing. Without a clip the rasterizer would blur the whole surface. */
function blurWithin(brush: Brush, parts: readonly Part[], blur: number, scale: number): void {
  const size = Math.max(...parts.map(({ line }) => line.height));
  const reach = size + 4 * blur;
  const left = Math.min(...parts.map(part => part.left + part.x)) - reach;
  const right = Math.max(...parts.map(part => part.left + part.x + part.width)) + reach;
  const top = Math.min(...parts.map(({ line }) => line.top)) - reach;
  const bottom = Math.max(...parts.map(({ line }) => line.top + line.height)) + reach;
  brush.beginPath();
  brush.rect(left, top, right - left, bottom - top);
  brush.clip();
  brush.filter = `blur(${(blur * scale).toFixed(2)}px)`;
}

function rankOf(index: number, count: number, order: SplitState['order']): number {
  if (order === 'backward') return count - 1 - index;
  return order === 'center' ? Math.abs(index - (count - 1) / 2) : index;
}
