// Draws boxes in batches and text that is cut to fit. Many boxes of one color share a path: a thousand separate paths
// would take ten times as long.
import type { Rect } from './scene.ts';

export type Context = CanvasRenderingContext2D;

interface Ink {
  readonly color: string;
  /** Radius of all corners, or of the upper ones only. */
  readonly radius: number | readonly [upper: number];
}

export function fill(ctx: Context, boxes: readonly Rect[], { color, radius }: Ink): void {
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

export function outline(
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

/** Sets font and color for the following texts. */
export function write(ctx: Context, { px, weight, family, color }: Font): void {
  ctx.fillStyle = color;
  ctx.font = `${weight ?? 400} ${px}px ${family}`;
  ctx.textBaseline = 'top';
}

/** Character width relative to the font size. Measuring each text would take longer than drawing it. */
const LETTER = 0.53;

/** Cuts the text to the given number of lines, with an ellipsis if some is left out. */
export function cut(
  text: string,
  { px, width, lines }: { px: number; width: number; lines: number },
): string[] {
  const most = Math.max(1, Math.floor(width / (px * LETTER)));
  const found: string[] = [];
  let rest = text.trim();
  while (rest !== '' && found.length < lines) {
    const [whole = ''] = rest.split('\n', 1);
    const isLast = found.length === lines - 1;
    if (whole.length <= most) {
      found.push(whole);
      rest = rest.slice(whole.length).trimStart();
    } else if (isLast) {
      found.push(`${whole.slice(0, most - 1)}…`);
      rest = '';
    } else {
      const space = whole.lastIndexOf(' ', most);
      const end = space > 0 ? space : most;
      found.push(whole.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
  }
  return found;
}
