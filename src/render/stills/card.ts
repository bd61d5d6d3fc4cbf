// Draws the card of utility:text_to_image_card: kicker, title, text and footer on a designed background, optionally
// with an image.
import { type CanvasContext, createSurface, decodeImage, type Surface } from '../paint/canvas.ts';
import type { Rect } from '../paint/fit-image.ts';
import { paintText } from '../paint/text.ts';
import { layOut } from '../text/paragraph.ts';
import { createPlainText } from '../text/plain-text.ts';
import type { TextContent } from '../timeline/draw-list.ts';
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

const SMALL_STYLE = { weight: 600, lineHeight: 1, maxLines: 1 } as const;

function drawTexts(ctx: CanvasContext, card: Card, theme: Theme, area: Rect): void {
  const unit = Math.min(area.width, area.height * 1.35, Math.sqrt(area.width * area.height) * 0.9);
  const padding = unit * 0.105;
  const size = Math.max(9, unit * 0.033);
  const textArea = {
    x: area.x + padding,
    y: area.y + padding,
    width: area.width - 2 * padding,
    height: area.height - 2 * padding,
  };
  const accent = card.accent === '' ? theme.accent : card.accent;
  const kickerHeight = card.kicker === '' ? 0 : size * 2.4;
  const footerHeight = card.footer === '' ? 0 : size * 3.2;
  const small = { ...SMALL_STYLE, align: card.align, size };
  if (card.kicker !== '') {
    const style = { ...small, letterSpacing: 0.14, color: accent };
    drawText(ctx, createPlainText(card.kicker.toUpperCase(), style), { ...textArea, height: size });
  }
  const middle = {
    ...textArea,
    y: textArea.y + kickerHeight,
    height: textArea.height - kickerHeight - footerHeight,
  };
  drawTitleAndText(ctx, card, theme, accent, middle, unit);
  if (card.footer === '') return;
  const bottom = textArea.y + textArea.height;
  ctx.fillStyle = theme.line;
  ctx.fillRect(textArea.x, bottom - size * 2.1, textArea.width, Math.max(1, size * 0.06));
  const footer = createPlainText(card.footer, { ...small, color: theme.muted });
  drawText(ctx, footer, { ...textArea, y: bottom - size, height: size });
}

/** Draws the title above the text, each as large as it fits. A title or text alone gets the whole area. */
function drawTitleAndText(
  ctx: CanvasContext,
  { title, text, align }: Card,
  theme: Theme,
  accent: string,
  area: Rect,
  unit: number,
): void {
  const hasBoth = title !== '' && text !== '';
  const heading = title === '' ? text : title;
  const ruleHeight = Math.max(2, unit * 0.009);
  const [ruleGap, textGap] = [unit * 0.05, unit * 0.045];
  const availableHeight = area.height - ruleHeight - ruleGap;
  const titleContent = createPlainText(heading, {
    weight: 800,
    align,
    size: unit * getTitleScale(heading),
    minSize: Math.max(8, unit * 0.045),
    lineHeight: 1.1,
    letterSpacing: -0.022,
    maxLines: hasBoth ? 4 : 12,
    color: theme.ink,
  });
  const titleBox = { ...area, height: hasBoth ? availableHeight * 0.56 : availableHeight };
  const titleLayout = layOut(ctx, titleContent, titleBox.width, titleBox.height);
  const textHeight = availableHeight - titleLayout.height - textGap;
  const textSize = Math.min(unit * 0.05, titleLayout.size * 0.6);
  const textContent = createPlainText(text, {
    weight: 400,
    align,
    size: textSize,
    minSize: Math.min(textSize, Math.max(8, unit * 0.028)),
    lineHeight: 1.5,
    maxLines: 16,
    color: theme.muted,
  });
  const usedHeight =
    ruleHeight +
    ruleGap +
    titleLayout.height +
    (hasBoth ? textGap + layOut(ctx, textContent, area.width, textHeight).height : 0);
  const top = area.y + Math.max(0, (area.height - usedHeight) / 2);
  const ruleWidth = unit * 0.11;
  ctx.fillStyle = accent;
  ctx.beginPath();
  const left = align === 'left' ? area.x : area.x + (area.width - ruleWidth) / 2;
  ctx.roundRect(left, top, ruleWidth, ruleHeight, ruleHeight / 2);
  ctx.fill();
  const titleTop = top + ruleHeight + ruleGap;
  drawText(ctx, titleContent, { ...titleBox, y: titleTop });
  if (!hasBoth) return;
  drawText(ctx, textContent, { ...area, y: titleTop + titleLayout.height + textGap, height: textHeight });
}

/** Returns the maximum title size. Short text may be large; long text in large letters is tiring to read. */
function getTitleScale(heading: string): number {
  return heading.length < 60 ? 0.155 : heading.length < 160 ? 0.105 : 0.075;
}

function drawText(ctx: CanvasContext, content: TextContent, { x, y, width, height }: Rect): void {
  ctx.save();
  ctx.translate(x, y);
  paintText(ctx, content, { width, height }, 1);
  ctx.restore();
}
