// Draws the images of the sandbox models: abstract, derived from the prompt, and labeled as placeholders.
import { type CanvasContext, createSurface, type Surface } from '../paint/canvas.ts';
import { paintText } from '../paint/text.ts';
import { layOut } from '../text/paragraph.ts';
import { createPlainText } from '../text/plain-text.ts';
import type { TextContent } from '../timeline/draw-list.ts';
import { choosePalette, createRandomFromText, type Palette, withAlpha } from './palette.ts';
import type { SandboxImage, SandboxStyle } from './still.ts';

interface SandboxCanvas {
  readonly ctx: CanvasContext;
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
  readonly random: () => number;
}

const STYLES: Readonly<Record<SandboxStyle, (context: SandboxCanvas) => void>> = {
  gradient: drawGradient,
  blocks: drawBlocks,
  rings: drawRings,
};

export function drawSandboxImage({ prompt, seed, style, width, height, isUnlabeled }: SandboxImage): Surface {
  const surface = createSurface(width, height);
  const random = createRandomFromText(JSON.stringify([style, seed, prompt]));
  STYLES[style]({ ctx: surface.ctx, width, height, palette: choosePalette(prompt), random });
  if (isUnlabeled !== true) drawLabel(surface.ctx, width, height, prompt);
  return surface;
}

/** Draws a placeholder image for scenes: the landscape of the gradient style, without the label. */
export function drawPlaceholder(prompt: string, width: number, height: number): Surface {
  const surface = createSurface(width, height);
  const random = createRandomFromText(JSON.stringify(['sample', prompt]));
  drawGradient({ ctx: surface.ctx, width, height, palette: choosePalette(prompt), random });
  return surface;
}

/** Draws the overlay of edit:sandbox: a wash in the prompt's colors, and the label. */
export function drawSandboxWash(prompt: string, seed: number, width: number, height: number): Surface {
  const surface = createSurface(width, height);
  const { ctx } = surface;
  const palette = choosePalette(prompt);
  const angle = createRandomFromText(JSON.stringify(['wash', seed, prompt]))() * Math.PI * 2;
  const halfDiagonal = Math.hypot(width, height) / 2;
  const [dx, dy] = [Math.cos(angle) * halfDiagonal, Math.sin(angle) * halfDiagonal];
  const wash = ctx.createLinearGradient(width / 2 - dx, height / 2 - dy, width / 2 + dx, height / 2 + dy);
  wash.addColorStop(0, withAlpha(palette.colors[0], 0.75));
  wash.addColorStop(0.55, withAlpha(palette.colors[1], 0.45));
  wash.addColorStop(1, withAlpha(palette.colors[2], 0.35));
  ctx.fillStyle = wash;
  ctx.fillRect(0, 0, width, height);
  drawLabel(ctx, width, height, prompt);
  return surface;
}

/** Draws a sky of soft lights above a sea of waves. */
function drawGradient({ ctx, width, height, palette, random }: SandboxCanvas): void {
  const [deep, mid, bright, light] = palette.colors;
  const sky = ctx.createLinearGradient(0, 0, width * 0.25, height);
  sky.addColorStop(0, palette.background);
  sky.addColorStop(0.45, deep);
  sky.addColorStop(0.75, mid);
  sky.addColorStop(1, bright);
  ctx.fillStyle = sky;
  ctx.fillRect(0, 0, width, height);
  const longSide = Math.max(width, height);
  for (const color of [mid, bright, deep, bright, mid]) {
    drawGlow(
      ctx,
      random() * width,
      random() * height * 0.7,
      longSide * (0.25 + random() * 0.35),
      withAlpha(color, 0.5),
    );
  }
  const [sunX, sunY] = [width * (0.2 + random() * 0.6), height * (0.22 + random() * 0.2)];
  const radius = Math.min(width, height) * (0.07 + random() * 0.06);
  drawGlow(ctx, sunX, sunY, radius * 5, withAlpha(light, 0.55));
  ctx.fillStyle = light;
  ctx.beginPath();
  ctx.arc(sunX, sunY, radius, 0, Math.PI * 2);
  ctx.fill();
  const layers = 6;
  for (let layer = 0; layer < layers; layer++)
    drawWave({ ctx, width, height, palette, random }, layer / (layers - 1));
}

