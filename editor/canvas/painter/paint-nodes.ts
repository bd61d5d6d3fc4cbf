// Paints nodes at far zoom (boxes with name and result, group frames, notes), and status marks at every zoom.
import { isBypassed } from '../../../src/graph/bypass.ts';
import { NODE_BOX } from '../../../src/graph/dims.ts';
import type { Rect } from '../../../src/graph/rects.ts';
import { getCategory } from '../colors.ts';
import { getNoteColors, getNoteText, toPlainText } from '../note-text.ts';
import { FAR_ZOOM, type PaintedState, type PaintInput, type StatusOutline } from './painting.ts';
import { grow, type SceneNode } from './scene.ts';
import { type Context, fillBoxes, outlineBoxes, RADIUS, setTextStyle, wrapText } from './shapes.ts';

/** Below this zoom, corners and names are not drawn. */
const DETAIL_ZOOM = 0.12;
const STRIP = 14;
const NAME_PX = 40;
const NAME_LINE = 46;
const NAME_TOP = STRIP + 12;

export function paintBoxes(
  ctx: Context,
  { colors, viewport, getPaintedState }: PaintInput,
  boxes: readonly SceneNode[],
): void {
  const isPlain = viewport.zoom < DETAIL_ZOOM;
  const radius = isPlain ? 0 : RADIUS;
  fillBoxes(ctx, boxes, { color: colors.card, radius });
  for (const [category, group] of Map.groupBy(boxes, ({ card }) => getCategory(card.data))) {
    const color = colors.categories.get(category) ?? colors.muted;
    ctx.globalAlpha = 0.2;
    fillBoxes(ctx, group, { color, radius });
    ctx.globalAlpha = 1;
    const strips = group.map(box => ({ ...box, height: Math.min(STRIP, box.height) }));
    fillBoxes(ctx, strips, { color, radius: isPlain ? 0 : [RADIUS] });
  }
  if (isPlain) return;
  setTextStyle(ctx, { px: NAME_PX, weight: 600, family: colors.font, color: colors.ink });
  for (const box of boxes) {
    const hasThumbnail = getPaintedState(box.id)?.thumbnail !== undefined;
    paintText(ctx, box, {
      text: box.card.data.node.data.label,
      px: NAME_PX,
      line: NAME_LINE,
      top: NAME_TOP,
      lines: hasThumbnail ? 1 : 2,
    });
  }
}

export function paintFrames(
  ctx: Context,
  { colors, viewport }: PaintInput,
  frames: readonly SceneNode[],
): void {
  if (frames.length === 0) return;
  ctx.globalAlpha = 0.08;
  fillBoxes(ctx, frames, { color: colors.muted, radius: 18 });
  ctx.globalAlpha = 0.4;
  outlineBoxes(ctx, frames, { color: colors.muted, width: Math.max(1.5, 0.7 / viewport.zoom) });
  ctx.globalAlpha = 1;
  if (viewport.zoom < DETAIL_ZOOM) return;
  const px = viewport.zoom < FAR_ZOOM ? NAME_PX : 15;
  setTextStyle(ctx, { px, weight: 600, family: colors.font, color: colors.muted });
  for (const box of frames) {
    const top = viewport.zoom < FAR_ZOOM ? 12 : (NODE_BOX.header - px) / 2;
    paintText(ctx, box, { text: box.card.data.node.data.label, px, line: px, top, lines: 1 });
  }
}

export function paintNotes(
  ctx: Context,
  { colors, viewport }: PaintInput,
  notes: readonly SceneNode[],
): void {
  for (const note of notes) {
    const { node } = note.card.data;
    const { background, ink } = getNoteColors(node);
    fillBoxes(ctx, [note], { color: background, radius: 6 });
    if (viewport.zoom < DETAIL_ZOOM) continue;
    const [px, line] = viewport.zoom < FAR_ZOOM ? [28, 36] : [13, 19];
    setTextStyle(ctx, { px, family: colors.font, color: ink });
    const lines = Math.floor((note.height - 28) / line);
    paintText(ctx, note, { text: toPlainText(getNoteText(node)), px, line, top: 14, lines });
  }
}

