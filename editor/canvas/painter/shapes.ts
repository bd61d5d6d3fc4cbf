// Draws boxes and wraps text. Boxes of one color share a path, because a thousand separate paths would take ten times as
// long.

import type { Rect } from '../../../src/graph/rects.ts';
import { shorten } from '../../lib/cut-text.ts';

export type Context = CanvasRenderingContext2D;

interface FillStyle {
  readonly color: string;
  /** Radius of all corners, or of the upper ones only. */
  readonly radius: number | readonly [upper: number];
}

export function fillBoxes(ctx: Context, boxes: readonly Rect[], { color, radius }: FillStyle): void {
  if (boxes.length === 0) return;
  const radii = typeof radius === 'number' ? radius : [radius[0], radius[0], 0, 0];
  ctx.fillStyle = color;
  ctx.beginPath();
  for (const { x, y, width, height } of boxes) {
    if (radii === 0) ctx.rect(x, y, width, height);
    else ctx.roundRect(x, y, width, height, radii);
  }
  ctx.fill();
}

export const RADIUS = 12;

export function outlineBoxes(
  ctx: Context,
  boxes: readonly Rect[],
  { color, width }: { readonly color: string; readonly width: number },
): void {
  if (boxes.length === 0) return;
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.beginPath();
  for (const box of boxes) ctx.roundRect(box.x, box.y, box.width, box.height, RADIUS);
  ctx.stroke();
}

interface Font {
  readonly px: number;
  readonly weight?: 600;
  readonly family: string;
  readonly color: string;
}

/** Sets the font and color of the text that follows. */
export function setTextStyle(ctx: Context, { px, weight, family, color }: Font): void {
  ctx.fillStyle = color;
  ctx.font = `${weight ?? 400} ${px}px ${family}`;
  ctx.textBaseline = 'top';
}

/** Character width relative to the font size. Measuring each text would take longer than drawing it. */
const CHAR_WIDTH = 0.53;

/** Wraps the text to at most `lines` lines, and ends with an ellipsis if it does not fit. */
export function wrapText(
  text: string,
  { px, width, lines }: { px: number; width: number; lines: number },
): string[] {
  const maxChars = Math.max(1, Math.floor(width / (px * CHAR_WIDTH)));
  const result: string[] = [];
  let remaining = text.trim();
  while (remaining !== '' && result.length < lines) {
    const [line = ''] = remaining.split('\n', 1);
    const isLast = result.length === lines - 1;
    if (line.length <= maxChars) {
      result.push(line);
      remaining = remaining.slice(line.length).trimStart();
    } else if (isLast) {
      result.push(shorten(line, maxChars - 1));
      remaining = '';
    } else {
      const space = line.lastIndexOf(' ', maxChars);
      const lineEnd = space > 0 ? space : maxChars;
      result.push(line.slice(0, lineEnd));
      remaining = remaining.slice(lineEnd).trimStart();
    }
  }
  return result;
}
