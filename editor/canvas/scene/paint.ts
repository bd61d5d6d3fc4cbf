// Draws the board on one 2D canvas: all edges, and the nodes that are not in the page as boxes. Things of one colour are one
// path: a thousand paths of their own would cost ten times as much.
import { categoryOf, typeName } from '../colors.ts';
import type { Look } from './look.ts';
import {
  type Bend,
  type Box,
  bendOf,
  type Curve,
  grow,
  meets,
  type Places,
  type Rect,
  type Scene,
} from './scene.ts';

export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** What the run that is shown says of a node. */
export interface Mark {
  readonly status: string;
  /** A small picture of what it made, once it is loaded. */
  readonly picture?: CanvasImageSource & { readonly width: number; readonly height: number };
}

export interface Painting {
  readonly scene: Scene;
  readonly places: Places;
  readonly viewport: Viewport;
  readonly size: { readonly width: number; readonly height: number };
  /** Pixels of the device to one of the page. */
  readonly ratio: number;
  readonly selection: ReadonlySet<string>;
  /** Nodes that are in the page, and need no box. */
  readonly mounted: ReadonlySet<string>;
  readonly markOf: (id: string) => Mark | undefined;
  /** Edges that stand out: under the pointer, or about to take a node. */
  readonly lit: ReadonlySet<string>;
  readonly look: Look;
}

type Context = CanvasRenderingContext2D;

export function paint(ctx: Context, painting: Painting): void {
  const { viewport, size, ratio } = painting;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, size.width, size.height);
  ctx.setTransform(
    ratio * viewport.zoom,
    0,
    0,
    ratio * viewport.zoom,
    ratio * viewport.x,
    ratio * viewport.y,
  );
  const view = viewOf(viewport, size);
  const boxes = shownBoxes(painting, view);
  const isFrame = ({ card }: Box): boolean => card.type === 'group';
  paintFrames(ctx, painting, boxes.filter(isFrame));
  paintEdges(ctx, painting, view);
  paintBoxes(
    ctx,
    painting,
    boxes.filter(box => !isFrame(box)),
  );
}

/** The part of the board that is on the screen. */
export const viewOf = (
  { x, y, zoom }: Viewport,
  { width, height }: { readonly width: number; readonly height: number },
): Rect => ({ x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom });

/** Pixels beyond their box that marks of nodes reach. */
const MARK_PX = 12;

function shownBoxes({ scene, places, mounted }: Painting, view: Rect): readonly Box[] {
  const seen = grow(view, MARK_PX);
  return scene.boxes.flatMap(box => {
    if (mounted.has(box.id)) return [];
    const at = places.get(box.id);
    const placed = at === undefined ? box : { ...box, x: at.x, y: at.y };
    return meets(placed, seen) ? [placed] : [];
  });
}

/** Below this zoom a bend looks like a straight line. */
const STRAIGHT_ZOOM = 0.14;
const WIDTH_PX = 2;
const MIN_WIDTH_SCREEN_PX = 0.7;

function paintEdges(ctx: Context, painting: Painting, view: Rect): void {
  const { scene, places, selection, lit, look, viewport, markOf } = painting;
  const width = Math.max(WIDTH_PX, MIN_WIDTH_SCREEN_PX / viewport.zoom);
  const plain = new Map<string, Bend[]>();
  const strong: [curve: Curve, bend: Bend][] = [];
  for (const curve of scene.curves) {
    const bend = bendOf(curve, places);
    if (!isSeen(bend, view)) continue;
    const isFlowing = markOf(curve.source.id)?.status === 'RUNNING';
    if (selection.has(curve.id) || lit.has(curve.id) || isFlowing) strong.push([curve, bend]);
    else {
      const type = typeName(curve.wire.type);
      const bends = plain.get(type);
      if (bends === undefined) plain.set(type, [bend]);
      else bends.push(bend);
    }
  }
  ctx.lineWidth = width;
  ctx.globalAlpha = viewport.zoom < STRAIGHT_ZOOM ? 0.45 : 0.75;
  for (const [type, bends] of plain) {
    ctx.strokeStyle = look.types.get(type) ?? look.soft;
    strokeBends(ctx, bends, viewport.zoom);
  }
  ctx.globalAlpha = 1;
  ctx.lineWidth = width * 1.6;
  for (const [curve, bend] of strong) {
    const isChosen = selection.has(curve.id) || lit.has(curve.id);
    ctx.strokeStyle = isChosen ? look.accent : (look.types.get(typeName(curve.wire.type)) ?? look.soft);
    strokeBends(ctx, [bend], viewport.zoom);
  }
}

const isSeen = ({ x1, y1, x2, y2, pull }: Bend, view: Rect): boolean =>
  Math.min(x1, x2 - pull) < view.x + view.width &&
  Math.max(x2, x1 + pull) > view.x &&
  Math.min(y1, y2) < view.y + view.height &&
  Math.max(y1, y2) > view.y;

