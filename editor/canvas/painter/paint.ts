// Paints the board on one 2D canvas: all edges, and the nodes that are not mounted.
import { typeName } from '../colors.ts';
import { paintCards } from './paint-cards.ts';
import { paintBoxes, paintFrames, paintMarks, paintNotes, paintOutlines } from './paint-nodes.ts';
import { FAR_ZOOM, type Painting, viewOf } from './painting.ts';
import { type Bend, type Box, bendOf, type Curve, grow, intersects, type Rect } from './scene.ts';
import type { Context } from './shapes.ts';

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
  const isFar = viewport.zoom < FAR_ZOOM;
  const seen = seenBoxes(painting, view);
  const boxes = isFar ? seen : seen.filter(({ id }) => !painting.mounted.has(id));
  const { group = [], note = [], card = [] } = Object.groupBy(boxes, box => box.card.type ?? 'card');
  paintFrames(ctx, painting, group);
  paintEdges(ctx, painting, view);
  paintNotes(ctx, painting, note);
  (isFar ? paintBoxes : paintCards)(ctx, painting, card);
  paintMarks(ctx, painting, boxes);
  paintOutlines(ctx, painting, seen);
}

/** How far marks extend beyond the box of a node, in pixels. */
const MARK_PX = 12;

function seenBoxes({ scene, positions }: Painting, view: Rect): readonly Box[] {
  const seen = grow(view, MARK_PX);
  return scene.boxes.flatMap(box => {
    const at = positions.get(box.id);
    const placed = at === undefined ? box : { ...box, x: at.x, y: at.y };
    return intersects(placed, seen) ? [placed] : [];
  });
}

/** Below this zoom, curves are drawn as straight lines. */
const STRAIGHT_ZOOM = 0.14;
const WIDTH_PX = 2;
const MIN_WIDTH_SCREEN_PX = 0.7;

function paintEdges(ctx: Context, painting: Painting, view: Rect): void {
  const { scene, positions, selection, lit, colors, viewport, markOf } = painting;
  const width = Math.max(WIDTH_PX, MIN_WIDTH_SCREEN_PX / viewport.zoom);
  const plain = new Map<string, Bend[]>();
  const strong: [curve: Curve, bend: Bend][] = [];
  for (const curve of scene.curves) {
    const bend = bendOf(curve, positions);
    if (!isSeen(bend, view)) continue;
    const isFlowing = markOf(curve.source.id)?.status === 'RUNNING';
    if (selection.has(curve.id) || lit.has(curve.id) || isFlowing) strong.push([curve, bend]);
    else {
      const type = typeName(curve.resolvedEdge.type);
      const bends = plain.get(type);
      if (bends === undefined) plain.set(type, [bend]);
      else bends.push(bend);
    }
  }
  ctx.lineWidth = width;
  ctx.globalAlpha = viewport.zoom < STRAIGHT_ZOOM ? 0.45 : 0.75;
  for (const [type, bends] of plain) {
    ctx.strokeStyle = colors.types.get(type) ?? colors.soft;
    strokeBends(ctx, bends, viewport.zoom);
  }
  ctx.globalAlpha = 1;
  ctx.lineWidth = width * 1.6;
  for (const [curve, bend] of strong) {
    const isChosen = selection.has(curve.id) || lit.has(curve.id);
    ctx.strokeStyle = isChosen
      ? colors.accent
      : (colors.types.get(typeName(curve.resolvedEdge.type)) ?? colors.soft);
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
