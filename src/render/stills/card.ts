// Draws the card of utility:text_to_image_card: kicker, title, text and footer on a designed background, optionally
// with an image.
import {
  type CanvasContext,
  createSurface,
  decodeImage,
  measureWith,
  type Surface,
  setFont,
  type Weight,
} from '../paint/canvas.ts';
import type { Rect } from '../paint/fit-image.ts';
import { addEllipsis, fitText, type TextBlock } from '../text/text-layout.ts';
import { type Card, type CardTheme, getImageFrame } from './still.ts';

interface Theme {
  /** Gradient stops of the background, from upper left to lower right. */
  readonly background: readonly [string, string, string];
  readonly glow: readonly [string, string];
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
}

const THEMES: Readonly<Record<CardTheme, Theme>> = {
  midnight: {
    background: ['#0b1020', '#131a3a', '#1e1b4b'],
    glow: ['#6366f166', '#22d3ee33'],
    ink: '#f8fafc',
    muted: '#b6c0d9',
    line: '#ffffff22',
    accent: '#a5b4fc',
  },
  paper: {
    background: ['#fdfbf6', '#f8f3e8', '#f1e8d6'],
    glow: ['#f59e0b26', '#e1704a1f'],
    ink: '#1f1b16',
    muted: '#665c4f',
    line: '#1f1b1624',
    accent: '#b4532a',
  },
  sunrise: {
    background: ['#4c0d3a', '#b4234f', '#f2793a'],
    glow: ['#fcd34d70', '#f472b655'],
    ink: '#fffaf3',
    muted: '#ffe2d1',
    line: '#ffffff38',
    accent: '#fde68a',
  },
  forest: {
    background: ['#06201a', '#0b3b2e', '#14532d'],
    glow: ['#a3e63538', '#2dd4bf33'],
    ink: '#f4fbf2',
    muted: '#b9d6c4',
    line: '#ffffff24',
    accent: '#bef264',
  },
  mono: {
    background: ['#ffffff', '#ffffff', '#f4f4f5'],
    glow: ['#00000000', '#00000000'],
    ink: '#0a0a0a',
    muted: '#52525b',
    line: '#00000020',
    accent: '#0a0a0a',
  },
  glass: {
    background: ['#0b0f1ac9', '#0b0f1ab8', '#0b0f1aa6'],
    glow: ['#ffffff14', '#ffffff0a'],
    ink: '#ffffff',
    muted: '#dbe2ee',
    line: '#ffffff30',
    accent: '#ffffff',
  },
};

export async function drawCard(card: Card): Promise<Surface> {
  const surface = createSurface(card.width, card.height);
  const { ctx } = surface;
  const theme = THEMES[card.theme];
  ctx.beginPath();
  ctx.roundRect(0, 0, card.width, card.height, card.radius);
  ctx.clip();
  drawBackground(ctx, card, theme);
  const { width, height } = card;
  const textArea =
    card.image === undefined ? { x: 0, y: 0, width, height } : await drawCardImage(ctx, card, card.image);
  drawTexts(ctx, card, theme, textArea);
  return surface;
}

function drawBackground(ctx: CanvasContext, { width, height }: Card, theme: Theme): void {
  const background = ctx.createLinearGradient(0, 0, width, height);
  for (const [index, color] of theme.background.entries()) background.addColorStop(index / 2, color);
  ctx.fillStyle = background;
  ctx.fillRect(0, 0, width, height);
  const longSide = Math.max(width, height);
  const spots = [
    [width * 0.92, height * 0.02, longSide * 0.55, theme.glow[0]],
    [width * 0.08, height * 1.05, longSide * 0.5, theme.glow[1]],
  ] as const;
  for (const [x, y, radius, color] of spots) {
    const light = ctx.createRadialGradient(x, y, 0, x, y, radius);
    light.addColorStop(0, color);
    light.addColorStop(1, `${color.slice(0, 7)}00`);
    ctx.fillStyle = light;
    ctx.fillRect(0, 0, width, height);
  }
}

/** Draws the image into its frame and returns the remaining area for text. */
async function drawCardImage(ctx: CanvasContext, card: Card, image: Uint8Array): Promise<Rect> {
  const frame = getImageFrame(card);
  ctx.drawImage(await decodeImage(image), frame.x, frame.y, frame.width, frame.height);
  if (frame.x > 0) return { x: 0, y: 0, width: frame.x, height: card.height };
  return { x: 0, y: frame.height, width: card.width, height: card.height - frame.height };
}

const KICKER_SPACING = 0.14;
const TITLE_SPACING = -0.022;

