// Draws the images of the sandbox models: abstract, derived from the prompt, and labeled as placeholders.
import { type CanvasContext, createSurface, measureWith, type Surface, setFont } from '../paint/canvas.ts';
import { addEllipsis } from '../text/text-layout.ts';
import { choosePalette, createSeededRandom, type Palette, withAlpha } from './palette.ts';
import type { SandboxImage, SandboxStyle } from './still.ts';

interface Scene {
  readonly ctx: CanvasContext;
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
  readonly random: () => number;
}

const STYLES: Readonly<Record<SandboxStyle, (scene: Scene) => void>> = {
  gradient: drawGradient,
  blocks: drawBlocks,
  rings: drawRings,
};

export function drawSandboxImage({ prompt, seed, style, width, height, isUnlabeled }: SandboxImage): Surface {
  const surface = createSurface(width, height);
  const random = createSeededRandom(JSON.stringify([style, seed, prompt]));
  STYLES[style]({ ctx: surface.ctx, width, height, palette: choosePalette(prompt), random: random });
  if (isUnlabeled !== true) drawLabel(surface.ctx, width, height, prompt);
  return surface;
}

/** Draws a placeholder image for scenes: the landscape of the gradient style, without the label. */
export function drawPlaceholder(prompt: string, width: number, height: number): Surface {
  const surface = createSurface(width, height);
  const random = createSeededRandom(JSON.stringify(['sample', prompt]));
  drawGradient({ ctx: surface.ctx, width, height, palette: choosePalette(prompt), random: random });
  return surface;
}

/** Draws the overlay of edit:sandbox: a wash in the prompt's colors, and the label. */
export function drawSandboxWash(prompt: string, seed: number, width: number, height: number): Surface {
  const surface = createSurface(width, height);
  const { ctx } = surface;
  const palette = choosePalette(prompt);
  const turn = createSeededRandom(JSON.stringify(['wash', seed, prompt]))() * Math.PI * 2;
  const reach = Math.hypot(width, height) / 2;
  const [dx, dy] = [Math.cos(turn) * reach, Math.sin(turn) * reach];
  const wash = ctx.createLinearGradient(width / 2 - dx, height / 2 - dy, width / 2 + dx, height / 2 + dy);
  wash.addColorStop(0, withAlpha(palette.colors[0], 0.75));
  wash.addColorStop(0.55, withAlpha(palette.colors[1], 0.45));
  wash.addColorStop(1, withAlpha(palette.colors[2], 0.35));
  ctx.fillStyle = wash;
  ctx.fillRect(0, 0, width, height);
  drawLabel(ctx, width, height, prompt);
  return surface;
}

/** Draws a sky of soft lights above waves that come closer. */
function drawGradient({ ctx, width, height, palette, random: roll }: Scene): void {
  const [deep, mid, bright, light] = palette.colors;
  const sky = ctx.createLinearGradient(0, 0, width * 0.25, height);
  sky.addColorStop(0, palette.ground);
  sky.addColorStop(0.45, deep);
  sky.addColorStop(0.75, mid);
  sky.addColorStop(1, bright);
  ctx.fillStyle = sky;
  ctx.fillRect(0, 0, width, height);
  const reach = Math.max(width, height);
  for (const hue of [mid, bright, deep, bright, mid]) {
    drawGlow(ctx, roll() * width, roll() * height * 0.7, reach * (0.25 + roll() * 0.35), withAlpha(hue, 0.5));
  }
  const [sunX, sunY] = [width * (0.2 + roll() * 0.6), height * (0.22 + roll() * 0.2)];
  const radius = Math.min(width, height) * (0.07 + roll() * 0.06);
  drawGlow(ctx, sunX, sunY, radius * 5, withAlpha(light, 0.55));
  ctx.fillStyle = light;
  ctx.beginPath();
  ctx.arc(sunX, sunY, radius, 0, Math.PI * 2);
  ctx.fill();
  const layers = 6;
  for (let layer = 0; layer < layers; layer++)
    drawWave({ ctx, width, height, palette, random: roll }, layer / (layers - 1));
}

