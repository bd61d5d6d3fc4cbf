// Paints readable nodes that are not mounted yet, so that they look exactly like mounted nodes.
import { isBypassed } from '../../../src/graph/bypass.ts';
import { getPortOffset, NODE_BOX } from '../../../src/graph/dims.ts';
import type { Rect } from '../../../src/graph/rects.ts';
import { type CardPort, PORT_PX } from '../card-cache.ts';
import { hasPreview, layoutCard, truncatePortLabel } from '../card-parts.ts';
import { getCategory, toTypeName } from '../colors.ts';
import type { PaintColors } from './paint-colors.ts';
import type { PaintInput } from './painting.ts';
import { grow, type SceneNode } from './scene.ts';
import { type Context, fillBoxes, outlineBoxes, RADIUS, setTextStyle, wrapText } from './shapes.ts';

/** Below this zoom, small text is not drawn. Above it, fewer than twenty cards fit on a screen. */
const TEXT_ZOOM = 0.55;
const ICON = { x: 12, y: 9, size: 26 };
const TITLE_X = 47;

export function paintCards(
  ctx: Context,
  { colors, viewport }: PaintInput,
  boxes: readonly SceneNode[],
): void {
  if (boxes.length === 0) return;
  fillBoxes(ctx, boxes, { color: colors.card, radius: RADIUS });
  paintHeaders(ctx, colors, boxes);
  outlineBoxes(
    ctx,
    boxes.map(box => grow(box, 0.5)),
    { color: colors.edge, width: 1 },
  );
  paintPlaceholders(ctx, colors, boxes);
  paintPorts(ctx, colors, boxes);
  setTextStyle(ctx, { px: 13, weight: 600, family: colors.font, color: colors.ink });
  for (const { card, x, y, width } of boxes)
    paintLines(ctx, card.data.node.data.label, { x: x + TITLE_X, y: y + 8, width: width - TITLE_X - 12 }, 13);
  if (viewport.zoom >= TEXT_ZOOM) paintTexts(ctx, colors, boxes);
  paintBypasses(
    ctx,
    colors,
    boxes.filter(({ card }) => isBypassed(card.data.node)),
  );
}

/** Fades bypassed nodes, and draws lines from their inputs to the outputs that pass them on. */
function paintBypasses(ctx: Context, colors: PaintColors, boxes: readonly SceneNode[]): void {
  if (boxes.length === 0) return;
  ctx.globalAlpha = 0.5;
  fillBoxes(ctx, boxes, { color: colors.background, radius: RADIUS });
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colors.muted;
  ctx.lineWidth = 2;
  ctx.setLineDash([5, 4]);
  ctx.beginPath();
  for (const { card, x, y, width } of boxes)
    for (const { input, output } of card.data.passes) {
      ctx.moveTo(x, y + getPortOffset(input));
      ctx.lineTo(x + width, y + getPortOffset(output));
    }
  ctx.stroke();
  ctx.setLineDash([]);
}

function paintHeaders(ctx: Context, colors: PaintColors, boxes: readonly SceneNode[]): void {
  for (const [category, group] of Map.groupBy(boxes, ({ card }) => getCategory(card.data))) {
    const color = colors.categories.get(category) ?? colors.muted;
    const edges = group.map(({ x, y, width }) => ({ x: x + 6, y, width: width - 12, height: 2 }));
    fillBoxes(ctx, edges, { color, radius: 1 });
    ctx.globalAlpha = 0.3;
    const icons = group.map(({ x, y }) => square(x + ICON.x, y + ICON.y, ICON.size));
    fillBoxes(ctx, icons, { color, radius: 7 });
    ctx.globalAlpha = 1;
  }
  const dividers = boxes.map(({ x, y, width }) => ({ x, y: y + NODE_BOX.header - 1, width, height: 1 }));
  fillBoxes(ctx, dividers, { color: colors.line, radius: 0 });
}

const square = (x: number, y: number, size: number): Rect => ({ x, y, width: size, height: size });