function drawTexts(ctx: CanvasContext, card: Card, theme: Theme, area: Rect): void {
  const unit = Math.min(area.width, area.height * 1.35, Math.sqrt(area.width * area.height) * 0.9);
  const padding = unit * 0.105;
  const smallSize = Math.max(9, unit * 0.033);
  const inner = {
    x: area.x + padding,
    y: area.y + padding,
    width: area.width - 2 * padding,
    height: area.height - 2 * padding,
  };
  const accent = card.accent === '' ? theme.accent : card.accent;
  const target: TextTarget = { ctx, align: card.align, frame: inner };
  const kickerHeight = card.kicker === '' ? 0 : smallSize * 2.4;
  const footerHeight = card.footer === '' ? 0 : smallSize * 3.2;
  if (card.kicker !== '') {
    const measure = measureWith(ctx, 600, KICKER_SPACING);
    const kicker = addEllipsis(card.kicker.toUpperCase(), inner.width / smallSize, measure);
    setFont(ctx, 600, smallSize, KICKER_SPACING);
    drawLines(target, { lines: [kicker], size: smallSize, height: smallSize }, inner.y, 1, accent);
  }
  const middle = { top: inner.y + kickerHeight, height: inner.height - kickerHeight - footerHeight };
  drawTitleAndText(target, card, theme, accent, middle, unit);
  if (card.footer !== '') drawFooter(target, card.footer, theme, smallSize);
}

interface TextTarget {
  readonly ctx: CanvasContext;
  readonly align: 'left' | 'center';
  readonly frame: Rect;
}

interface Span {
  readonly top: number;
  readonly height: number;
}

/** Draws the title above the text, both as large as they fit. If only one of them exists, it gets the whole area. */
function drawTitleAndText(
  target: TextTarget,
  card: Card,
  theme: Theme,
  accent: string,
  { top, height }: Span,
  unit: number,
): void {
  const { ctx, frame } = target;
  const hasBoth = card.title !== '' && card.text !== '';
  const heading = card.title === '' ? card.text : card.title;
  const ruleHeight = Math.max(2, unit * 0.009);
  const [ruleGap, textGap] = [unit * 0.05, unit * 0.045];
  const availableHeight = height - ruleHeight - ruleGap;
  const title = fitText(
    heading,
    {
      width: frame.width,
      height: hasBoth ? availableHeight * 0.56 : availableHeight,
      minSize: Math.max(8, unit * 0.045),
      maxSize: unit * getTitleScale(heading),
      lineHeight: 1.1,
      maxLines: hasBoth ? 4 : 12,
    },
    measureWith(ctx, 800, TITLE_SPACING),
  );
  const text = hasBoth
    ? fitBody(target, card.text, availableHeight - title.height - textGap, title.size, unit)
    : undefined;
  const usedHeight = ruleHeight + ruleGap + title.height + (text === undefined ? 0 : textGap + text.height);
  let y = top + Math.max(0, (height - usedHeight) / 2);
  ctx.fillStyle = accent;
  const ruleWidth = unit * 0.11;
  ctx.beginPath();
  const left = target.align === 'left' ? frame.x : frame.x + (frame.width - ruleWidth) / 2;
  ctx.roundRect(left, y, ruleWidth, ruleHeight, ruleHeight / 2);
  ctx.fill();
  y += ruleHeight + ruleGap;
  setFont(ctx, 800, title.size, TITLE_SPACING);
  drawLines(target, title, y, 1.1, theme.ink);
  if (text === undefined) return;
  setFont(ctx, BODY, text.size);
  drawLines(target, text, y + title.height + textGap, 1.5, theme.muted);
}

const BODY: Weight = 400;

/** Returns the maximum title size. Short text may be large; long text in large letters is tiring to read. */
function getTitleScale(heading: string): number {
  return heading.length < 60 ? 0.155 : heading.length < 160 ? 0.105 : 0.075;
}

function fitBody(
  { ctx, frame }: TextTarget,
  text: string,
  height: number,
  titleSize: number,
  unit: number,
): TextBlock {
  const maxSize = Math.min(unit * 0.05, titleSize * 0.6);
  const box = {
    width: frame.width,
    height,
    minSize: Math.min(maxSize, Math.max(8, unit * 0.028)),
    maxSize,
    lineHeight: 1.5,
    maxLines: 16,
  };
  return fitText(text, box, measureWith(ctx, BODY));
}

function drawFooter(target: TextTarget, footer: string, theme: Theme, smallSize: number): void {
  const { ctx, frame } = target;
  const bottom = frame.y + frame.height;
  ctx.fillStyle = theme.line;
  ctx.fillRect(frame.x, bottom - smallSize * 2.1, frame.width, Math.max(1, smallSize * 0.06));
  const line = addEllipsis(footer, frame.width / smallSize, measureWith(ctx, 600));
  setFont(ctx, 600, smallSize);
  drawLines(
    target,
    { lines: [line], size: smallSize, height: smallSize },
    bottom - smallSize,
    1,
    theme.muted,
  );
}

/** Draws lines from `top` downwards in the current font, vertically centered in their line height. */
function drawLines(
  { ctx, frame, align }: TextTarget,
  { lines, size }: TextBlock,
  top: number,
  lineHeight: number,
  ink: string,
): void {
  ctx.fillStyle = ink;
  ctx.textAlign = align;
  const x = align === 'left' ? frame.x : frame.x + frame.width / 2;
  for (const [index, line] of lines.entries())
    ctx.fillText(line, x, top + (index * lineHeight + lineHeight / 2 + 0.36) * size);
}