/** Draws one wave. `depth` goes from 0 at the horizon to 1 at the bottom. */
function drawWave({ ctx, width, height, palette, random: roll }: Scene, depth: number): void {
  const base = height * (0.52 + depth * 0.36);
  const swing = height * (0.035 + depth * 0.05);
  const [first, second, shift] = [0.7 + roll() * 0.9, 1.8 + roll() * 1.4, roll() * Math.PI * 2];
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
  body.addColorStop(1, withAlpha(palette.ground, 0.55 + depth * 0.4));
  ctx.fillStyle = body;
  ctx.fill();
}

/** Draws quarter circles, semicircles and dots on a grid of squares. */
function drawBlocks({ ctx, width, height, palette, random: roll }: Scene): void {
  const hues = [palette.ground, ...palette.colors];
  const pick = (): string => hues[Math.floor(roll() * hues.length)] ?? palette.ground;
  const columns = 5 + Math.floor(roll() * 3);
  // Whole pixels, so that no seam shows between cells.
  const side = Math.ceil(width / columns);
  const rows = Math.ceil(height / side);
  // A very tall, narrow image would have too many cells; the size limits keep it below 600 rows.
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const back = pick();
      const front = hues.filter(hue => hue !== back);
      drawCell({ ctx, random: roll }, column * side, row * side, side, back, front);
    }
  }
}

function drawCell(
  { ctx, random: roll }: Pick<Scene, 'ctx' | 'random'>,
  x: number,
  y: number,
  side: number,
  back: string,
  front: readonly string[],
): void {
  ctx.save();
  ctx.translate(x + side / 2, y + side / 2);
  ctx.rotate((Math.floor(roll() * 4) * Math.PI) / 2);
  const half = side / 2;
  ctx.fillStyle = back;
  ctx.fillRect(-half, -half, side, side);
  const hue = (): string => front[Math.floor(roll() * front.length)] ?? back;
  const shape = SHAPES[Math.floor(roll() * SHAPES.length)];
  shape?.(ctx, half, hue);
  ctx.restore();
}

type Shape = (ctx: CanvasContext, half: number, hue: () => string) => void;

const drawPie = (
  ctx: CanvasContext,
  x: number,
  y: number,
  radius: number,
  from: number,
  to: number,
  hue: string,
): void => {
  ctx.fillStyle = hue;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.arc(x, y, radius, from * Math.PI, to * Math.PI);
  ctx.fill();
};

const SHAPES: readonly Shape[] = [
  (ctx, half, hue) => drawPie(ctx, -half, -half, half * 2, 0, 0.5, hue()),
  (ctx, half, hue) => {
    drawPie(ctx, -half, -half, half * 2, 0, 0.5, hue());
    drawPie(ctx, -half, -half, half, 0, 0.5, hue());
  },
  (ctx, half, hue) => drawPie(ctx, 0, -half, half, 0, 1, hue()),
  (ctx, half, hue) => {
    const paint = hue();
    drawPie(ctx, 0, -half, half, 0, 1, paint);
    drawPie(ctx, 0, 0, half, 0, 1, paint);
  },
  (ctx, half, hue) => {
    drawPie(ctx, 0, 0, half * 0.72, 0, 2, hue());
    drawPie(ctx, 0, 0, half * 0.3, 0, 2, hue());
  },
  (ctx, half, hue) => {
    ctx.fillStyle = hue();
    ctx.beginPath();
    ctx.moveTo(-half, half);
    ctx.lineTo(half, half);
    ctx.lineTo(half, -half);
    ctx.fill();
  },
  (ctx, half, hue) => {
    const paint = hue();
    for (let stripe = 0; stripe < 3; stripe++) {
      ctx.fillStyle = paint;
      ctx.fillRect(-half, -half + (stripe * 2 + 0.5) * (half / 3), half * 2, half / 3);
    }
  },
  (ctx, half, hue) => {
    const paint = hue();
    for (const x of [-0.5, 0.5])
      for (const y of [-0.5, 0.5]) drawPie(ctx, x * half, y * half, half * 0.26, 0, 2, paint);
  },
];