/** Paints fields and the space of results. */
function paintPlaceholders(ctx: Context, colors: PaintColors, boxes: readonly SceneNode[]): void {
  const fields: Rect[] = [];
  const results: Rect[] = [];
  for (const { card, x, y, width, height } of boxes) {
    const layout = layoutCard(card.data);
    for (const { field, y: top, height: fieldHeight } of layout.fields) {
      const label = field.isPort ? 0 : NODE_BOX.fieldLabel;
      fields.push({ x: x + 12, y: y + top + label, width: width - 24, height: fieldHeight - label - 7 });
    }
    const result = {
      x: x + 12,
      y: y + layout.resultY + 2,
      width: width - 24,
      height: height - layout.resultY - 14,
    };
    if (hasPreview(card.data) && result.height > 0) results.push(result);
  }
  fillBoxes(ctx, fields, { color: colors.edge, radius: 6 });
  fillBoxes(
    ctx,
    fields.map(field => grow(field, -1)),
    { color: colors.sunken, radius: 5 },
  );
  fillBoxes(ctx, results, { color: colors.sunken, radius: 8 });
}

const DOT_PX = 11;

function paintPorts(ctx: Context, colors: PaintColors, boxes: readonly SceneNode[]): void {
  const dots = boxes.flatMap(({ card, x, y, width }) =>
    [...toPortDots(card.data.inputs, x), ...toPortDots(card.data.outputs, x + width)].map(port => ({
      type: port.type,
      rect: square(port.x - DOT_PX / 2, y + port.y - DOT_PX / 2, DOT_PX),
    })),
  );
  for (const [type, group] of Map.groupBy(dots, dot => dot.type)) {
    const radius = type === 'image' || type === 'video' ? 3 : DOT_PX / 2;
    fillBoxes(
      ctx,
      group.map(({ rect }) => rect),
      { color: colors.types.get(type) ?? colors.muted, radius },
    );
  }
}

const toPortDots = (
  ports: readonly CardPort[],
  x: number,
): readonly { readonly type: string; readonly x: number; readonly y: number }[] =>
  ports.map(({ type }, index) => ({ type: toTypeName(type), x, y: getPortOffset(index) }));

function paintTexts(ctx: Context, colors: PaintColors, boxes: readonly SceneNode[]): void {
  setTextStyle(ctx, { px: 10.5, family: colors.font, color: colors.muted });
  for (const { card, x, y, width } of boxes) {
    paintLines(ctx, card.data.typeLabel, { x: x + TITLE_X, y: y + 25, width: width - TITLE_X - 12 }, 10.5);
    const { fields, chips } = layoutCard(card.data);
    for (const { field, y: top } of fields)
      if (!field.isPort) paintLines(ctx, field.label, { x: x + 12, y: y + top + 2, width: width - 24 }, 11);
    if (chips)
      paintLines(ctx, chips.texts.join('   '), { x: x + 19, y: y + chips.y + 6, width: width - 38 }, 11);
  }
  setTextStyle(ctx, { px: 11.5, family: colors.font, color: colors.muted });
  for (const { card, x, y, width } of boxes) {
    for (const [index, { label }] of card.data.inputs.entries())
      ctx.fillText(truncatePortLabel(label), x + PORT_PX, y + getPortOffset(index) - 6);
    ctx.textAlign = 'right';
    for (const [index, { label }] of card.data.outputs.entries())
      ctx.fillText(truncatePortLabel(label), x + width - PORT_PX, y + getPortOffset(index) - 6);
    ctx.textAlign = 'left';
  }
  for (const box of boxes) paintValues(ctx, colors, box);
}

function paintValues(ctx: Context, colors: PaintColors, { card, x, y, width }: SceneNode): void {
  for (const { field, y: top, height, text, isDefault } of layoutCard(card.data).fields) {
    ctx.fillStyle = isDefault ? colors.muted : colors.ink;
    const label = field.isPort ? 0 : NODE_BOX.fieldLabel;
    const area = { x: x + 21, y: y + top + label + 6, width: width - 42 };
    paintLines(ctx, text, area, 12, Math.max(1, Math.floor((height - label - 11) / 17)));
  }
}

function paintLines(
  ctx: Context,
  text: string,
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
  px: number,
  lines = 1,
): void {
  for (const [index, line] of wrapText(text, { px, width, lines }).entries())
    ctx.fillText(line, x, y + index * 17, width);
}