/** Draws one wave. `depth` goes from 0 at the horizon to 1 at the bottom. */
function drawWave({ ctx, width, height, palette, random }: SandboxCanvas, depth: number): void {
  const base = height * (0.52 + depth * 0.36);
  const swing = height * (0.035 + depth * 0.05);
  const [first, second, shift] = [0.7 + random() * 0.9, 1.8 + random() * 1.4, random() * Math.PI * 2];
  ctx.beginPath();
  ctx.moveTo(0, height);
  const steps = 96;
  for (let step = 0; step <= steps; step++) {
    const along = (step / steps) * Math.PI * 2;
    const lift = Math.sin(along * first + shift) + 0.45 * Math.sin(along * second + shift * 1.7);
    ctx.lineTo((step / steps) * width, base - lift * swing);
  }
  ctx.lineTo(width, height);
  const body = ctx.createLinearGradient(0, base - swing * 1.4, 0, height);
  const [deep, mid, bright] = palette.colors;
  body.addColorStop(0, withAlpha(depth < 0.35 ? bright : depth < 0.7 ? mid : deep, 0.42 + depth * 0.4));
  body.addColorStop(1, withAlpha(palette.background, 0.55 + depth * 0.4));
  ctx.fillStyle = body;
  ctx.fill();
}

/** Draws quarter circles, semicircles and dots on a grid of squares. */
function drawBlocks({ ctx, width, height, palette, random }: SandboxCanvas): void {
  const colors = [palette.background, ...palette.colors];
  const pick = (): string => colors[Math.floor(random() * colors.length)] ?? palette.background;
  const columns = 5 + Math.floor(random() * 3);
  // Cells are whole pixels, so that no seam shows between them.
  const side = Math.ceil(width / columns);
  const rows = Math.ceil(height / side);
  // The size limits of images keep even a tall, narrow one below 600 rows.
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const background = pick();
      const foregrounds = colors.filter(color => color !== background);
      drawCell({ ctx, random }, column * side, row * side, side, background, foregrounds);
    }
  }
}

function drawCell(
  { ctx, random }: Pick<SandboxCanvas, 'ctx' | 'random'>,
  x: number,
  y: number,
  side: number,
  background: string,
  foregrounds: readonly string[],
): void {
  ctx.save();
  ctx.translate(x + side / 2, y + side / 2);
  ctx.rotate((Math.floor(random() * 4) * Math.PI) / 2);
  const half = side / 2;
  ctx.fillStyle = background;
  ctx.fillRect(-half, -half, side, side);
  const color = (): string => foregrounds[Math.floor(random() * foregrounds.length)] ?? background;
  const shape = SHAPES[Math.floor(random() * SHAPES.length)];
  shape?.(ctx, half, color);
  ctx.restore();
}

type Shape = (ctx: CanvasContext, half: number, color: () => string) => void;

const drawPie = (
  ctx: CanvasContext,
  x: number,
  y: number,
  radius: number,
  from: number,
  to: number,
  color: string,
): void => {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.arc(x, y, radius, from * Math.PI, to * Math.PI);
  ctx.fill();
};

const SHAPES: readonly Shape[] = [
  (ctx, half, color) => drawPie(ctx, -half, -half, half * 2, 0, 0.5, color()),
  (ctx, half, color) => {
    drawPie(ctx, -half, -half, half * 2, 0, 0.5, color());
    drawPie(ctx, -half, -half, half, 0, 0.5, color());
  },
  (ctx, half, color) => drawPie(ctx, 0, -half, half, 0, 1, color()),
  (ctx, half, color) => {
    const paint = color();
    drawPie(ctx, 0, -half, half, 0, 1, paint);
    drawPie(ctx, 0, 0, half, 0, 1, paint);
  },
  (ctx, half, color) => {
    drawPie(ctx, 0, 0, half * 0.72, 0, 2, color());
    drawPie(ctx, 0, 0, half * 0.3, 0, 2, color());
  },
  (ctx, half, color) => {
    ctx.fillStyle = color();
    ctx.beginPath();
    ctx.moveTo(-half, half);
    ctx.lineTo(half, half);
    ctx.lineTo(half, -half);
    ctx.fill();
  },
  (ctx, half, color) => {
    const paint = color();
    for (let stripe = 0; stripe < 3; stripe++) {
      ctx.fillStyle = paint;
      ctx.fillRect(-half, -half + (stripe * 2 + 0.5) * (half / 3), half * 2, half / 3);
    }
  },
  (ctx, half, color) => {
    const paint = color();
    for (const x of [-0.5, 0.5])
      for (const y of [-0.5, 0.5]) drawPie(ctx, x * half, y * half, half * 0.26, 0, 2, paint);
  },
];