/** Draws orbits around a bright center, some broken into arcs, with small moons. */
function drawRings({ ctx, width, height, palette, random: roll }: Scene): void {
  const [deep, , bright, light] = palette.colors;
  ctx.fillStyle = palette.ground;
  ctx.fillRect(0, 0, width, height);
  const unit = Math.min(width, height);
  const [x, y] = [width * (0.32 + roll() * 0.36), height * (0.34 + roll() * 0.28)];
  drawGlow(ctx, x, y, Math.max(width, height) * 0.75, withAlpha(deep, 0.85));
  drawGlow(ctx, width - x, height - y * 0.4, unit * 0.5, withAlpha(bright, 0.22));
  drawGlow(ctx, x, y, unit * 0.34, withAlpha(bright, 0.55));
  let radius = unit * 0.1;
  const edge = Math.hypot(width, height) * 0.72;
  while (radius < edge) {
    const thickness = unit * (roll() < 0.3 ? 0.018 + roll() * 0.03 : 0.0025 + roll() * 0.005);
    drawOrbit({ ctx, palette, random: roll, unit }, x, y, radius, thickness, 1 - (radius / edge) * 0.6);
    radius += thickness + unit * (0.014 + roll() * 0.034);
  }
  drawGlow(ctx, x, y, unit * 0.11, withAlpha(light, 0.9));
  drawPie(ctx, x, y, unit * 0.055, 0, 2, light);
}

function drawOrbit(
  { ctx, palette, random: roll, unit }: Pick<Scene, 'ctx' | 'palette' | 'random'> & { readonly unit: number },
  x: number,
  y: number,
  radius: number,
  thickness: number,
  strength: number,
): void {
  const hue = palette.colors[1 + Math.floor(roll() * 3)] ?? palette.colors[3];
  const start = roll() * Math.PI * 2;
  const sweep = roll() < 0.35 ? Math.PI * 2 : Math.PI * (0.35 + roll() * 1.3);
  ctx.lineWidth = thickness;
  ctx.lineCap = 'round';
  ctx.strokeStyle = withAlpha(hue, strength * (0.55 + roll() * 0.45));
  ctx.beginPath();
  ctx.arc(x, y, radius, start, start + sweep);
  ctx.stroke();
  if (roll() > 0.45) return;
  const at = roll() * Math.PI * 2;
  const size = unit * (0.006 + roll() * 0.012);
  drawGlow(ctx, x + Math.cos(at) * radius, y + Math.sin(at) * radius, size * 4, withAlpha(hue, 0.5));
  drawPie(ctx, x + Math.cos(at) * radius, y + Math.sin(at) * radius, size, 0, 2, palette.colors[3]);
}

function drawGlow(ctx: CanvasContext, x: number, y: number, radius: number, hue: string): void {
  const light = ctx.createRadialGradient(x, y, 0, x, y, radius);
  light.addColorStop(0, hue);
  light.addColorStop(0.5, withAlpha(hue, Number.parseInt(hue.slice(7, 9), 16) / 255 / 3.2));
  light.addColorStop(1, withAlpha(hue, 0));
  ctx.fillStyle = light;
  ctx.fillRect(x - radius, y - radius, radius * 2, radius * 2);
}

const LABEL = 'SANDBOX';
const LABEL_SPACING = 0.14;

/** Draws a dark pill in the lower left corner, with the label and as much of the prompt as fits. */
function drawLabel(ctx: CanvasContext, width: number, height: number, prompt: string): void {
  const size = Math.max(7, Math.min(width, height) * 0.021);
  const [inset, padding, tall] = [size * 1.5, size * 1.15, size * 2.7];
  const labelWidth = measureWith(ctx, 800, LABEL_SPACING)(LABEL) * size;
  const measure = measureWith(ctx, 400);
  const gap = size * 0.95;
  const room = width - 2 * inset - 2 * padding - labelWidth - gap;
  const words =
    room > size * 6
      ? addEllipsis(prompt.replace(/\s+/g, ' ').trim(), Math.min(room / size, 46), measure)
      : '';
  const long = labelWidth + 2 * padding + (words === '' ? 0 : measure(words) * size + gap);
  const top = height - inset - tall;
  ctx.fillStyle = '#0b0d12dc';
  ctx.beginPath();
  ctx.roundRect(inset, top, long, tall, tall / 2);
  ctx.fill();
  const baseline = top + tall / 2 + size * 0.36;
  setFont(ctx, 800, size, LABEL_SPACING);
  ctx.fillStyle = '#ffffff';
  ctx.fillText(LABEL, inset + padding, baseline);
  if (words === '') return;
  setFont(ctx, 400, size);
  ctx.fillStyle = '#ffffffc8';
  ctx.fillText(words, inset + padding + labelWidth + gap, baseline);
}