/** Paints the results of the run, and the outlines of plans and comparisons. */
export function paintResults(ctx: Context, painting: PaintInput, boxes: readonly SceneNode[]): void {
  const { colors, viewport, getPaintedState, getOutline } = painting;
  const isFar = viewport.zoom < FAR_ZOOM;
  for (const box of boxes) {
    const state = getPaintedState(box.id);
    if (state?.status === 'COMPLETED') paintResult(ctx, box, state, painting);
  }
  if (isFar) {
    ctx.globalAlpha = 0.5;
    const bypassed = boxes.filter(({ card }) => isBypassed(card.data.node));
    fillBoxes(ctx, bypassed, { color: colors.background, radius: RADIUS });
    ctx.globalAlpha = 1;
  }
  const boxesByStatus = Map.groupBy(boxes, ({ id }) => getOutline(id));
  ctx.globalAlpha = 0.65;
  fillBoxes(ctx, boxesByStatus.get('excluded') ?? [], { color: colors.background, radius: RADIUS });
  ctx.globalAlpha = 1;
  const width = isFar ? Math.max(10, 2.5 / viewport.zoom) : 3;
  for (const [status, { color, dash }] of STATUS_OUTLINES) {
    const outlines = (boxesByStatus.get(status) ?? []).map(box => grow(box, width * 1.2));
    ctx.setLineDash(dash.map(part => part * width));
    outlineBoxes(ctx, outlines, { color: colors[color], width });
  }
  ctx.setLineDash([]);
}

const OUTLINE_SCREEN_PX = 2.5;

/** Outlines selected, running, waiting and failed nodes, whether mounted or not. */
export function paintOutlines(
  ctx: Context,
  { colors, viewport, selection, getPaintedState }: PaintInput,
  boxes: readonly SceneNode[],
): void {
  const width = Math.max(2, OUTLINE_SCREEN_PX / viewport.zoom);
  const growAll = (nodes: readonly SceneNode[]): readonly Rect[] => nodes.map(box => grow(box, width / 2));
  for (const [status, group] of Map.groupBy(boxes, ({ id }) => getPaintedState(id)?.status ?? '')) {
    const color = OUTLINE_COLORS[status];
    if (color !== undefined) outlineBoxes(ctx, growAll(group), { color: colors[color], width });
  }
  const selected = boxes.filter(({ id }) => selection.has(id));
  outlineBoxes(ctx, growAll(selected), { color: colors.accent, width });
}

type OutlineColor = 'accent' | 'success' | 'warning' | 'muted';

/** Must match the card style sheet. Dash lengths are relative to the line width. */
const STATUS_OUTLINES: readonly (readonly [
  StatusOutline,
  { readonly color: OutlineColor; readonly dash: readonly number[] },
])[] = [
  ['run', { color: 'accent', dash: [] }],
  ['cached', { color: 'success', dash: [3, 2] }],
  ['reused', { color: 'success', dash: [3, 2] }],
  ['added', { color: 'success', dash: [] }],
  ['changed', { color: 'warning', dash: [] }],
  ['moved', { color: 'muted', dash: [1, 1] }],
];

const OUTLINE_COLORS: Readonly<Record<string, 'danger' | 'accent' | 'warning'>> = {
  FAILED: 'danger',
  RUNNING: 'accent',
  WAITING: 'warning',
};

function paintResult(
  ctx: Context,
  box: Rect,
  { thumbnail }: PaintedState,
  { colors, viewport }: PaintInput,
): void {
  const isFar = viewport.zoom < FAR_ZOOM;
  if (thumbnail === undefined) paintDot(ctx, box, colors.success, isFar ? Math.max(9, 2 / viewport.zoom) : 6);
  else paintThumbnail(ctx, box, thumbnail, isFar);
}

function paintDot(ctx: Context, { x, y, width, height }: Rect, color: string, radius: number): void {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.arc(x + width - 2 * radius, y + height - 2 * radius, radius, 0, 2 * Math.PI);
  ctx.fill();
}

/** Paints the thumbnail below the name. */
function paintThumbnail(
  ctx: Context,
  box: Rect,
  thumbnail: NonNullable<PaintedState['thumbnail']>,
  isFar: boolean,
): void {
  const head = isFar ? NAME_TOP + NAME_LINE : Math.max(NODE_BOX.header, box.height - NODE_BOX.preview);
  const available = { width: box.width - 24, height: box.height - head - 12 };
  if (available.height <= 0 || thumbnail.width === 0) return;
  const scale = Math.min(available.width / thumbnail.width, available.height / thumbnail.height);
  const [width, height] = [thumbnail.width * scale, thumbnail.height * scale];
  ctx.drawImage(
    thumbnail,
    box.x + (box.width - width) / 2,
    box.y + head + (available.height - height) / 2,
    width,
    height,
  );
}

const PADDING = 16;

interface Text {
  readonly text: string;
  readonly px: number;
  /** Line height, and the offset of the first line from the top of the box. */
  readonly line: number;
  readonly top: number;
  readonly lines: number;
}

function paintText(ctx: Context, box: Rect, { text, px, line, top, lines }: Text): void {
  const maxLines = Math.max(1, Math.min(lines, Math.floor((box.height - top) / line)));
  const rows = wrapText(text, { px, width: box.width - 2 * PADDING, lines: maxLines });
  for (const [index, row] of rows.entries())
    ctx.fillText(row, box.x + PADDING, box.y + top + index * line, box.width - 2 * PADDING);
}