function strokeBends(ctx: Context, bends: readonly Bend[], zoom: number): void {
  ctx.beginPath();
  for (const { x1, y1, x2, y2, pull } of bends) {
    ctx.moveTo(x1, y1);
    if (zoom < STRAIGHT_ZOOM) ctx.lineTo(x2, y2);
    else ctx.bezierCurveTo(x1 + pull, y1, x2 - pull, y2, x2, y2);
  }
  ctx.stroke();
}

const RADIUS = 12;
/** Corners and names are drawn from these zooms on: below them nobody sees them. */
const ROUND_ZOOM = 0.12;
const NAME_ZOOM = 0.12;
const STRIP = 14;

function paintBoxes(ctx: Context, painting: Painting, boxes: readonly Box[]): void {
  const { look, viewport, selection, markOf } = painting;
  const radius = viewport.zoom < ROUND_ZOOM ? 0 : RADIUS;
  fill(ctx, boxes, { color: look.card, radius });
  for (const [category, group] of Map.groupBy(boxes, ({ card }) => categoryOf(card.data))) {
    const color = look.categories.get(category) ?? look.soft;
    ctx.globalAlpha = 0.2;
    fill(ctx, group, { color, radius });
    ctx.globalAlpha = 1;
    fill(
      ctx,
      group.map(box => ({ ...box, height: Math.min(STRIP, box.height) })),
      { color, radius: 0 },
    );
  }
  if (viewport.zoom >= NAME_ZOOM) paintNames(ctx, boxes, look.ink);
  for (const box of boxes) {
    const mark = markOf(box.id);
    if (mark !== undefined) paintMark(ctx, box, mark, painting);
  }
  const chosen = boxes.filter(({ id }) => selection.has(id));
  outline(ctx, chosen, { color: look.accent, width: Math.max(3, 2 / viewport.zoom) });
}

function paintFrames(ctx: Context, { look, selection, viewport }: Painting, frames: readonly Box[]): void {
  ctx.globalAlpha = 0.08;
  fill(ctx, frames, { color: look.soft, radius: 18 });
  ctx.globalAlpha = 0.4;
  outline(ctx, frames, { color: look.soft, width: Math.max(1.5, 0.7 / viewport.zoom) });
  ctx.globalAlpha = 1;
  if (viewport.zoom >= NAME_ZOOM) paintNames(ctx, frames, look.soft);
  const chosen = frames.filter(({ id }) => selection.has(id));
  outline(ctx, chosen, { color: look.accent, width: Math.max(3, 2 / viewport.zoom) });
}

interface Ink {
  readonly color: string;
  readonly radius: number;
}

function fill(ctx: Context, boxes: readonly Rect[], { color, radius }: Ink): void {
  if (boxes.length === 0) return;
  ctx.fillStyle = color;
  ctx.beginPath();
  for (const { x, y, width, height } of boxes) {
    if (radius === 0) ctx.rect(x, y, width, height);
    else ctx.roundRect(x, y, width, height, radius);
  }
  ctx.fill();
}

function outline(
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

const NAME_PX = 40;
const NAME_CHARS = 24;

function paintNames(ctx: Context, boxes: readonly Box[], color: string): void {
  ctx.fillStyle = color;
  ctx.font = `600 ${NAME_PX}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  for (const { card, x, y, width } of boxes)
    ctx.fillText(card.data.node.data.label.slice(0, NAME_CHARS), x + 16, y + STRIP + 12, width - 32);
}

function paintMark(ctx: Context, box: Box, { status, picture }: Mark, { look, viewport }: Painting): void {
  const color = { FAILED: look.danger, RUNNING: look.accent, WAITING: look.warning }[status];
  const width = Math.max(8, 2.5 / viewport.zoom);
  if (color !== undefined) outline(ctx, [box], { color, width });
  if (status === 'COMPLETED' && picture !== undefined) paintPicture(ctx, box, picture);
  else if (status === 'COMPLETED') {
    const radius = Math.max(9, 2 / viewport.zoom);
    ctx.fillStyle = look.success;
    ctx.beginPath();
    ctx.arc(box.x + box.width - 2 * radius, box.y + box.height - 2 * radius, radius, 0, 2 * Math.PI);
    ctx.fill();
  }
}

const HEAD = STRIP + NAME_PX + 24;

/** Over the ground of the box, below its name, without being cut. */
function paintPicture(ctx: Context, box: Box, picture: NonNullable<Mark['picture']>): void {
  const room = { width: box.width - 24, height: box.height - HEAD - 12 };
  if (room.height <= 0 || picture.width === 0) return;
  const scale = Math.min(room.width / picture.width, room.height / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  ctx.drawImage(
    picture,
    box.x + (box.width - width) / 2,
    box.y + HEAD + (room.height - height) / 2,
    width,
    height,
  );
}