/** Draws orbits around a bright center, some broken into arcs, with small moons. */
function drawRings({ ctx, width, height, palette, random }: SandboxCanvas): void {
  const [deep, , bright, light] = palette.colors;
  ctx.fillStyle = palette.background;
  ctx.fillRect(0, 0, width, height);
  const unit = Math.min(width, height);
  const [x, y] = [width * (0.32 + random() * 0.36), height * (0.34 + random() * 0.28)];
  drawGlow(ctx, x, y, Math.max(width, height) * 0.75, withAlpha(deep, 0.85));
  drawGlow(ctx, width - x, height - y * 0.4, unit * 0.5, withAlpha(bright, 0.22));
  drawGlow(ctx, x, y, unit * 0.34, withAlpha(bright, 0.55));
  let radius = unit * 0.1;
  const edge = Math.hypot(width, height) * 0.72;
  while (radius < edge) {
    const thickness = unit * (random() < 0.3 ? 0.018 + random() * 0.03 : 0.0025 + random() * 0.005);
    drawOrbit({ ctx, palette, random, unit }, x, y, radius, thickness, 1 - (radius / edge) * 0.6);
    radius += thickness + unit * (0.014 + random() * 0.034);
  }
  drawGlow(ctx, x, y, unit * 0.11, withAlpha(light, 0.9));
  drawPie(ctx, x, y, unit * 0.055, 0, 2, light);
}

function drawOrbit(
  {
    ctx,
    palette,
    random,
    unit,
  }: Pick<SandboxCanvas, 'ctx' | 'palette' | 'random'> & { readonly unit: number },
  x: number,
  y: number,
  radius: number,
  thickness: number,
  strength: number,
): void {
  const color = palette.colors[1 + Math.floor(random() * 3)] ?? palette.colors[3];
  const start = random() * Math.PI * 2;
  const sweep = random() < 0.35 ? Math.PI * 2 : Math.PI * (0.35 + random() * 1.3);
  ctx.lineWidth = thickness;
  ctx.lineCap = 'round';
  ctx.strokeStyle = withAlpha(color, strength * (0.55 + random() * 0.45));
  ctx.beginPath();
  ctx.arc(x, y, radius, start, start + sweep);
  ctx.stroke();
  if (random() > 0.45) return;
  const angle = random() * Math.PI * 2;
  const size = unit * (0.006 + random() * 0.012);
  drawGlow(ctx, x + Math.cos(angle) * radius, y + Math.sin(angle) * radius, size * 4, withAlpha(color, 0.5));
  drawPie(ctx, x + Math.cos(angle) * radius, y + Math.sin(angle) * radius, size, 0, 2, palette.colors[3]);
}

function drawGlow(ctx: CanvasContext, x: number, y: number, radius: number, color: string): void {
  const light = ctx.createRadialGradient(x, y, 0, x, y, radius);
  light.addColorStop(0, color);
  light.addColorStop(0.5, withAlpha(color, Number.parseInt(color.slice(7, 9), 16) / 255 / 3.2));
  light.addColorStop(1, withAlpha(color, 0));
  ctx.fillStyle = light;
  ctx.fillRect(x - radius, y - radius, radius * 2, radius * 2);
}

const LABEL = 'SANDBOX';

/** Draws a dark pill in the lower left corner, with the label and as much of the prompt as fits. */
function drawLabel(ctx: CanvasContext, width: number, height: number, prompt: string): void {
  const size = Math.max(7, Math.min(width, height) * 0.021);
  const [inset, padding, gap, pillHeight] = [size * 1.5, size * 1.15, size * 0.95, size * 2.7];
  const style = { align: 'left', size, lineHeight: pillHeight / size, maxLines: 1 } as const;
  const label = createPlainText(LABEL, { ...style, weight: 800, letterSpacing: 0.14, color: '#ffffff' });
  const labelWidth = measureWidth(ctx, label, width);
  const availableWidth = width - 2 * inset - 2 * padding - labelWidth - gap;
  const promptText = createPlainText(availableWidth > size * 6 ? prompt.replace(/\s+/g, ' ').trim() : '', {
    ...style,
    weight: 400,
    color: '#ffffffc8',
  });
  const maxWidth = Math.min(availableWidth, size * 46);
  const promptWidth = measureWidth(ctx, promptText, maxWidth);
  const pillWidth = labelWidth + 2 * padding + (promptWidth === 0 ? 0 : promptWidth + gap);
  ctx.save();
  ctx.translate(inset, height - inset - pillHeight);
  ctx.fillStyle = '#0b0d12dc';
  ctx.beginPath();
  ctx.roundRect(0, 0, pillWidth, pillHeight, pillHeight / 2);
  ctx.fill();
  ctx.translate(padding, 0);
  paintText(ctx, label, { width, height: pillHeight }, 1);
  ctx.translate(labelWidth + gap, 0);
  paintText(ctx, promptText, { width: maxWidth, height: pillHeight }, 1);
  ctx.restore();
}

const measureWidth = (ctx: CanvasContext, content: TextContent, maxWidth: number): number =>
  layOut(ctx, content, maxWidth, Number.NaN).lines[0]?.width ?? 0;
